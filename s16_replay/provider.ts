/**
 * s01: what the loop asks of a provider. A service, a script and a person look the same from here.
 * s02: an answer arrives as events: one start, any number of deltas, one end.
 * s03: a request holds only what a provider understands.
 * s04: a request offers tools, and an answer can call them.
 * s06: a request says which model is asked.
 * s08: a request carries the thinking level, and a key when the host gives one.
 * s13: a request can be called off.
 */

import type { ProviderMessage, StopReason, ThinkingLevel } from "./messages.ts";
import type { ToolCall, ToolSpec } from "./tools.ts";

/** What is sent. An object, so that a later lesson can add a field. */
export type ProviderRequest = {
  messages: readonly ProviderMessage[];
  /** The tools that this answer may call. */
  tools: ToolSpec[];
  model: string;
  thinkingLevel: ThinkingLevel;
  apiKey?: string;
};

/** The event that ends every whole answer. An answer without it broke off; `brokeOff` marks the end that is made up for it. */
export type MessageEnd = { type: "message_end"; stopReason: StopReason; errorMessage?: string; brokeOff?: true };

export type ProviderEvent =
  | { type: "message_start" }
  | { type: "text_delta"; delta: string }
  | { type: "tool_call"; call: ToolCall }
  | MessageEnd;

export type Provider = {
  /** Gives the events of one answer. May throw at once or while it is read; the loop turns that into a failed answer. */
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
};
