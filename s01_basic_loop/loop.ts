/**
 * s01: asks, keeps the answer, and asks again only when there is a reason to.
 * Still missing: nobody can interrupt a run (s13).
 */

import {
  checkTurnLimit,
  failure,
  type AgentState,
  type AssistantMessage,
  type Message,
  type Outcome,
  type RunResult,
} from "./messages.ts";
import type { Provider } from "./provider.ts";

/** What the user would type after an answer that was cut. */
const CONTINUE = "continue";

/**
 * Runs from one user prompt to the end. Appends every message to `state.messages`, and makes at most
 * `state.turnLimit` requests. A provider that fails is an outcome, never an exception.
 * @throws RangeError before anything happens, when `state.turnLimit` is no whole number of 0 or more.
 */
export async function runLoop(
  state: AgentState,
  provider: Provider,
  userInput: string,
): Promise<RunResult> {
  checkTurnLimit(state.turnLimit);
  state.messages.push({ role: "user", content: userInput });

  let outcome: Outcome = "turn_limit";
  for (let turn = 0; turn < state.turnLimit; turn++) {
    if (needsUser(state.messages)) state.messages.push({ role: "user", content: CONTINUE });

    const open = async () => provider.complete({
      messages: state.messages,
    });
    const failed = (error: unknown): AssistantMessage => ({ role: "assistant", content: "", ...failure(error) });
    const message = await open().catch(failed);
    state.messages.push(message);

    const ending = endOf(message);
    if (ending) {
      outcome = ending;
      break;
    }
  }
  return { outcome };
}

/** Why the run ends with this answer, or undefined when it goes on. */
function endOf(message: AssistantMessage): Outcome | undefined {
  if (message.stopReason === "error") return "error";
  if (message.stopReason === "length") return undefined;
  return "stop";
}

/** A request that ends with an answer would be refused: somebody has to speak before the provider does. */
function needsUser(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === "assistant";
}
