/**
 * s10: what is decided when a turn is over: whether there is a next one, and what it starts with.
 * s13: hooks hear of an abort, and are not waited for after it.
 * s14: two more may have something to say about the next turn: the one who steers, and the one who waits.
 */

import { askHook, askSource } from "./ask.ts";
import type { AssistantMessage, Message, Outcome, ToolResultMessage } from "./messages.ts";
import { contextOf, type AgentContext, type RequestUpdate } from "./request.ts";
import type { ToolRegistry } from "./tools.ts";

/** A turn that is over: its results stand in the transcript, its end is not told yet. Copies. */
export type AgentTurnContext = {
  readonly message: AssistantMessage;
  readonly toolResults: ToolResultMessage[];
  readonly context: Readonly<AgentContext>;
  /** What this run has added to the transcript so far. */
  readonly newMessages: Message[];
};

export type AgentTurnDecision =
  | { action: "end" }
  | { action: "continue" };

/** What the next turn starts with: messages to append, and what replaces the run's own from then on. */
export type AgentTurnUpdate = RequestUpdate & { messages?: Message[] };

export type TurnHooks = {
  /**
   * Asked once per turn that the provider answered, after the tool results and before turn_end. It cancels nothing that has
   * run. No answer leaves the natural course. After an answer that says `error` or `aborted` it is asked, and its decision
   * is ignored.
   */
  finishTurn?: (turn: AgentTurnContext, signal: AbortSignal) => AgentTurnDecision | undefined | Promise<AgentTurnDecision | undefined>;
  /** Asked just before the next turn_start, never after an end. */
  prepareNextTurn?: (signal: AbortSignal) => AgentTurnUpdate | undefined | Promise<AgentTurnUpdate | undefined>;
  /** The same, with the turn that is over. Where both are given, only this one is asked. */
  prepareNextTurnWithContext?: (turn: AgentTurnContext, signal: AbortSignal) => AgentTurnUpdate | undefined | Promise<AgentTurnUpdate | undefined>;
};

/** Where a run finds what was said while it was going on. Suppliers: they neither refuse nor end anything. */
export type QueueHooks = {
  /** Looked at before the first request, after each turn, and again after `prepareNextTurn` when that look found nothing. */
  getSteeringMessages?: () => Message[] | Promise<Message[]>;
  /** Looked at when the run would stop. */
  getFollowUpMessages?: () => Message[] | Promise<Message[]>;
};

/**
 * What waits in a queue. What it gives is part of the run from here on, also when the run is aborted meanwhile.
 * @throws Error that names the queue, when it throws or gives no messages; AbortedError when it does not answer after an abort
 */
export async function askQueue(hooks: QueueHooks, queue: keyof QueueHooks, signal: AbortSignal): Promise<Message[]> {
  const messages = await askSource(queue, () => hooks[queue]?.() ?? [], signal);
  if (isMessageList(messages)) return messages;
  throw new Error(`${queue} returned no messages`);
}

/** What a run knows of a turn that is over. */
export type FinishedTurn = {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  registry: ToolRegistry;
  /** The messages that the run works with, and those it has added, as they are now. */
  messages: () => readonly Message[];
  newMessages: () => readonly Message[];
};

/** What a hook sees of it. */
function turnContext({ message, toolResults, registry, messages, newMessages }: FinishedTurn): AgentTurnContext {
  return {
    ...structuredClone({ message, toolResults }),
    get newMessages() {
      return structuredClone([...newMessages()]);
    },
    context: contextOf(messages, registry),
  };
}

/**
 * Why the run ends after this turn, or undefined when it goes on. `natural` is what would happen without the hook.
 * @throws Error that names the hook, when it throws or decides nonsense.
 */
export async function decideTurn(
  hooks: TurnHooks,
  turn: FinishedTurn,
  natural: Outcome | undefined,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const decision = await askHook("finishTurn", () => hooks.finishTurn?.(turnContext(turn), signal), signal);
  if (decision !== undefined && decision?.action !== "end" && decision?.action !== "continue") {
    throw new Error("finishTurn returned neither end nor continue");
  }
  if (decision === undefined || natural === "error" || natural === "aborted") return natural;
  return decision.action === "end" ? "ended" : undefined;
}

/**
 * Asks what the next turn starts with.
 * @throws Error that names the hook, when it throws or its messages are no messages.
 */
export async function askNextTurn(hooks: TurnHooks, turn: FinishedTurn, signal: AbortSignal): Promise<AgentTurnUpdate | undefined> {
  const { prepareNextTurn, prepareNextTurnWithContext } = hooks;
  const update = prepareNextTurnWithContext
    ? await askHook("prepareNextTurnWithContext", () => prepareNextTurnWithContext(turnContext(turn), signal), signal)
    : await askHook("prepareNextTurn", () => prepareNextTurn?.(signal), signal);
  if (update?.messages === undefined || isMessageList(update.messages)) return update;
  throw new Error(`${nextTurnHook(hooks)} returned messages that are none`);
}

/** The name of the form that is asked. */
export function nextTurnHook(hooks: TurnHooks): "prepareNextTurn" | "prepareNextTurnWithContext" {
  return hooks.prepareNextTurnWithContext ? "prepareNextTurnWithContext" : "prepareNextTurn";
}

/** Only a user and a note can be added from outside. An answer or a result that nobody gave would spoil the history for good. */
function isMessageList(messages: unknown): boolean {
  return Array.isArray(messages) && messages.every((message) => ["user", "note"].includes(message?.role) && typeof message.content === "string");
}
