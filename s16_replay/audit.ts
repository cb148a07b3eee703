/**
 * s07: a subscriber that records which tool was called when, and how it ended.
 * s09: whether a tool failed is no longer read from its text.
 */

import type { Listener } from "./events.ts";

/** One line of the record. It says what the arguments look like and never what they are: records get copied. */
export type AuditEntry = {
  /** When the call ended, by the clock that was given. */
  at: number;
  toolCallId: string;
  tool: string;
  outcome: "ok" | "error";
  /** Names, types and lengths: `text: string(2)`. */
  args: string;
};

export type AuditOptions = {
  now: () => number;
  /** Keeps an entry. The run waits for it. */
  write: (entry: AuditEntry) => void | Promise<void>;
  /** Hears why an entry could not be kept. The run goes on without it. */
  onLost: (error: unknown) => void;
};

/** A listener to subscribe. It never refuses a call: whoever watches does not decide. */
export function createAudit({ now, write, onLost }: AuditOptions): Listener {
  const summaries = new Map<string, string>();
  return async (event) => {
    try {
      if (event.type === "tool_execution_start") summaries.set(event.toolCallId, summarize(event.args));
      if (event.type !== "tool_execution_end") return;
      const { toolCallId, toolName, isError } = event;
      await write({ at: now(), toolCallId, tool: toolName, outcome: isError ? "error" : "ok", args: summaries.get(toolCallId) ?? "" });
      summaries.delete(toolCallId);
    } catch (error) {
      onLost(error);
    }
  };
}

function summarize(args: unknown): string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return shapeOf(args);
  return Object.entries(args).map(([name, value]) => `${name}: ${shapeOf(value)}`).join(", ");
}

function shapeOf(value: unknown): string {
  if (typeof value === "string") return `string(${value.length})`;
  if (Array.isArray(value)) return `array(${value.length})`;
  return value === null ? "null" : typeof value;
}
