/** All scenarios. */

import { aborting, endings } from "./scenarios/endings.ts";
import type { Scenario } from "./scenarios/kinds.ts";
import { belowTheAgent, queues, subscribers, waysIn } from "./scenarios/outside.ts";
import { plain } from "./scenarios/plain.ts";
import { afterHook, beforeHook } from "./scenarios/tool-hooks.ts";
import { nestedCalls, toolOutcomes } from "./scenarios/tools.ts";
import { finishHook, nextTurn, requestHooks } from "./scenarios/turns.ts";

export const scenarios: readonly Scenario[] = [
  ...plain,
  ...beforeHook,
  ...afterHook,
  ...toolOutcomes,
  ...finishHook,
  ...requestHooks,
  ...nextTurn,
  ...endings,
  ...aborting,
  ...subscribers,
  ...queues,
  ...nestedCalls,
  ...waysIn,
  ...belowTheAgent,
];

/** @throws RangeError that lists what is near, when there is no such scenario. */
export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found) return found;
  const first = name.split("-")[0] ?? "";
  const near = scenarios.map((each) => each.name).filter((each) => first !== "" && each.startsWith(first));
  throw new RangeError(
    `unknown scenario "${name}"; ` +
      (near.length > 0 ? `near: ${near.join(", ")}` : `npm run conformance -- --list names all ${scenarios.length}`),
  );
}
