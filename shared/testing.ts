/** For tests only: a fake provider whose refusals and left-over answers fail the test that made it. */

import { onTestFinished } from "vitest";
import { FakeProvider, type FakeOptions, type Script } from "./fake-provider.ts";
import type { WireRequest } from "./history.ts";

/** Must be called inside a test. The test fails at its end when a request was refused or a scripted answer was not asked for. */
export function scripted<Request extends WireRequest, Event extends { type: string }>(
  script: Script<Request, Event>,
  options: FakeOptions = {},
): FakeProvider<Request, Event> {
  const provider = new FakeProvider<Request, Event>(script, options);
  onTestFinished(() => {
    if (provider.refusals.length > 0) throw new Error(provider.refusals.join("\n"));
    if (provider.left > 0) throw new Error(`${provider.left} scripted answers are left over`);
  });
  return provider;
}

/**
 * What is wrong with the starts and ends of a run, or undefined: every start has exactly one end, the last one opened
 * is the first one closed, and nothing happens outside of the run. Tool executions may overlap each other.
 */
export function nestingFault(events: readonly { type: string; toolCallId?: string }[]): string | undefined {
  const open: string[] = [];
  const nameOf = (event: { type: string; toolCallId?: string }) => event.type.replace(/_(start|end|update)$/, "") + (event.toolCallId === undefined ? "" : ` ${event.toolCallId}`);
  for (const [index, event] of events.entries()) {
    const name = nameOf(event);
    if (index > 0 && open.length === 0) return `${event.type} after the end of the run`;
    if (event.type.endsWith("_start")) {
      if (open.includes(name)) return `${name} started twice`;
      open.push(name);
    } else if (event.type.endsWith("_update")) {
      if (!open.includes(name)) return `${event.type} outside of its start and end`;
    } else {
      const at = open.lastIndexOf(name);
      if (at < 0) return `${name} ended without a start`;
      const inside = open.splice(at).slice(1);
      if (inside.some((each) => !name.startsWith("tool_execution ") || !each.startsWith("tool_execution "))) return `${name} ended before ${inside.join(", ")}`;
      open.push(...inside);
    }
  }
  return open.length === 0 ? undefined : `never ended: ${open.join(", ")}`;
}
