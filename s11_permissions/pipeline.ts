/**
 * s09: the three steps of a call. Prepare says what will run, execute runs it, finish lets the host change the result.
 * Still missing: a call cannot be called off (s13).
 */

import { askAfter, askBefore, askHook } from "./ask.ts";
import type { BeforeToolCallContext, CallScope, ToolHooks } from "./execute.ts";
import { messageOf, toolError, type AssistantMessage } from "./messages.ts";
import { contextOf } from "./request.ts";
import {
  freeze,
  settle,
  type AgentToolResult,
  type ToolArgs,
  type ToolCall,
  type ToolContext,
  type ToolHandler,
  type ToolRegistry,
} from "./tools.ts";
import { problemWith, shapeOf } from "./validate.ts";

/** A call that may run: its arguments were validated, judged, and cannot change any more. */
type ReadyCall = { call: ToolCall; handler: ToolHandler; args: ToolArgs };

/** Either a call that may run, or the result that it has without running. */
type PreparedCall = ReadyCall | { immediate: AgentToolResult };

/**
 * Finds the tool, prepares and validates the arguments, and asks the gate, in this order. The gate and the handler get the
 * same frozen arguments, so what was judged is what runs. Never throws: a call that may not run has its result at once.
 */
export async function prepareToolCall(
  registry: ToolRegistry,
  hooks: ToolHooks,
  call: ToolCall,
  scope: CallScope,
): Promise<PreparedCall> {
  const halted = haltedBy(scope);
  if (halted) return { immediate: toolError(halted) };
  try {
    const { spec, handler, prepareArguments } = registry.find(call.name);
    let args = isNothing(call.args) ? {} : structuredClone(call.args);
    if (prepareArguments) args = await askHook(`prepareArguments of "${call.name}"`, () => prepareArguments(args));
    const problem = problemWith(spec.parameters, args);
    if (problem) return { immediate: toolError(`tool "${call.name}": ${problem}; expected ${shapeOf(spec.parameters)}`) };

    const judged = frozenCopy(args as ToolArgs);
    const refusal = hooks.beforeToolCall && (await askBefore(hooks, contextFor(registry, call, judged, scope), scope.crash));
    return refusal ? { immediate: refusal } : { call, handler, args: judged };
  } catch (error) {
    return { immediate: toolError(messageOf(error)) };
  }
}

/** Why nothing more is executed, or undefined. */
function haltedBy({ crash }: CallScope): string | undefined {
  return crash.fault === undefined ? undefined : "not executed, because the run must end";
}

/** Runs the handler. Every update is told before the result is there, none after, and no inner call begins after it. Never throws. */
export async function runPreparedCall(
  { call, handler, args }: ReadyCall,
  scope: CallScope,
  runToolCall: ToolContext["runToolCall"],
): Promise<AgentToolResult> {
  let settled = false;
  let told = Promise.resolve();
  const onUpdate: ToolContext["onUpdate"] = (partialResult) => {
    if (settled) return told;
    const copy = structuredClone(partialResult);
    told = told.then(() => scope.onUpdate(copy));
    return told;
  };
  const door: ToolContext["runToolCall"] = async (inner) =>
    settled ? toolError("not executed, because the tool that asks has ended") : runToolCall(inner);
  const result = await settle(call, () => handler(args, { toolCallId: call.id, onUpdate, runToolCall: door }));
  settled = true;
  await told;
  return result;
}

/** Lets the host change the result of a call that ran. Never throws. */
export async function finishToolCall(
  registry: ToolRegistry,
  hooks: ToolHooks,
  { call, args }: ReadyCall,
  result: AgentToolResult,
  scope: CallScope,
): Promise<AgentToolResult> {
  if (!hooks.afterToolCall) return result;
  const isError = result.isError ?? false;
  const context = Object.assign(contextFor(registry, call, args, scope), { result: structuredClone(result), isError });
  return askAfter(hooks, context, result);
}

/** What a hook sees of a call: copies, and the arguments that will run. */
function contextFor(registry: ToolRegistry, call: ToolCall, args: ToolArgs, scope: CallScope): BeforeToolCallContext {
  const { assistantMessage, messages } = scope;
  return { assistantMessage: frozenMessage(assistantMessage), toolCall: frozenCopy(call), args, context: contextOf(messages, registry) };
}

/** A model that has no arguments to give may write nothing at all. Any other text is no object, and stays what it is. */
function isNothing(args: unknown): boolean {
  return args === undefined || args === "";
}

/** One copy for all the calls of an answer, however many they are. */
const frozenMessages = new WeakMap<AssistantMessage, AssistantMessage>();

function frozenMessage(message: AssistantMessage): AssistantMessage {
  const frozen = frozenMessages.get(message) ?? frozenCopy(message);
  frozenMessages.set(message, frozen);
  return frozen;
}

function frozenCopy<Value>(value: Value): Value {
  return freeze(structuredClone(value));
}
