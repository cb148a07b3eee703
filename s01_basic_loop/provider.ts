/**
 * s01: what the loop asks of a provider. A service, a script and a person look the same from here.
 * Still missing: the answer comes in one piece (s02).
 */

import type { AssistantMessage, Message } from "./messages.ts";

/** What is sent. An object, so that a later lesson can add a field. */
export type ProviderRequest = {
  messages: readonly Message[];
};

export type Provider = {
  /** Resolves to one whole answer. May reject; the loop turns that into a failed answer. */
  complete(request: ProviderRequest): Promise<AssistantMessage>;
};
