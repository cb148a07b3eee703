/** What `npm run conformance` calls when this package is installed. */

import { playOnLesson } from "./lessons/driver.ts";
import { missingIn } from "./lessons/features.ts";
import { lessonsThatPlay, loadLesson } from "./lessons/load.ts";
import { playOnPi } from "./pi/driver.ts";
import { loadPi, versions } from "./pi/load.ts";
import { printReports } from "./report.ts";
import { scenarioNamed, scenarios } from "./scenarios.ts";
import { orderOf, type Trace } from "./trace.ts";
import { compareVersions, isChanged, upgradeLines } from "./upgrade.ts";

type Print = (line: string) => void;

export const names: readonly string[] = scenarios.map(({ name }) => name);

/** The three counts and lists. */
export const report = (print: Print): Promise<number> => printReports(print);

/** One scenario, on the last lesson and on both versions. @throws RangeError for an unknown one */
export async function show(name: string, print: Print): Promise<number> {
  const scenario = scenarioNamed(name);
  print(`${scenario.name}: ${scenario.what}`);
  const lesson = await loadLesson(lessonsThatPlay().at(-1) ?? "");
  const missing = missingIn(lesson.id, scenario);
  print("");
  if (missing.length > 0) print(`${lesson.id} cannot play it: ${missing.join(", ")}`);
  else print(lineOf(lesson.id, await playOnLesson(lesson, scenario)));
  for (const version of versions) print(lineOf(`Pi ${version}`, await playOnPi(await loadPi(version), scenario)));
  return 0;
}

function lineOf(player: string, trace: Trace): string {
  return `${player}\n  ${orderOf(trace.log)}\n  requests ${trace.requestCount}; kept ${trace.keptRoles.join(", ")}`;
}

/** Another version, hook by hook. Resolves to 1 when something changed. */
export async function upgrade(version: string, print: Print): Promise<number> {
  const found = await compareVersions(version);
  for (const line of upgradeLines(found)) print(line);
  return isChanged(found) ? 1 : 0;
}
