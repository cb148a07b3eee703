/**
 * s05: the way of one call, before → run → after.
 * s09: prepare → execute → finish. Hooks may take their time, and see what Pi's hooks see.
 * s10: a block can vote for the end of the run.
 * s11: what a broken gate means is chosen, not inherited.
 * s12: a call can be prepared now and executed later.
 * s13: hooks and tools hear of an abort.
 */

import { toolError, type AssistantMessage, type Message } from "./messages.ts";
import { finishToolCall, haltedBy, prepareToolCall, runPreparedCall, type ReadyCall } from "./pipeline.ts";
import type { AgentContext } from "./request.ts";
import type { AgentToolResult, ToolArgs, ToolCall, ToolRegistry } from "./tools.ts";

/** The verdict on a call that has not run yet. The reason goes to the model, as the call's result. */
export type BeforeToolCallResult =
  | { type: "allow" }
  | { type: "block"; reason: string; terminate?: boolean };

/** What the host sees before a call runs. Copies: an edit in place changes nothing, or throws. */
export type BeforeToolCallContext = {
  /** The answer that makes the call. */
  readonly assistantMessage: AssistantMessage;
  /** The call as the model wrote it. */
  readonly toolCall: ToolCall;
  /** The arguments that will run: prepared, validated, frozen. */
  readonly args: ToolArgs;
  readonly context: Readonly<AgentContext>;
};

export type AfterToolCallContext = BeforeToolCallContext & { readonly result: AgentToolResult; readonly isError: boolean };

/** Fields that replace those of the result, each as a whole. */
export type AfterToolCallResult = Partial<AgentToolResult>;

/** What a gate that is broken means: the call does not run, it runs, or the run ends. */
export type OnHookError =
  | "closed"
  | "open"
  | "crash";

/** Where the host can step in. A hook that is not there allows everything and changes nothing. */
export type ToolHooks = {
  /** What happens to a call when `beforeToolCall` throws or answers nonsense. Default `closed`. */
  onHookError?: OnHookError;
  /** Hears of a gate that is broken; what it throws changes nothing. Default: one line on stderr when the call runs all the same. */
  onHookFault?: (fault: string) => void;
  beforeToolCall?: (context: BeforeToolCallContext, signal: AbortSignal) => BeforeToolCallResult | undefined | Promise<BeforeToolCallResult | undefined>;
  /** Asked after a tool has settled, also when it failed; not for a call that was refused before, or not waited for. */
  afterToolCall?: (context: AfterToolCallContext, signal: AbortSignal) => AfterToolCallResult | undefined | Promise<AfterToolCallResult | undefined>;
};

/** Why the run must end, once a broken gate has said so. Nothing more is executed then, by nobody. */
export type Crash = { fault?: string };

/** Where a call comes from. */
export type CallScope = {
  /** The answer that makes the call, itself or through a tool. */
  assistantMessage: AssistantMessage;
  /** The messages that the run works with, as they are now. */
  messages: () => readonly Message[];
  /** Where the progress of the tool is told. */
  onUpdate: (partialResult: AgentToolResult) => Promise<void>;
  crash: Crash;
  signal: AbortSignal;
};

/** Runs a call that was prepared. Never throws. */
export async function executePreparedCall(
  registry: ToolRegistry,
  hooks: ToolHooks,
  prepared: ReadyCall,
  scope: CallScope,
): Promise<AgentToolResult> {
  const halted = haltedBy(scope);
  if (halted) return toolError(halted);
  let inner = 0;
  const { result, deaf } = await runPreparedCall(prepared, scope, ({ name, args }) =>
    executeToolCall(registry, hooks, { id: `${prepared.call.id}/${++inner}`, name, args }, { ...scope, onUpdate: async () => {} }),
  );
  return deaf ? result : finishToolCall(registry, hooks, prepared, result, scope);
}

/**
 * Answers one call. A call that is unknown, does not fit its schema or is refused does not run, and `afterToolCall` is not
 * asked; a call that failed did run, and it is. Never throws: whatever fails, the call has one result.
 */
export async function executeToolCall(
  registry: ToolRegistry,
  hooks: ToolHooks,
  call: ToolCall,
  scope: CallScope,
): Promise<AgentToolResult> {
  const prepared = await prepareToolCall(registry, hooks, call, scope);
  return "immediate" in prepared ? prepared.immediate : executePreparedCall(registry, hooks, prepared, scope);
}
