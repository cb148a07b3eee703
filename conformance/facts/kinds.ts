/** What a fact about Pi is, and the small words in which it is held against a trace. */

import type { Text } from "../../shared/course.ts";
import { orderOf, type Trace } from "../trace.ts";

/** `holds` is asked of both versions, and says of each what the sentence says of it. */
export type Fact = { scenario: string; says: Text; holds: (trace: Trace, version: string) => boolean };

type Holds = Fact["holds"];

export const fact = (scenario: string, en: string, zh: string, ...holds: Holds[]): Fact => ({
  scenario,
  says: { en, zh },
  holds: (trace, version) => holds.length > 0 && holds.every((each) => each(trace, version)),
});

/** The signs stand in the order, next to each other. */
export const has = (signs: string): Holds => (trace) => ` ${orderOf(trace.log)} `.includes(` ${signs} `);
export const lacks = (signs: string): Holds => (trace, version) => !has(signs)(trace, version);
export const requests = (count: number): Holds => (trace) => trace.requestCount === count;
/** How often the tool was entered, and how often its work was done. */
export const ran = (tool: string, started: number, done = started): Holds => ({ effects }) =>
  effects[tool]?.started === started && effects[tool].effects === done;

const letters: Record<string, string> = { system: "s", user: "u", assistant: "a", toolResult: "r" };
/** The transcript at the end, one letter per message: s system, u user, a assistant, r result, x other. */
export const kept = (roles: string): Holds => ({ keptRoles }) => keptRoles.map((role) => letters[role] ?? "x").join("") === roles;
export const settles = (...outcomes: ("resolved" | "rejected")[]): Holds => ({ calls }) => calls.map(({ outcome }) => outcome).join() === outcomes.join();
export const hangs: Holds = ({ hung }) => hung;
export const result = (call: string, failed: boolean, text: string | RegExp): Holds => (trace) =>
  trace.kept.some((message) => message.toolCallId === call && message.isError === failed && (typeof text === "string" ? message.text === text : text.test(message.text)));
export const unanswered = (...calls: string[]): Holds => ({ unansweredToolCalls }) => unansweredToolCalls.join() === calls.join();
export const open = (...names: string[]): Holds => ({ balance }) => balance.startWithoutEnd.join() === names.join();
export const twice = (...names: string[]): Holds => ({ balance }) => balance.endWithoutStart.join() === names.join();
export const error = (text: string | null): Holds => ({ state }) => state?.errorMessage === text;
export const lastAnswer = (stopReason: string, text: string): Holds => (trace) => {
  const last = trace.kept.findLast((message) => message.role === "assistant");
  return last?.stopReason === stopReason && last.text === text;
};
export const models = (...names: string[]): Holds => (trace) => trace.models.join() === names.map((name) => `faux-${name}`).join();
export const queued = (still: boolean): Holds => ({ state }) => state?.queued === still;
/** The user messages of a request. */
export const sent = (n: number, ...texts: string[]): Holds => (trace) =>
  trace.requests[n - 1]?.messages.filter(({ role }) => role === "user").map(({ text }) => text).join() === texts.join();
export const entry = (fields: Record<string, unknown>): Holds => ({ log }) =>
  log.some((each) => Object.entries(fields).every(([key, value]) => JSON.stringify(each[key]) === JSON.stringify(value)));
export const only = (version: string, ...holds: Holds[]): Holds => (trace, played) =>
  played !== version || holds.every((each) => each(trace, played));
