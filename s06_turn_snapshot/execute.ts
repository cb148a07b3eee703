/**
 * s05: the way of one call, before → run → after. The middle is the registry, unchanged.
 * Still missing: a result is only a text, so a failure must be read from it (s09).
 */

import { askAfter, askBefore } from "./ask.ts";
import type { ToolResultMessage } from "./messages.ts";
import { settle, toolResult, type ToolCall, type ToolRegistry } from "./tools.ts";

/** The verdict on a call that has not run yet. The reason goes to the model, as the call's result. */
export type BeforeToolCallResult =
  | { type: "allow" }
  | { type: "block"; reason: string };

/** Where the host can step in. A hook that is not there allows everything and changes nothing. */
export type ToolHooks = {
  beforeToolCall?: (call: ToolCall) => BeforeToolCallResult;
  /** Gets the result's text (`error: …` when the tool failed) and returns the text that the model will read. */
  afterToolCall?: (call: ToolCall, result: string) => string;
};

/**
 * Answers one call. A refused call does not run, and `afterToolCall` is not asked; a call that failed did run, and it is.
 * Never throws: whatever fails, the call has one result.
 */
export function executeToolCall(
  registry: ToolRegistry,
  hooks: ToolHooks,
  call: ToolCall,
): ToolResultMessage {
  const refusal = askBefore(hooks, call);
  if (refusal !== undefined) return toolResult(call, refusal);
  const result = settle(call, () => registry.run(call));
  return toolResult(call, askAfter(hooks, call, result));
}
