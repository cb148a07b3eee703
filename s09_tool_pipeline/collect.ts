/**
 * s02: a stream of events folded into one message. Only an end event means that the answer is whole.
 * s04: calls are collected beside the text, each under an id that is used only once.
 * Still missing: nobody can end the waiting for the next event (s13).
 */

import { failure, type AssistantMessage } from "./messages.ts";
import type { MessageEnd, ProviderEvent } from "./provider.ts";
import type { ToolCall } from "./tools.ts";

/** An answer that ends for another reason is not whole: nobody here knows what was left out. */
const reasons = {
  stop: true,
  length: true,
  toolUse: true,
  error: true,
} satisfies Record<MessageEnd["stopReason"], true>;

/**
 * Opens a stream and reads it to its end event. Never throws for the stream: one that cannot be opened, throws, or ends
 * without an end event becomes a message with stop reason `error` and the text so far.
 * `onEvent` is awaited. It hears exactly one message_start and one message_end, whatever the stream did. What comes after
 * the end event is not read, and the stream is closed.
 * `callIds` holds the ids that are taken. A repeated id is made unique before anyone hears of the call (`c1`, `c1#2`),
 * and a missing one is made up.
 */
export async function collect(
  open: () => Promise<AsyncIterable<ProviderEvent>>,
  onEvent: (event: ProviderEvent) => void | Promise<void>,
  callIds: Set<string>,
): Promise<AssistantMessage> {
  let content = "";
  const toolCalls: ToolCall[] = [];
  let started = false;
  let end: MessageEnd | undefined;

  const start = async () => {
    if (started) return;
    started = true;
    await onEvent({ type: "message_start" });
  };

  try {
    for await (const given of await open()) {
      const event = given.type === "tool_call" ? { ...given, call: withUniqueId(given.call, callIds) } : given;
      await start();
      if (event.type === "message_end") {
        end = Object.hasOwn(reasons, event.stopReason) ? event : brokenOff(`unknown stop reason: ${event.stopReason}`);
        break;
      }
      if (event.type === "text_delta") content += event.delta;
      if (event.type === "tool_call") toolCalls.push(event.call);
      if (event.type !== "message_start") await onEvent(event);
    }
    end ??= brokenOff("the stream ended without an end event");
  } catch (error) {
    end ??= brokenOff(error);
  }

  await start();
  await onEvent(end);
  return {
    role: "assistant",
    content,
    toolCalls,
    stopReason: end.stopReason,
    ...reasonOf(end),
  };
}

function brokenOff(error: unknown): MessageEnd {
  return { type: "message_end", ...failure(error) };
}

function reasonOf({ errorMessage }: MessageEnd): { errorMessage?: string } {
  return errorMessage === undefined ? {} : { errorMessage };
}

function withUniqueId(call: ToolCall, taken: Set<string>): ToolCall {
  const given = String(call.id ?? "call");
  let id = given;
  for (let count = 2; taken.has(id); count++) id = `${given}#${count}`;
  taken.add(id);
  return { ...call, id };
}
