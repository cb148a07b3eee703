/** Where the lessons chose differently from Pi, and which rule of the course wants it. Whatever else differs is a fault. */

import type { Aspect } from "./view.ts";

/** A rule of the course, and where a reader finds it: a section of a lesson's README, and a row of tools/docs/failures.json. */
export type Reason = { rule: string; lesson: string; section: "In Pi" | "When it fails" | "How it works"; row?: string };

export const reasons = {
  "asks again": {
    rule: "A text that was cut is not the end: the user says `continue`, and the provider is asked again.",
    lesson: "s01",
    section: "In Pi",
  },
  "an end is an end": {
    rule: "A stream without its end event is an error, and never waited for.",
    lesson: "s02",
    section: "When it fails",
    row: "stream-breaks",
  },
  "unique ids": {
    rule: "A repeated call id is made unique before anyone hears of the call.",
    lesson: "s04",
    section: "When it fails",
    row: "repeated-id",
  },
  "no doubtful yes": {
    rule: "A gate whose answer is neither nothing nor one of its two verdicts is closed.",
    lesson: "s05",
    section: "When it fails",
    row: "before-nonsense",
  },
  "tools are a field": {
    rule: "A request lists its tools in a field; there are no system messages that add and take away.",
    lesson: "s08",
    section: "In Pi",
  },
  "subscribers only watch": {
    rule: "A subscriber that throws is reported, and the run goes on.",
    lesson: "s07",
    section: "When it fails",
    row: "listener-throws",
  },
  "every call is answered": {
    rule: "A call of an answer that failed is not executed, and still gets its result.",
    lesson: "s07",
    section: "When it fails",
    row: "break-with-calls",
  },
  "every run has its end": {
    rule: "Every start has its end: a run that fails before its request ends as any other, with all that it added.",
    lesson: "s08",
    section: "When it fails",
    row: "request-hook-throws",
  },
  "the history is checked": {
    rule: "A history that a provider would refuse does not leave.",
    lesson: "s08",
    section: "When it fails",
    row: "trim-parts-call",
  },
  "hooks get copies": {
    rule: "A hook gets copies: what it edits in place changes nothing, only what it answers does.",
    lesson: "s08",
    section: "When it fails",
    row: "request-hook-edits",
  },
  "judged is what runs": {
    rule: "The arguments that the gate judges are frozen: an edit in place throws, and the gate is closed.",
    lesson: "s09",
    section: "When it fails",
    row: "gate-edits",
  },
  "nothing is coerced": {
    rule: "Arguments that do not fit the schema are an error for the model; none is turned into what it was not.",
    lesson: "s09",
    section: "When it fails",
    row: "args-invalid",
  },
  "a result has a text": {
    rule: "A handler that returns no text has failed.",
    lesson: "s09",
    section: "When it fails",
    row: "handler-nonsense",
  },
  "the context is as it is now": {
    rule: "A gate sees the messages as they are now, the results of earlier calls of the same answer included.",
    lesson: "s09",
    section: "In Pi",
  },
  "nothing is made up after an answer": {
    rule: "When finishTurn throws, the run says so in its result; no answer is made up behind the real one.",
    lesson: "s10",
    section: "When it fails",
    row: "finish-throws",
  },
  "only an answer is judged": {
    rule: "finishTurn is asked when the provider has answered. An answer that the abort cut off is none.",
    lesson: "s10",
    section: "When it fails",
    row: "finish-without-answer",
  },
  "an abort ends the run": {
    rule: "After an abort there is no new effect, no hook before a request and no request; no message is made up.",
    lesson: "s13",
    section: "When it fails",
    row: "abort-before-tools",
  },
  "nobody waits for the deaf": {
    rule: "A tool or hook that does not listen does not hold an aborted run; its call is answered, and what it does later adds nothing.",
    lesson: "s13",
    section: "When it fails",
    row: "abort-deaf-tool",
  },
  "a new state is a new object": {
    rule: "There is no reset: a session for a fresh transcript is a new one.",
    lesson: "s14",
    section: "In Pi",
  },
} as const satisfies Record<string, Reason>;

/** `in`: the aspects that differ, no more and no fewer, in the order of view.ts. `against`, `from` and `before` narrow it. */
export type Difference = {
  scenario: string;
  why: readonly (keyof typeof reasons)[];
  in: readonly Aspect[];
  /** Only against this version of Pi. */
  against?: string;
  /** Only for lessons from this one on, or before this one. */
  from?: string;
  before?: string;
};

const all = ["order", "requests", "effects", "kept"] as const;
const failedRequest = (scenario: string): Difference => ({ scenario, why: ["every run has its end"], in: ["told"] });
const listener = (scenario: string, aspects: readonly Aspect[]): Difference => ({ scenario, why: ["subscribers only watch"], in: aspects });

