/** One scenario on a lesson and on a version of Pi: the same, a declared difference, cannot be expressed, or a failure. */

import { differences, type Difference } from "./differences.ts";
import { playOnLesson, type LessonTrace } from "./lessons/driver.ts";
import { missingIn, type Feature } from "./lessons/features.ts";
import type { LessonModules } from "./lessons/load.ts";
import { playOnPi } from "./pi/driver.ts";
import type { Pi } from "./pi/load.ts";
import type { Scenario } from "./scenarios/kinds.ts";
import { aspects, viewOf, type Aspect, type End, type View } from "./view.ts";

export type Verdict =
  | { result: "same" }
  | { result: "declared"; declared: Difference; changed: Change[] }
  | { result: "cannot"; missing: Feature[] }
  | { result: "failed"; problem: string };

/** What differs in one aspect: for `order` the whole of both, for the others the lines that only one side has. */
export type Change = { aspect: Aspect; lesson: string[]; pi: string[] };

export async function judge(lesson: LessonModules, pi: Pi, scenario: Scenario): Promise<Verdict> {
  const declared = declaredFor(scenario.name, lesson.id, pi.version);
  const missing = missingIn(lesson.id, scenario);
  if (missing.length > 0) return { result: "cannot", missing };

  const played = await playOnLesson(lesson, scenario);
  if (played.refusals.length > 0) return failed(`the provider refused a history of the lesson: ${played.refusals[0]}`);
  const changed = changes(viewOf(played, scenario, endOf(played)), viewOf(await playOnPi(pi, scenario), scenario));
  return weigh(changed, declared);
}

/** Holds what differs against what is declared. Both ways: a declared difference that is gone fails too. */
export function weigh(changed: readonly Change[], declared: Difference | undefined): Verdict {
  const found = changed.map(({ aspect }) => aspect);
  if (!declared) {
    return changed.length === 0 ? { result: "same" } : failed(`differs in ${found.join(", ")}, and differences.ts does not say so\n${changesText(changed)}`);
  }
  if (changed.length === 0) return failed(`is declared as different (${declared.why.join(", ")}), and is the same: take it out of differences.ts`);
  if (found.join() === declared.in.join()) return { result: "declared", declared, changed: [...changed] };
  return failed(`is declared as different in ${declared.in.join(", ")}, and differs in ${found.join(", ")}\n${changesText(changed)}`);
}

const failed = (problem: string): Verdict => ({ result: "failed", problem });

function declaredFor(scenario: string, lesson: string, version: string): Difference | undefined {
  return differences.find(
    (each) =>
      each.scenario === scenario &&
      (each.against === undefined || each.against === version) &&
      (each.from === undefined || lesson >= each.from) &&
      (each.before === undefined || lesson < each.before),
  );
}

/** How the last run of a lesson ended, in the words of a view. */
export function endOf({ results, queued }: LessonTrace): End {
  const last = results.at(-1)?.outcome;
  if (last === "error") return { how: "with an error", queued };
  return { how: last === "aborted" ? "aborted" : "well", queued };
}

/** What was told is only compared where the order is the same: else there is nothing to hold it against. */
export function changes(lesson: View, pi: View): Change[] {
  const differing = aspects.filter((aspect) => lesson[aspect] !== pi[aspect] && (aspect !== "told" || lesson.order === pi.order));
  return differing.map((aspect) => {
    if (aspect === "order") return { aspect, lesson: [lesson.order], pi: [pi.order] };
    const [mine, theirs] = [lesson[aspect].split("\n"), pi[aspect].split("\n")];
    return { aspect, lesson: withoutOf(mine, theirs), pi: withoutOf(theirs, mine) };
  });
}

/** The lines that the others do not have; one that stands twice must stand there twice. */
function withoutOf(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

export function changesText(changed: readonly Change[]): string {
  return changed
    .flatMap(({ aspect, lesson, pi }) => [...lesson.map((line) => `  ${aspect}, lesson: ${line}`), ...pi.map((line) => `  ${aspect}, Pi:     ${line}`)])
    .join("\n");
}
