/**
 * s07: the calls of one answer, executed one after the other when the answer is whole.
 * s09: a call may take its time, and tells how far it is.
 * s10: counts the votes for the end of the run.
 * s11: a gate that is broken can end the batch.
 * Still missing: they cannot run at the same time (s12).
 */

import type { Events } from "./events.ts";
import { executeToolCall, type Crash, type ToolHooks } from "./execute.ts";
import { toolError, type AssistantMessage, type Message, type ToolResultMessage } from "./messages.ts";
import type { TurnSnapshot } from "./snapshot.ts";
import { toolResult, type AgentToolResult } from "./tools.ts";

export type Batch = {
  /** The answer that makes the calls. It stands in the transcript already. */
  message: AssistantMessage;
  snapshot: TurnSnapshot;
  hooks: ToolHooks;
  events: Events;
  /** The messages that the run works with, as they are now. */
  messages: () => readonly Message[];
  /** Puts a result into the transcript. */
  publish: (result: ToolResultMessage) => Promise<void>;
};

export type BatchResult = {
  toolResults: ToolResultMessage[];
  /** True when every result of a batch that is not empty votes for the end. */
  terminate: boolean;
  crash: Crash;
};

/**
 * Gives every call of the answer exactly one result, in the order of the calls, and publishes it. A call of an answer
 * that failed or was cut is announced and answered, but not executed: it may not be what the model meant. Never throws.
 */
export async function runBatch({ message, snapshot, hooks, events, messages, publish }: Batch): Promise<BatchResult> {
  const refusal = whyNotExecuted(message);
  const crash: Crash = {};
  const toolResults: ToolResultMessage[] = [];
  let votes = 0;
  for (const call of message.toolCalls) {
    const named = { toolCallId: call.id, toolName: call.name };
    await events.emit({ type: "tool_execution_start", ...named, args: call.args });
    const onUpdate = (partialResult: AgentToolResult) =>
      events.emit({ type: "tool_execution_update", ...named, args: call.args, partialResult });
    const scope = { assistantMessage: message, messages, onUpdate, crash };
    const result = refusal ? toolError(refusal) : await executeToolCall(snapshot.registry, hooks, call, scope);
    await events.emit({ type: "tool_execution_end", ...named, result, isError: result.isError ?? false });
    const answer = toolResult(call, result);
    await publish(answer);
    toolResults.push(answer);
    if (result.terminate === true) votes++;
  }
  return { toolResults, terminate: votes > 0 && votes === toolResults.length, crash };
}

function whyNotExecuted({ stopReason }: AssistantMessage): string | undefined {
  if (stopReason === "error") return "not executed, because the answer broke off";
  if (stopReason === "length") return "not executed, because the answer was cut at the token limit; ask again";
  return undefined;
}
