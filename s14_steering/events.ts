/**
 * s07: what happens in a run, told to whoever subscribed. Every start has exactly one end, in the right nesting.
 * s09: a tool that works tells how far it is; its end says whether it failed.
 * s12: tools that run together still tell their events one at a time.
 * s13: a listener that does not end is not waited for after an abort.
 */

import { AbortedError, untilAborted } from "./abort.ts";
import { messageOf, type AssistantMessage, type Message, type ToolResultMessage } from "./messages.ts";
import type { ProviderEvent } from "./provider.ts";
import type { AgentToolResult } from "./tools.ts";

/** An answer of which nothing has arrived yet. */
type PendingMessage = { role: "assistant"; content: ""; toolCalls: []; stopReason: "pending" };

/**
 * Names and fields are Pi's, but for `message_update`: Pi's carries the whole message so far, this one only what is new.
 * What an event holds belongs to the run and must not be changed.
 */
export type AgentEvent =
  | { type: "agent_start" }
  | { type: "turn_start" }
  | { type: "message_start"; message: Message | PendingMessage }
  | { type: "message_update"; assistantMessageEvent: ProviderEvent }
  | { type: "message_end"; message: Message }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: unknown }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; args: unknown; partialResult: AgentToolResult }
  | { type: "tool_execution_end"; toolCallId: string; toolName: string; result: AgentToolResult; isError: boolean }
  | { type: "turn_end"; message: AssistantMessage; toolResults: ToolResultMessage[] }
  | { type: "agent_end"; messages: Message[] };

/** Watches. What it returns is not used, what it throws does not stop the run, but the run waits for it until it is aborted. */
export type Listener = (event: AgentEvent, signal: AbortSignal) => void | Promise<void>;

/** Hears of a listener that failed, once per listener and run. */
export type ListenerErrorHandler = (error: unknown, event: AgentEvent) => void;

/** Tells an event on behalf of one run. */
export type Emit = (event: AgentEvent) => Promise<void>;

export type Events = {
  /** Adds a listener behind the others. What it returns takes the listener away again. */
  subscribe(listener: Listener): () => void;
  /** Tells every listener, one after the other, and one event after the other. Never throws. */
  emit(event: AgentEvent, signal: AbortSignal): Promise<void>;
};

export function createEvents(onListenerError: ListenerErrorHandler = reportOnStderr): Events {
  const subscriptions = new Set<{ listener: Listener; failed: boolean }>();

  function subscribe(listener: Listener): () => void {
    const subscription = { listener, failed: false };
    subscriptions.add(subscription);
    return () => void subscriptions.delete(subscription);
  }

  let told = Promise.resolve();

  function emit(event: AgentEvent, signal: AbortSignal): Promise<void> {
    told = told.then(() => tell(event, signal));
    return told;
  }

  async function tell(event: AgentEvent, signal: AbortSignal): Promise<void> {
    for (const subscription of [...subscriptions]) {
      if (!subscriptions.has(subscription)) continue;
      if (event.type === "agent_start") subscription.failed = false;
      try {
        await untilAborted(signal, () => subscription.listener(event, signal));
      } catch (error) {
        if (error instanceof AbortedError) continue;
        if (!subscription.failed) void report(error, event);
        subscription.failed = true;
      }
    }
  }

  /** When the handler itself fails, both go to stderr: nobody else is left to hear of it. */
  async function report(error: unknown, event: AgentEvent): Promise<void> {
    try {
      await onListenerError(error, event);
    } catch (fault) {
      reportOnStderr(error, event);
      reportOnStderr(fault, event);
    }
  }

  return { subscribe, emit };
}

function reportOnStderr(error: unknown, event: AgentEvent): void {
  process.stderr.write(`a subscriber failed at ${event.type}: ${messageOf(error)}\n`);
}

/** What a provider's event means to a subscriber. The end of an answer is told later, when the answer is kept. */
export function toAgentEvent(event: ProviderEvent): AgentEvent | undefined {
  if (event.type === "message_end") return undefined;
  if (event.type !== "message_start") return { type: "message_update", assistantMessageEvent: event };
  return { type: "message_start", message: { role: "assistant", content: "", toolCalls: [], stopReason: "pending" } };
}
