/**
 * s05: how the host is asked before and after a tool runs, and what its answer is worth when it is broken.
 * Still missing: a hook must answer at once, sees only the call, and can edit it in place (s09).
 */

import type { ToolHooks } from "./execute.ts";
import { messageOf, toolError } from "./messages.ts";
import type { ToolCall } from "./tools.ts";

/** Why a call is not run, as the text of its result; undefined when it may run. */
export type Refusal = string | undefined;

/**
 * Asks `beforeToolCall`. No hook, no answer and `allow` permit the call. A hook that throws, or whose answer is neither
 * of the two verdicts, does not: what cannot be understood is not a yes. Never throws.
 */
export function askBefore(hooks: ToolHooks, call: ToolCall): Refusal {
  try {
    return refusalOf(hooks.beforeToolCall?.(call));
  } catch (error) {
    return toolError(`beforeToolCall threw: ${messageOf(error)}`);
  }
}

/**
 * Asks `afterToolCall`, for a tool that has run. Its text replaces the result's; no hook and no answer keep it.
 * A hook that throws or gives no text leaves an error, which says that the effect has happened. Never throws.
 */
export function askAfter(hooks: ToolHooks, call: ToolCall, result: string): string {
  try {
    const changed: unknown = hooks.afterToolCall?.(call, result) ?? result;
    if (typeof changed === "string") return changed;
    return toolError("the tool ran, but afterToolCall returned no text");
  } catch (error) {
    return toolError(`the tool ran, but afterToolCall threw: ${messageOf(error)}`);
  }
}

function refusalOf(verdict: unknown): Refusal {
  if (verdict === undefined) return undefined;
  if (typeof verdict === "object" && verdict !== null && "type" in verdict) {
    if (verdict.type === "allow") return undefined;
    if (verdict.type === "block" && "reason" in verdict && typeof verdict.reason === "string" && verdict.reason !== "") {
      return `blocked: ${verdict.reason}`;
    }
  }
  return toolError("beforeToolCall returned neither allow nor a block with a reason");
}
