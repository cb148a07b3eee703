/**
 * s06: what a turn may rely on, taken once when the turn begins.
 * s08: what the host has replaced during the run comes first.
 */

import type { AgentState, Message, ThinkingLevel } from "./messages.ts";
import type { ToolExecutionMode, ToolRegistry } from "./tools.ts";

/** The model and the tools, handlers included, of one turn. */
export type TurnSnapshot = {
  readonly model: string;
  readonly thinkingLevel: ThinkingLevel;
  readonly registry: ToolRegistry;
  readonly toolExecution: ToolExecutionMode;
  /** The messages that a request is made from. */
  readonly messages: readonly Message[];
};

/** What stands in for the state's own until the run ends. */
export type Replaced = {
  /** `from`: how long the transcript was when its messages were replaced. What came later is added behind them. */
  context?: { messages: Message[]; tools: ToolRegistry; from: number } | undefined;
  model?: string | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
};

/** Takes the snapshot of a turn. Changes made to the state or the registry afterwards wait for the next turn. */
export function createTurnSnapshot(state: AgentState, registry: ToolRegistry, replaced: Replaced): TurnSnapshot {
  const { context, model, thinkingLevel } = replaced;
  return Object.freeze({
    model: model ?? state.model,
    thinkingLevel: thinkingLevel ?? state.thinkingLevel,
    toolExecution: state.toolExecution,
    registry: (context?.tools ?? registry).copy(),
    messages: messagesOf(state, replaced),
  });
}

/** The messages that the run works with: the transcript, or what stands in for it. */
export function messagesOf(state: AgentState, { context }: Replaced): readonly Message[] {
  return context ? [...context.messages, ...state.messages.slice(context.from)] : state.messages;
}
