/** The Pi driver reproduces what was recorded: order, counts, what hooks were given, requests and transcripts, all of it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { playOnPi } from "./pi/driver.ts";
import { loadPi, versions } from "./pi/load.ts";
import { scenarios } from "./scenarios.ts";
import type { Trace } from "./trace.ts";

const folder = join(import.meta.dirname, "fixtures");

function recorded(version: string, name: string): Trace {
  return JSON.parse(readFileSync(join(folder, version, `${name}.json`), "utf8")) as Trace;
}

describe.each(versions)("Pi %s", async (version) => {
  const pi = await loadPi(version);

  test("is this version, with the pi-ai that belongs to it", () => {
    expect([pi.version, pi.piAi]).toEqual([version, version]);
  });

  test("every scenario has a recorded trace, and every trace its scenario", () => {
    const traces = readdirSync(join(folder, version)).map((file) => file.replace(/\.json$/, ""));
    expect(traces.sort()).toEqual(scenarios.map(({ name }) => name).sort());
  });

  test.each(scenarios)("plays $name as recorded", async (scenario) => {
    const { what: _mine, ...played } = await playOnPi(pi, scenario);
    const { what: _theirs, ...trace } = recorded(version, scenario.name);
    expect(played).toEqual(trace);
  });
});

test("no two scenarios share a name", () => {
  expect(new Set(scenarios.map((scenario) => scenario.name)).size).toBe(scenarios.length);
});
