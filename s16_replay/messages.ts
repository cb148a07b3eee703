/**
 * s01: what a transcript is made of, and how a run can end.
 * s03: a note, which is kept in the transcript and never sent.
 * s04: an answer can hold tool calls, and a tool result answers one of them.
 * s06: the state names the model that the next turn asks.
 * s08: the state says how hard the model should think.
 * s09: a tool result says whether it failed, and can carry more than a text.
 * s10: a run can end because somebody decided so.
 * s12: the state says whether the calls of an answer may run together.
 * s13: an answer and a run can be aborted.
 */

import type { AgentToolResult, ToolCall, ToolExecutionMode, Usage } from "./tools.ts";

export type UserMessage = { role: "user"; content: string };

/** How hard the model should think before it answers. */
export type ThinkingLevel =
  | "off"
  | "low"
  | "medium"
  | "high";

/** Why the provider stopped writing. */
export type StopReason =
  | "stop"
  | "length"
  | "toolUse"
  | "aborted"
  | "error";

/** One answer, as the provider gave it. A failed one keeps the text that arrived, and says in `errorMessage` what failed. */
export type AssistantMessage = {
  role: "assistant";
  content: string;
  toolCalls: ToolCall[];
  stopReason: StopReason;
  errorMessage?: string;
};

/** The answer to one tool call. */
export type ToolResultMessage = {
  role: "toolResult";
  toolCallId: string;
  content: string;
  isError: boolean;
  details?: unknown;
  usage?: Usage;
};

/** For the person at the screen. A provider never sees it. */
export type NoteMessage = { role: "note"; content: string };

/** What a provider understands. */
export type ProviderMessage =
  | UserMessage
  | ToolResultMessage
  | AssistantMessage;

/** What the transcript keeps. */
export type Message =
  | ProviderMessage
  | NoteMessage;

/** Why a run ended. */
export type Outcome =
  | "stop"
  | "turn_limit"
  | "ended"
  | "terminated"
  | "aborted"
  | "error";

/** `errorMessage` says what failed when a hook failed and no answer could carry the text. */
export type RunResult = { outcome: Outcome; errorMessage?: string };

export type AgentState = {
  /** The transcript, oldest message first. */
  messages: Message[];
  /** The model that is asked, by name. */
  model: string;
  thinkingLevel: ThinkingLevel;
  toolExecution: ToolExecutionMode;
  /** How many requests one run may make. A whole number, 0 or more. */
  turnLimit: number;
};

/** A fresh state. What is not given gets its default. */
export function createState(given: Partial<AgentState> = {}): AgentState {
  return {
    messages: [],
    model: "default",
    thinkingLevel: "off",
    toolExecution: "parallel",
    turnLimit: 10,
    ...given,
  };
}

/** @throws RangeError when the limit is negative, fractional or no number. */
export function checkTurnLimit(turnLimit: number): void {
  if (Number.isInteger(turnLimit) && turnLimit >= 0) return;
  throw new RangeError(`turnLimit must be a whole number, 0 or more; it is ${turnLimit}`);
}

/** What a failed answer says of itself. */
export function failure(error: unknown): { stopReason: "error"; errorMessage: string } {
  return { stopReason: "error", errorMessage: messageOf(error) };
}

/** What the model reads of a call that failed. The text says so, because a provider may have no other field for it. */
export function toolError(message: string): AgentToolResult {
  return { content: `error: ${message}`, isError: true };
}

/** The text of whatever was thrown: an Error, a string, nothing at all. Never throws, never empty. */
export function messageOf(error: unknown): string {
  try {
    return (error instanceof Error ? error.message : String(error ?? "")) || "unknown error";
  } catch {
    return "unknown error";
  }
}
