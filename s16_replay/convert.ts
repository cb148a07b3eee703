/**
 * s03: what is sent is derived from what is kept, anew for every request.
 * s04: an answer without text is sent when it calls a tool.
 * s08: this is only the way for a host that does not say how.
 */

import type { Message, ProviderMessage } from "./messages.ts";

/**
 * The messages that a provider gets, in the order of the transcript. Left out are notes, and empty answers, which a
 * provider refuses. Makes a new array; the messages in it are the transcript's own and must not be changed.
 */
export function toProviderMessages(messages: readonly Message[]): ProviderMessage[] {
  const sent: ProviderMessage[] = [];
  for (const message of messages) {
    if (message.role === "note") continue;
    if (isEmptyAnswer(message)) continue;
    sent.push(message);
  }
  return sent;
}

function isEmptyAnswer(message: ProviderMessage): boolean {
  if (message.role !== "assistant") return false;
  if (message.toolCalls.length > 0) return false;
  return message.content === "";
}
