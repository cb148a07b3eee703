/** What a version of Pi does differently from the reference, hook by hook: is it still there, at the same place, with the same failure? */

import { playOnPi } from "./pi/driver.ts";
import { loadPi, reference, type Pi } from "./pi/load.ts";
import { scenarios } from "./scenarios.ts";
import type { Scenario } from "./scenarios/kinds.ts";
import { hookNames, orderOf, type Entry, type HookName, type Trace } from "./trace.ts";
import { aspects, viewOf } from "./view.ts";

export type HookChange = { hook: HookName; present: boolean; order: string[]; failure: string[] };
export type Upgrade = { from: string; to: string; hooks: HookChange[]; others: string[] };

type Pair = { scenario: Scenario; before: Trace; after: Trace };

/** @throws Error when the version is not installed. */
export async function compareVersions(version: string): Promise<Upgrade> {
  const [before, after] = [await loadPi(reference), await loadPi(version)];
  const pairs: Pair[] = [];
  for (const scenario of scenarios) pairs.push({ scenario, before: await playOnPi(before, scenario), after: await play(after, scenario) });
  const hooks = hookNames.map((hook) => changeOf(hook, pairs));
  const named = new Set(hooks.flatMap(({ order, failure }) => [...order, ...failure]));
  return { from: before.version, to: after.version, hooks, others: pairs.filter(differs).map(nameOf).filter((name) => !named.has(name)) };
}

/** A version that a scenario cannot be played on at all has an empty trace: everything in it is gone. */
async function play(pi: Pi, scenario: Scenario): Promise<Trace> {
  try {
    return await playOnPi(pi, scenario);
  } catch (error) {
    return playOnNothing(scenario, String(error));
  }
}

function playOnNothing({ name, what }: Scenario, error: string): Trace {
  const none = { calls: [], requestCount: 0, models: [], effects: {}, keptRoles: [], unansweredToolCalls: [], unhandledRejections: [error] };
  return { scenario: name, what, hung: false, ...none, balance: { startWithoutEnd: [], endWithoutStart: [] }, timed: {}, log: [], requests: [], kept: [] };
}

const nameOf = ({ scenario }: Pair) => scenario.name;

function differs({ scenario, before, after }: Pair): boolean {
  const [old, now] = [viewOf(before, scenario), viewOf(after, scenario)];
  return aspects.some((aspect) => old[aspect] !== now[aspect]);
}

function changeOf(hook: HookName, pairs: readonly Pair[]): HookChange {
  const failing = pairs.filter(({ before, after }) => throwsIn(hook, before) || throwsIn(hook, after));
  const calm = pairs.filter((pair) => !failing.includes(pair));
  return {
    hook,
    present: pairs.some(({ after }) => after.log.some((entry) => isCall(hook, entry))),
    order: calm.filter(({ before, after }) => neighbours(hook, before) !== neighbours(hook, after)).map(nameOf),
    failure: failing.filter(differs).map(nameOf),
  };
}

const isCall = (hook: HookName, entry: Entry) => entry.k === "hook" && entry["name"] === hook;
const throwsIn = (hook: HookName, { log }: Trace) => log.some((entry) => isCall(hook, entry) && entry["threw"] !== undefined);

/** What came right before and right after each call of the hook, and how many calls there were. */
function neighbours(hook: HookName, { log }: Trace): string {
  return log
    .flatMap((entry, index) => (isCall(hook, entry) ? [[log[index - 1], log[index + 1]].map((each) => (each ? orderOf([each]) : "-")).join("…")] : []))
    .join(" ");
}

export function upgradeLines({ from, to, hooks, others }: Upgrade): string[] {
  const width = Math.max(...hooks.map(({ hook }) => hook.length));
  const list = (names: readonly string[]) => (names.length === 0 ? "no" : `yes, in ${names.join(", ")}`);
  return [
    `Pi ${to} against Pi ${from}, ${scenarios.length} scenarios`,
    "",
    ...hooks.flatMap(({ hook, present, order, failure }) => [
      `${hook.padEnd(width)}  present: ${present ? "yes" : "NO"}`,
      `${"".padEnd(width)}  order changed: ${list(order)}`,
      `${"".padEnd(width)}  failure changed: ${list(failure)}`,
    ]),
    "",
    others.length === 0 ? "Nothing else differs." : `Different in something else: ${others.join(", ")}`,
  ];
}

/** True when a hook is gone, or anything was played differently. */
export function isChanged({ hooks, others }: Upgrade): boolean {
  return others.length > 0 || hooks.some(({ present, order, failure }) => !present || order.length > 0 || failure.length > 0);
}
