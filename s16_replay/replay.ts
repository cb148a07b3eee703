/** s16: the log of a session, one event a line. It is enough to enter the session again, wherever it was cut. */

import { apply, newProgress, type HarnessEvent, type Progress } from "./progress.ts";

/** The line of an event, with its line break. To be appended to the log before anything else happens. */
export function toLine(event: HarnessEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/**
 * The events of a log. A last line that was not finished is dropped: what it says was never acted upon.
 * @throws Error that names the line, when another one is no event
 */
export function readLog(text: string): HarnessEvent[] {
  const lines = text.split("\n");
  lines.pop();
  return lines.map((line, index) => {
    const value = parsed(line);
    if (isEvent(value)) return value;
    throw new Error(`line ${index + 1} of the log is no event: ${line.slice(0, 60)}`);
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What an event holds beside its time. */
const fields: Record<HarnessEvent["type"], Record<string, "string" | "object">> = {
  "session.start": { goal: "string", limits: "object" },
  "plan.draft": { plan: "object" },
  "plan.commit": {},
  "step.start": { stepId: "string", description: "string" },
  "step.end": { stepId: "string", outcome: "string" },
  "tool.call": { stepId: "string", toolName: "string" },
  "tool.result": { stepId: "string", result: "string" },
  "tool.error": { stepId: "string", error: "string" },
  "budget.warn": { limit: "string", limits: "object" },
  "session.pause": { limit: "string" },
  "session.complete": { reason: "string" },
};

function isEvent(value: unknown): value is HarnessEvent {
  if (!isObject(value) || typeof value.at !== "number" || typeof value.type !== "string") return false;
  if (!Object.hasOwn(fields, value.type)) return false;
  const expected = Object.entries(fields[value.type as HarnessEvent["type"]]);
  if (!expected.every(([name, kind]) => (kind === "object" ? isObject(value[name]) : typeof value[name] === kind))) return false;
  return !isObject(value.plan) || (Array.isArray(value.plan.steps) && typeof value.plan.answer === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** What was known of the session when the log ended. Asks no planner, runs no tool. @throws Error when an event is not possible */
export function replay(events: readonly HarnessEvent[]): Progress {
  return events.reduce(apply, newProgress());
}
