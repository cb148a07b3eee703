/**
 * s01: what the loop asks of a provider. A service, a script and a person look the same from here.
 * s02: an answer arrives as events: one start, any number of deltas, one end.
 * Still missing: an answer can only be text (s04).
 */

import type { Message, StopReason } from "./messages.ts";

/** What is sent. An object, so that a later lesson can add a field. */
export type ProviderRequest = {
  messages: readonly Message[];
};

/** The event that ends every whole answer. An answer without it broke off. */
export type MessageEnd = { type: "message_end"; stopReason: StopReason; errorMessage?: string };

export type ProviderEvent =
  | { type: "message_start" }
  | { type: "text_delta"; delta: string }
  | MessageEnd;

export type Provider = {
  /** Gives the events of one answer. May throw at once or while it is read; the loop turns that into a failed answer. */
  stream(request: ProviderRequest): AsyncIterable<ProviderEvent>;
};
