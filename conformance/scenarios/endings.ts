/** How an answer can end, and how a run is aborted. */

import { alpha, ask, beta, c1, call, done, gamma, go, say, twoCalls, type Action, type Scenario, type Tool } from "./kinds.ts";

const more = { step: "prompt", text: "more" } as const;
const bare = (...tools: string[]) => ask(...tools.map((tool, index) => call(`c${index + 1}`, tool)));

const ending = (name: string, what: string, rest: Partial<Scenario> & Pick<Scenario, "answers">): Scenario => ({
  name,
  group: "how an answer ends",
  what,
  ...rest,
});

export const endings: readonly Scenario[] = [
  ending("length-with-tools", "an answer cut by length with two calls in it", {
    answers: [{ ...bare("alpha", "beta"), stop: "length" }, done],
    tools: [alpha, beta],
  }),
  ending("length-text", "a text answer cut by length", { answers: [{ parts: ["cut"], stop: "length" }, done] }),
  ending("provider-error-empty", "the provider fails before anything has arrived", {
    answers: [{ parts: [], stop: "error", error: "refused", stream: "end only" }],
  }),
  ending("provider-error-with-tools", "the provider fails in an answer that holds a call; then a second prompt", {
    answers: [{ ...bare("alpha"), stop: "error", error: "overloaded" }, say("hello")],
    tools: [alpha],
    steps: [go, more],
  }),
  ending("provider-aborted", "the answer says aborted, although nobody aborted", {
    answers: [{ parts: ["part"], stop: "aborted", error: "cut" }],
  }),
  ending("stream-ends-without-done", "the stream starts, then ends with neither an end nor a result", {
    answers: [{ parts: ["par"], begun: "par", stream: "never ends" }],
  }),
  ending("stream-ends-with-result", "the stream starts, then ends with a result but without an end event", {
    answers: [{ parts: ["whole"], begun: "par", stream: "result only" }],
  }),
  ending("stream-done-only", "the stream gives its end without a start", { answers: [{ parts: ["whole"], stream: "end only" }] }),
];

const obeys: Tool = { name: "alpha", before: [{ do: "wait for abort" }] };
const aborts: Action = { do: "abort" };
const abort = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "abort",
  what,
  answers: [say("hello")],
  ...rest,
});
const atTheEnd = { listens: "and aborts", at: "message_end", nth: 2 } as const;
const three = { answers: [bare("alpha", "beta", "gamma"), done], tools: [alpha, beta, gamma] };

export const aborting: readonly Scenario[] = [
  abort("abort-before-tool", "abort when the answer with two calls ends", { ...twoCalls, listeners: [atTheEnd] }),
  abort("abort-before-tool-no-hooks", "abort when the answer with two calls ends, no hook installed", {
    ...twoCalls,
    listeners: [atTheEnd],
    hooks: "none",
  }),
  abort("abort-in-before", "beforeToolCall of the first of two calls aborts", {
    ...twoCalls,
    reactions: [{ at: "beforeToolCall", call: "c1", does: [aborts] }],
  }),
  abort("abort-in-second-before", "beforeToolCall of the second of three calls aborts", {
    ...three,
    reactions: [{ at: "beforeToolCall", call: "c2", does: [aborts] }],
  }),
  abort("abort-during-sequential-then-prompt", "abort during the first of three calls, one after the other; then a second prompt", {
    answers: [bare("alpha", "beta", "gamma"), say("hello"), say("hello")],
    tools: [{ name: "alpha", before: [aborts, { do: "wait for abort" }] }, beta, gamma],
    execution: "sequential",
    steps: [go, more],
  }),
  abort("abort-during-parallel", "abort while two tools run; one obeys, one does not listen", {
    ...twoCalls,
    tools: [obeys, { name: "beta", before: [aborts, { do: "wait", ms: 20 }] }],
  }),
  abort("abort-during-tool-with-queue", "abort during a tool while steering and a follow-up wait", {
    answers: [ask(c1), done],
    tools: [
      {
        name: "alpha",
        before: [{ do: "steer", text: "S1" }, { do: "follow up", text: "F1" }, aborts, { do: "wait for abort" }],
      },
    ],
  }),
  abort("abort-during-stream", "abort after the second piece of text", {
    answers: [say("aaaabbbbccccdddd")],
    delta: 4,
    pace: 100,
    listeners: [{ listens: "and aborts", at: "text_delta", nth: 2 }],
  }),
  abort("abort-in-prepare-request", "abort inside prepareRequest", { reactions: [{ at: "prepareRequest", does: [aborts] }] }),
  abort("abort-then-hook-throws", "prepareRequest aborts and then throws", {
    reactions: [{ at: "prepareRequest", does: [aborts, { do: "throw", text: "prepare broke" }] }],
  }),
];