const aborted = (scenario: string): Difference => ({ scenario, why: ["an abort ends the run"], in: ["order", "requests", "kept"] });

export const differences: readonly Difference[] = [
  { scenario: "tools-sequential", why: ["the context is as it is now"], in: ["told"] },
  { scenario: "tools-one-marked-sequential", why: ["the context is as it is now"], in: ["told"] },
  { scenario: "duplicate-call-ids", why: ["unique ids"], in: ["order", "requests", "kept"] },
  { scenario: "tools-changed-between-prompts", why: ["tools are a field"], in: ["order", "requests", "kept"] },
  { scenario: "before-block-false", why: ["no doubtful yes"], in: all },
  { scenario: "before-mutates-args", why: ["judged is what runs"], in: all },
  { scenario: "tool-returns-no-content", why: ["a result has a text"], in: ["order", "requests", "kept"] },
  { scenario: "tool-coerced-args", why: ["nothing is coerced"], in: all },
  { scenario: "tool-array-coercion", why: ["nothing is coerced"], in: all, against: "1.6.0" },
  { scenario: "tool-arguments-error", why: ["nothing is coerced"], in: ["told"], against: "1.6.0" },
  { scenario: "tool-arguments-error", why: ["nothing is coerced"], in: all, against: "1.0.3" },
  { scenario: "finish-throws", why: ["nothing is made up after an answer"], in: ["order", "kept"] },
  { scenario: "finish-throws-on-error-response", why: ["nothing is made up after an answer"], in: ["order", "kept"] },
  { scenario: "finish-continue-text-turn", why: ["asks again"], in: ["order", "requests", "kept"] },
  { scenario: "prepare-request-drops-tools", why: ["tools are a field"], in: ["order", "requests", "kept"] },
  failedRequest("prepare-request-throws"),
  { scenario: "transform-strips", why: ["the history is checked"], in: [...all, "ends"] },
  { scenario: "transform-mutates", why: ["the history is checked"], in: [...all, "ends"] },
  { scenario: "transform-mutates-first", why: ["hooks get copies"], in: ["requests", "told"] },
  failedRequest("convert-throws"),
  failedRequest("convert-throws-after-tool"),
  failedRequest("api-key-throws"),
  failedRequest("stream-function-throws"),
  { scenario: "length-text", why: ["asks again"], in: ["order", "requests", "kept"] },
  { scenario: "provider-error-with-tools", why: ["every call is answered"], in: ["order", "requests", "kept"] },
  { scenario: "tool-never-settles", why: ["nobody waits for the deaf"], in: ["order", "kept"] },
  aborted("abort-before-tool"),
  aborted("abort-before-tool-no-hooks"),
  aborted("abort-in-before"),
  aborted("abort-in-second-before"),
  aborted("abort-during-sequential-then-prompt"),
  { scenario: "abort-during-parallel", why: ["an abort ends the run", "nobody waits for the deaf"], in: all },
  { scenario: "abort-during-stream", why: ["only an answer is judged"], in: ["order"] },
  { scenario: "abort-in-prepare-request", why: ["an abort ends the run"], in: ["order", "requests"] },
  { scenario: "abort-then-hook-throws", why: ["an abort ends the run", "every run has its end"], in: ["kept", "told"] },
  aborted("abort-during-tool-with-queue"),
  { scenario: "steer-during-first-of-two", why: ["the context is as it is now"], in: ["told"] },
  { scenario: "prompt-while-running", why: ["a new state is a new object"], in: ["order"] },
  { scenario: "nested-aborted-unknown", why: ["an abort ends the run", "nobody waits for the deaf"], in: all },
  { scenario: "stream-ends-without-done", why: ["an end is an end"], in: ["order", "kept", "ends"] },
  listener("listener-throws-agent-start", ["order", "requests", "kept", "ends"]),
  listener("listener-throws-user-message", ["order", "requests", "kept", "ends"]),
  listener("listener-throws-assistant-end", [...all, "ends"]),
  listener("listener-throws-tool-start", [...all, "ends"]),
  listener("listener-throws-tool-end", ["order", "requests", "kept", "ends"]),
  listener("listener-throws-tool-end-then-prompt", ["order", "requests", "kept"]),
  listener("listener-throws-agent-end", ["order", "kept", "ends"]),
  listener("listener-throws-always", ["order", "requests", "kept"]),
  { scenario: "low-run", why: ["tools are a field"], in: ["order", "requests"] },
  { scenario: "low-run-convert-throws", why: ["every run has its end"], in: ["order", "kept", "ends"] },
];
