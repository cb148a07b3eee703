/**
 * s07: the calls of one answer, executed when the answer is whole.
 * s09: a call may take its time, and tells how far it is.
 * s10: counts the votes for the end of the run.
 * s11: a gate that is broken can end the batch.
 * s12: calls that may run together do.
 * s13: after an abort nothing more starts, and every call still has its result.
 */

import { NOT_EXECUTED } from "./ask.ts";
import type { Emit } from "./events.ts";
import { executePreparedCall, type CallScope, type Crash, type ToolHooks } from "./execute.ts";
import { toolError, type AssistantMessage, type Message, type ToolResultMessage } from "./messages.ts";
import { prepareToolCall, type PreparedCall } from "./pipeline.ts";
import type { TurnSnapshot } from "./snapshot.ts";
import { toolResult, type AgentToolResult, type ToolCall } from "./tools.ts";

export type Batch = {
  /** The answer that makes the calls. It stands in the transcript already. */
  message: AssistantMessage;
  snapshot: TurnSnapshot;
  hooks: ToolHooks;
  events: { emit: Emit };
  /** The messages that the run works with, as they are now. */
  messages: () => readonly Message[];
  /** Puts a result into the transcript. */
  publish: (result: ToolResultMessage) => Promise<void>;
  signal: AbortSignal;
};

export type BatchResult = {
  toolResults: ToolResultMessage[];
  /** True when every result of a batch that is not empty votes for the end. */
  terminate: boolean;
  crash: Crash;
};

type OpenedCall = { call: ToolCall; prepared: PreparedCall };
type AnsweredCall = { call: ToolCall; result: AgentToolResult };

/**
 * Gives every call of the answer exactly one result, and publishes them in the order of the calls. Calls are announced and
 * judged in that order too; those that may run together then do, and end in the order in which they are done. A call of an
 * answer that failed or was cut is announced and answered, but not executed: it may not be what the model meant. Never throws.
 */
export async function runBatch({ message, snapshot, hooks, events, messages, publish, signal }: Batch): Promise<BatchResult> {
  const { registry } = snapshot;
  const crash: Crash = {};

  const scopeOf = (call: ToolCall): CallScope => ({
    assistantMessage: message,
    messages,
    onUpdate: (partialResult) =>
      events.emit({ type: "tool_execution_update", ...namesOf(call), args: call.args, partialResult }),
    crash,
    signal,
  });
  const end = async (call: ToolCall, result: AgentToolResult): Promise<AgentToolResult> => {
    await events.emit({ type: "tool_execution_end", ...namesOf(call), result, isError: result.isError ?? false });
    return result;
  };

  /** Announces a call and asks whether it may run. One that may not has its end at once. */
  const open = async (call: ToolCall): Promise<OpenedCall> => {
    await events.emit({ type: "tool_execution_start", ...namesOf(call), args: call.args });
    const refusal = whyNotExecuted(message);
    const prepared = refusal ? { immediate: toolError(refusal) } : await prepareToolCall(registry, hooks, call, scopeOf(call));
    if ("immediate" in prepared) await end(call, prepared.immediate);
    return { call, prepared };
  };
  const run = async ({ call, prepared }: OpenedCall): Promise<AnsweredCall> => {
    if ("immediate" in prepared) return { call, result: prepared.immediate };
    const result = await executePreparedCall(registry, hooks, prepared, scopeOf(call));
    return { call, result: await end(call, result) };
  };

  const toolResults: ToolResultMessage[] = [];
  let votes = 0;
  for (const group of groupsOf(message, snapshot)) {
    const opened: OpenedCall[] = [];
    for (const call of group) opened.push(await open(call));
    for (const { call, result } of await Promise.all(opened.map(run))) {
      const answer = toolResult(call, result);
      await publish(answer);
      toolResults.push(answer);
      if (result.terminate === true) votes++;
    }
  }
  return { toolResults, terminate: votes > 0 && votes === toolResults.length, crash };
}

/** The calls that may run together. One tool that wants to be alone makes every call a group of its own. */
function groupsOf(message: AssistantMessage, { registry, toolExecution }: TurnSnapshot): ToolCall[][] {
  const { toolCalls } = message;
  const alone = toolExecution === "sequential" || toolCalls.some((call) => registry.isSequential(call.name));
  return alone || whyNotExecuted(message) ? toolCalls.map((call) => [call]) : [toolCalls];
}

function namesOf(call: ToolCall): { toolCallId: string; toolName: string } {
  return { toolCallId: call.id, toolName: call.name };
}

function whyNotExecuted({ stopReason }: AssistantMessage): string | undefined {
  if (stopReason === "aborted") return NOT_EXECUTED;
  if (stopReason === "error") return "not executed, because the answer broke off";
  if (stopReason === "length") return "not executed, because the answer was cut at the token limit; ask again";
  return undefined;
}
