/**
 * s05: how the host is asked before and after a tool runs, and what its answer is worth when it is broken.
 * s08: a hook outside of a tool call is asked by name.
 * s09: a hook may take its time, sees the whole situation in copies, and changes a result field by field.
 * s10: a block and a change of a result can carry a vote.
 * s11: what a broken gate means is the choice of the host.
 * s13: a hook that does not answer is not waited for after an abort.
 * s14: what a source gave away is not dropped.
 */

import { AbortedError, untilAborted } from "./abort.ts";
import type { AfterToolCallContext, BeforeToolCallContext, Crash, ToolHooks } from "./execute.ts";
import { messageOf, toolError } from "./messages.ts";
import type { AgentToolResult } from "./tools.ts";

/** Why a call is not run, as its result; undefined when it may run. */
export type Refusal = AgentToolResult | undefined;

/**
 * Asks `beforeToolCall`. No hook, no answer and `allow` permit the call. A hook that throws, or whose answer is neither
 * of the two verdicts, does not: what cannot be understood is not a yes. The host can choose otherwise with `onHookError`.
 * Never throws.
 */
export async function askBefore(
  hooks: ToolHooks,
  context: BeforeToolCallContext,
  crash: Crash,
  signal: AbortSignal,
): Promise<Refusal> {
  try {
    const refusal = refusalOf(await untilAborted(signal, () => hooks.beforeToolCall?.(context, signal)));
    return signal.aborted ? toolError(NOT_EXECUTED) : refusal;
  } catch (error) {
    if (signal.aborted) return toolError(NOT_EXECUTED);
    return onFault(hooks, `beforeToolCall ${error instanceof NoVerdict ? "returned" : "threw:"} ${messageOf(error)}`, crash);
  }
}

/** The result of a call that an abort came before. */
export const NOT_EXECUTED = "not executed, because the run was aborted";

/** What a broken gate means for the call. */
function onFault({ onHookError = "closed", onHookFault }: ToolHooks, fault: string, crash: Crash): Refusal {
  if (onHookError === "open") {
    report(onHookFault ?? reportOnStderr, `${fault}; the call runs all the same`);
    return undefined;
  }
  if (onHookError === "crash") crash.fault ??= fault;
  report(onHookFault ?? (() => {}), fault);
  return toolError(fault);
}

function report(tell: (fault: string) => void, fault: string): void {
  try {
    tell(fault);
  } catch {
    reportOnStderr(fault);
  }
}

function reportOnStderr(fault: string): void {
  process.stderr.write(`${fault}\n`);
}

class NoVerdict extends Error {}

/**
 * Asks `afterToolCall`, for a tool that has run. A field of its answer replaces that field as a whole; a key that is there
 * but undefined changes nothing. A new `content` alone drops `structuredContent`, which would no longer fit it.
 * A hook that throws or answers nonsense leaves an error, which says that the effect has happened. Never throws.
 */
export async function askAfter(
  hooks: ToolHooks,
  context: AfterToolCallContext,
  result: AgentToolResult,
  signal: AbortSignal,
): Promise<AgentToolResult> {
  try {
    const given: unknown = structuredClone(await untilAborted(signal, () => hooks.afterToolCall?.(context, signal)));
    if (given === undefined) return result;
    if (!isOverride(given)) return toolError("the tool ran, but afterToolCall returned no result fields");
    const override = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const { structuredContent: _stale, ...rest } = result;
    return { ...("content" in override ? rest : result), ...override };
  } catch (error) {
    if (error instanceof AbortedError) return toolError("the tool ran, but the run was aborted before afterToolCall answered");
    return toolError(`the tool ran, but afterToolCall threw: ${messageOf(error)}`);
  }
}

function isOverride(given: unknown): given is Partial<AgentToolResult> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  const { content, isError, terminate } = given as Partial<Record<string, unknown>>;
  const flags = [isError, terminate].every((flag) => flag === undefined || typeof flag === "boolean");
  return flags && (content === undefined || typeof content === "string");
}

/**
 * Asks a hook that stands outside of a tool call.
 * @throws Error that names the hook, when the hook throws; AbortedError when the run is aborted before it answers.
 */
export async function askHook<Answer>(hook: string, ask: () => Answer | Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const answer = await askSource(hook, ask, signal);
  if (signal.aborted) throw new AbortedError();
  return answer;
}

/** The same for a source that gives something away: what it gives counts, also when the run is aborted while it gives it. */
export async function askSource<Answer>(hook: string, ask: () => Answer | Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  try {
    return await untilAborted(signal, ask);
  } catch (error) {
    if (error instanceof AbortedError) throw error;
    throw new Error(`${hook} threw: ${messageOf(error)}`);
  }
}

function refusalOf(verdict: unknown): Refusal {
  if (verdict === undefined) return undefined;
  if (typeof verdict === "object" && verdict !== null && "type" in verdict) {
    if (verdict.type === "allow") return undefined;
    if (verdict.type === "block" && "reason" in verdict && typeof verdict.reason === "string" && verdict.reason !== "") {
      const terminate = "terminate" in verdict && verdict.terminate === true;
      return { content: `blocked: ${verdict.reason}`, isError: true, ...(terminate ? { terminate } : {}) };
    }
  }
  throw new NoVerdict("neither allow nor a block with a reason");
}
