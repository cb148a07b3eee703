/** `npm run record` in this folder: writes the traces that are missing, or those that are named. One that is there is not overwritten. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { playOnPi } from "./pi/driver.ts";
import { loadPi, versions } from "./pi/load.ts";
import { scenarioNamed, scenarios } from "./scenarios.ts";
import type { Trace } from "./trace.ts";

async function record(wanted: readonly string[]): Promise<void> {
  const chosen = wanted.length === 0 ? scenarios : wanted.map(scenarioNamed);
  for (const version of versions) {
    const pi = await loadPi(version);
    mkdirSync(join(import.meta.dirname, "fixtures", version), { recursive: true });
    for (const scenario of chosen) {
      const file = join(import.meta.dirname, "fixtures", version, `${scenario.name}.json`);
      if (existsSync(file) && wanted.length === 0) continue;
      if (existsSync(file)) throw new RangeError(`${scenario.name} is recorded; remove fixtures/${version}/${scenario.name}.json first`);
      writeFileSync(file, textOf(await playOnPi(pi, scenario)));
      process.stdout.write(`fixtures/${version}/${scenario.name}.json\n`);
    }
  }
}

/** One line per field, and per entry of a list, so that a difference of two traces is short. */
function textOf(trace: Trace): string {
  const lines = Object.entries(trace).map(([key, value]) => {
    const inside = Array.isArray(value) && value.some((each) => typeof each === "object");
    const text = inside ? `[\n${value.map((each) => `    ${JSON.stringify(each)}`).join(",\n")}\n  ]` : JSON.stringify(value);
    return `  ${JSON.stringify(key)}: ${text}`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

record(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
