/** What is decided when a turn is over, and what changes a request before it leaves. */

import { ask, c1, done, go, oneCall, say, type Action, type HookAnswer, type Scenario, type Tool } from "./kinds.ts";
import type { HookName } from "../trace.ts";

const broken: readonly Scenario["answers"][number][] = [{ parts: ["part"], stop: "error", error: "overloaded" }];
const queuesBoth: Tool = {
  name: "alpha",
  after: [{ do: "steer", text: "S1" }, { do: "follow up", text: "F1" }],
  result: { text: "r", details: {} },
};
const F1 = { step: "follow up", text: "F1" } as const;
const more = { step: "prompt", text: "more" } as const;
const decides = (action: "end" | "continue", nth?: number) =>
  [{ at: "finishTurn" as const, ...(nth === undefined ? {} : { nth }), answers: { action } }];
const throws = (at: HookName, text: string, nth?: number) =>
  [{ at, ...(nth === undefined ? {} : { nth }), does: [{ do: "throw", text }] as Action[] }];

const finish = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "finishTurn",
  what,
  ...oneCall,
  ...rest,
});

export const finishHook: readonly Scenario[] = [
  finish("finish-end-tool-turn", "end after a tool turn, with steering and a follow-up queued meanwhile", {
    tools: [queuesBoth],
    reactions: decides("end"),
  }),
  finish("finish-end-text-turn", "end after a text turn, with a follow-up queued before", {
    answers: [say("hello")],
    tools: [],
    reactions: decides("end"),
    steps: [F1, go],
  }),
  finish("finish-continue-tool-turn", "continue on a tool turn, whose result asks for a request anyway", {
    reactions: decides("continue", 1),
  }),
  finish("finish-continue-text-turn", "continue on a text turn, after which nothing asks for a request", {
    answers: [say("one"), say("two")],
    tools: [],
    reactions: decides("continue", 1),
  }),
  finish("finish-continue-with-follow-up", "continue while a follow-up waits", {
    answers: [say("one"), say("two")],
    tools: [],
    reactions: decides("continue", 1),
    steps: [F1, go],
  }),
  finish("finish-continue-terminated-batch", "continue on a batch that voted for the end", {
    tools: [{ name: "alpha", result: { text: "r", details: {}, terminate: true } }],
    reactions: decides("continue", 1),
  }),
  finish("finish-on-error-response", "continue on an answer by which the provider says that it failed", {
    answers: broken,
    tools: [],
    reactions: decides("continue"),
  }),
  finish("finish-on-aborted-response", "continue on an answer that says aborted", {
    answers: [{ parts: ["part"], stop: "aborted", error: "cut" }],
    tools: [],
    reactions: decides("continue"),
  }),
  finish("finish-throws", "the hook throws after a tool turn", { reactions: throws("finishTurn", "finish broke") }),
  finish("finish-throws-on-error-response", "the hook throws on an answer that failed", {
    answers: broken,
    tools: [],
    reactions: throws("finishTurn", "finish broke"),
  }),
];

const prepare = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "before the request",
  what,
  answers: [say("hello")],
  ...rest,
});

const prepares = (answers: HookAnswer, nth: number) => [{ at: "prepareRequest" as const, nth, answers }];

export const requestHooks: readonly Scenario[] = [
  prepare("prepare-request-model", "the model is swapped for the second request; then a second prompt", {
    ...oneCall,
    answers: [ask(c1), done, say("again")],
    reactions: prepares({ model: "faux-b" }, 2),
    steps: [go, { step: "note", what: "the model" }, more],
  }),
  prepare("prepare-request-thinking", "the thinking level is raised on the first request only", {
    ...oneCall,
    reactions: prepares({ thinkingLevel: "low" }, 1),
  }),
  prepare("prepare-request-drops-tools", "the context is replaced by one without tools", {
    ...oneCall,
    reactions: prepares({ noTools: true }, 1),
  }),
  prepare("prepare-request-throws", "prepareRequest throws", { reactions: throws("prepareRequest", "prepare broke") }),
  prepare("transform-strips", "transformContext leaves the user message out of what is sent", {
    ...oneCall,
    reactions: [{ at: "transformContext", answers: { without: "user" } }],
  }),
  prepare("transform-mutates", "transformContext takes the user message out of the given list in place, once", {
    ...oneCall,
    reactions: [{ at: "transformContext", nth: 1, does: [{ do: "take out", role: "user" }] }],
  }),
  prepare("transform-strips-first", "transformContext leaves the older of two user messages out of what is sent", {
    answers: [say("one"), say("two")],
    reactions: [{ at: "transformContext", answers: { withoutFirst: true } }],
    steps: [go, more],
  }),
  prepare("transform-mutates-first", "transformContext takes the older of two user messages out of the given list in place, once", {
    ...oneCall,
    answers: [say("one"), ask(c1), done],
    reactions: [{ at: "transformContext", nth: 2, does: [{ do: "take out first" }] }],
    steps: [go, more],
  }),
  prepare("convert-throws", "convertToLlm throws", { reactions: throws("convertToLlm", "convert broke") }),
  prepare("convert-throws-after-tool", "convertToLlm throws on the second request", {
    ...oneCall,
    answers: [ask(c1)],
    reactions: throws("convertToLlm", "convert broke", 2),
  }),
  prepare("api-key-throws", "getApiKey throws", { reactions: throws("getApiKey", "key broke") }),
  prepare("stream-function-throws", "the provider cannot even be asked", {
    answers: [{ parts: [], stream: "cannot be opened", error: "stream function broke" }],
  }),
];

const next = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({ name, group: "the next turn", what, ...oneCall, ...rest });

const queuesSteering: Tool = { name: "alpha", after: [{ do: "steer", text: "S1" }], result: { text: "r", details: {} } };

export const nextTurn: readonly Scenario[] = [
  next("next-turn-plain", "prepareNextTurn watches a tool turn, a steering turn and a follow-up turn", {
    answers: [ask(c1), say("two"), say("three")],
    tools: [queuesBoth],
  }),
  next("next-turn-not-called-on-end", "finishTurn ends the run after a tool turn", { reactions: decides("end") }),
  next("next-turn-appends-before-steering", "prepareNextTurn appends a message while a steering message waits", {
    tools: [queuesSteering],
    reactions: [{ at: "prepareNextTurn", answers: { messages: ["appended"] } }],
  }),
  next("next-turn-steer-inside", "a steering message arrives while prepareNextTurn runs", {
    reactions: [{ at: "prepareNextTurn", does: [{ do: "steer", text: "S1" }] }],
  }),
  next("next-turn-with-context", "the form of prepareNextTurn that is given the finished turn", { hooks: "with context" }),
  next("next-turn-both", "both forms of prepareNextTurn are installed", { hooks: "both" }),
];

