/**
 * New in s04: an answer that only calls tools has no text, and is sent.
 * Still missing: the host cannot say how (s08).
 */

import type { Message, ProviderMessage } from "./messages.ts";

/**
 * The messages that a provider gets, in the order of the transcript. Left out are notes, and answers that have neither text
 * nor calls (a provider refuses them). Makes a new array; the messages in it are the transcript's own and must not be changed.
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
  return message.role === "assistant" && message.content === "" && message.toolCalls.length === 0;
}
