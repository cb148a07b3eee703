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
    try {
      return toEvent(JSON.parse(line));
    } catch {
      throw new Error(`line ${index + 1} of the log is no event: ${line.slice(0, 60)}`);
    }
  });
}

function toEvent(value: unknown): HarnessEvent {
  if (typeof value === "object" && value !== null && "type" in value && "at" in value) return value as HarnessEvent;
  throw new Error("no event");
}

/** What was known of the session when the log ended. Asks no planner, runs no tool. @throws Error when an event is not possible */
export function replay(events: readonly HarnessEvent[]): Progress {
  return events.reduce(apply, newProgress());
}
