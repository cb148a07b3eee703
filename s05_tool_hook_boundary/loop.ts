/**
 * s01: asks, keeps the answer, and asks again only when there is a reason to.
 * s02: collects the answer from a stream, and shows every event when it arrives.
 * s03: builds a request from the transcript; it is no longer the transcript.
 * s04: executes the calls of an answer, and sends their results with the next request.
 * s05: leads each call through the hooks of the host.
 * Still missing: a tool runs while its message is still arriving (s07); nobody can interrupt a run (s13).
 */

import { describe, type Output } from "../shared/trace.ts";
import { collect } from "./collect.ts";
import { toProviderMessages } from "./convert.ts";
import { executeToolCall, type ToolHooks } from "./execute.ts";
import {
  checkTurnLimit,
  type AgentState,
  type AssistantMessage,
  type Message,
  type Outcome,
  type RunResult,
  type ToolResultMessage,
} from "./messages.ts";
import type { Provider, ProviderEvent } from "./provider.ts";
import type { ToolRegistry } from "./tools.ts";

/** What the user would type after an answer that was cut. */
const CONTINUE = "continue";

/**
 * Runs from one user prompt to the end. Appends every message to `state.messages`, and makes at most
 * `state.turnLimit` requests. A provider that fails is an outcome, never an exception.
 * Every call gets exactly one result, which stands behind its message before the next request.
 * @throws RangeError before anything happens, when `state.turnLimit` is no whole number of 0 or more.
 */
export async function runEventedToolLoop(
  state: AgentState,
  provider: Provider,
  registry: ToolRegistry,
  hooks: ToolHooks,
  userInput: string,
  output: Output,
): Promise<RunResult> {
  checkTurnLimit(state.turnLimit);
  state.messages.push({ role: "user", content: userInput });
  const callIds = callIdsOf(state.messages);

  let outcome: Outcome = "turn_limit";
  for (let turn = 0; turn < state.turnLimit; turn++) {
    if (needsUser(state.messages)) state.messages.push({ role: "user", content: CONTINUE });

    const open = async () => provider.stream({
      messages: toProviderMessages(state.messages),
      tools: registry.getSpecs(),
    });
    const results: ToolResultMessage[] = [];
    const onEvent = (event: ProviderEvent) => {
      output.log(describe(event));
      if (event.type !== "tool_call") return;
      const result = executeToolCall(registry, hooks, event.call);
      output.log(describe({ type: "tool_result", content: result.content }));
      results.push(result);
    };
    const message = await collect(open, onEvent, callIds);
    state.messages.push(message);
    state.messages.push(...results);

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
  if (message.toolCalls.length > 0) return undefined;
  if (message.stopReason === "length") return undefined;
  return "stop";
}

/** A request that ends with an answer would be refused: somebody has to speak before the provider does. */
function needsUser(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === "assistant";
}

/** The ids of all calls that were ever made in this transcript. */
function callIdsOf(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map((call) => call.id) : [])));
}
