/**
 * s02: a stream of events folded into one message. Only an end event means that the answer is whole.
 * Still missing: nobody can end the waiting for the next event (s13).
 */

import { failure, type AssistantMessage } from "./messages.ts";
import type { MessageEnd, ProviderEvent } from "./provider.ts";

/** An answer that ends for another reason is not whole: nobody here knows what was left out. */
const reasons = {
  stop: true,
  length: true,
  error: true,
} satisfies Record<MessageEnd["stopReason"], true>;

/**
 * Opens a stream and reads it to its end event. Never throws for the stream: one that cannot be opened, throws, or ends
 * without an end event becomes a message with stop reason `error` and the text so far.
 * `onEvent` is awaited. It hears exactly one message_start and one message_end, whatever the stream did. What comes after
 * the end event is not read, and the stream is closed.
 */
export async function collect(
  open: () => Promise<AsyncIterable<ProviderEvent>>,
  onEvent: (event: ProviderEvent) => void | Promise<void>,
): Promise<AssistantMessage> {
  let content = "";
  let started = false;
  let end: MessageEnd | undefined;

  const start = async () => {
    if (started) return;
    started = true;
    await onEvent({ type: "message_start" });
  };

  try {
    for await (const event of await open()) {
      await start();
      if (event.type === "message_end") {
        end = Object.hasOwn(reasons, event.stopReason) ? event : brokenOff(`unknown stop reason: ${event.stopReason}`);
        break;
      }
      if (event.type === "text_delta") content += event.delta;
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
