/** What the two hooks around one call can do. */

import { alpha, ask, beta, call, done, oneCall, twoCalls, type HookAnswer, type Scenario, type Tool } from "./kinds.ts";

const before = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "beforeToolCall",
  what,
  ...oneCall,
  ...rest,
});

const answer = (answers: HookAnswer, which?: string) =>
  [{ at: "beforeToolCall" as const, ...(which === undefined ? {} : { call: which }), answers }];

export const beforeHook: readonly Scenario[] = [
  before("before-undefined", "the hook returns nothing", {}),
  before("before-block-reason", "a block with a reason", { reactions: answer({ block: true, reason: "not today" }) }),
  before("before-block-empty-reason", "a block with an empty reason", { reactions: answer({ block: true, reason: "" }) }),
  before("before-block-false", "block: false, with a reason and a vote", {
    reactions: answer({ block: false, reason: "ignored", terminate: true }),
  }),
  before("before-block-terminate-mixed", "a block with a vote on one of two calls", {
    ...twoCalls,
    reactions: answer({ block: true, reason: "stop here", terminate: true }, "c1"),
  }),
  before("before-block-first-parallel", "the first of two calls is blocked", {
    ...twoCalls,
    reactions: answer({ block: true, reason: "no" }, "c1"),
  }),
  before("before-mutates-args", "the hook edits args in place: n becomes text, although the schema says number", {
    reactions: [{ at: "beforeToolCall", does: [{ do: "edit args", set: { n: "seven", added: true } }] }],
  }),
  before("before-reassigns-args", "the hook replaces the args of its context", {
    reactions: [{ at: "beforeToolCall", does: [{ do: "reassign args", to: { n: 99 } }] }],
  }),
  before("before-slow-parallel", "the first hook takes 20 ms, two calls", {
    ...twoCalls,
    reactions: [{ at: "beforeToolCall", call: "c1", does: [{ do: "wait", ms: 20 }] }],
  }),
];

const original: Tool = { name: "alpha", result: { text: "original", details: { a: 1 }, structuredContent: { s: 1 } } };

const after = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "afterToolCall",
  what,
  ...oneCall,
  tools: [original],
  ...rest,
});

const change = (answers: HookAnswer) => [{ at: "afterToolCall" as const, answers }];

export const afterHook: readonly Scenario[] = [
  after("after-undefined", "the hook returns nothing", {}),
  after("after-content-only", "the hook replaces the content only", { reactions: change({ result: { text: "replaced" } }) }),
  after("after-details-only", "the hook replaces the details only", { reactions: change({ result: { details: { b: 2 } } }) }),
  after("after-flips-to-error", "the hook turns a good result into an error", { reactions: change({ result: { isError: true } }) }),
  after("after-redacts", "the hook hides the content and says that it is an error", {
    tools: [alpha],
    reactions: change({ result: { text: "[redacted]", isError: true } }),
  }),
  after("after-terminate", "the hook votes for the end, single call", {
    tools: [alpha],
    reactions: change({ result: { terminate: true } }),
  }),
  after("after-cancels-terminate", "the tool votes for the end, the hook takes the vote away", {
    tools: [{ name: "alpha", result: { text: "r", details: {}, terminate: true } }],
    reactions: change({ result: { terminate: false } }),
  }),
  after("after-throws", "the hook throws after the tool did its work", {
    tools: [alpha],
    reactions: [{ at: "afterToolCall", does: [{ do: "throw", text: "after broke" }] }],
  }),
  after("after-not-called", "a blocked, an unknown and an invalid call in one batch with a good one", {
    answers: [ask(call("c1", "alpha"), call("c2", "missing"), call("c3", "strict", { n: "x" }), call("c4", "beta")), done],
    tools: [alpha, beta, { name: "strict", takes: "number" }],
    reactions: answer({ block: true, reason: "no" }, "c1"),
  }),
];

