/** What a tool can do, and what a call can look like. */

import { ask, call, done, oneCall, twoCalls, type Scenario, type Tool } from "./kinds.ts";

const outcome = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "tool outcomes",
  what,
  ...oneCall,
  ...rest,
});

const strict: Tool = { name: "strict", takes: "number" };
const one = (tool: string, args: Record<string, unknown>) => [ask(call("c1", tool, args)), done];
const r = { text: "r", details: {} };
const breaks = (as?: "string"): Tool => ({
  name: "alpha",
  before: [{ do: "throw", text: as ? "plain string" : "tool broke", ...(as ? { as } : {}) }],
});

export const toolOutcomes: readonly Scenario[] = [
  outcome("tool-throws", "the tool throws an Error", { tools: [breaks()] }),
  outcome("tool-throws-string", "the tool throws a string", { tools: [breaks("string")] }),
  outcome("tool-returns-undefined", "the tool returns nothing", { tools: [{ name: "alpha", result: "nothing" }] }),
  outcome("tool-returns-no-content", "the tool returns a result without content", { tools: [{ name: "alpha", result: "no content" }] }),
  outcome("tool-unknown", "the call names no tool", { answers: one("missing", {}) }),
  outcome("tool-invalid-args", "a required argument is missing", { answers: one("strict", { other: 1 }), tools: [strict] }),
  outcome("tool-coerced-args", "a number is sent as the text 42", { answers: one("strict", { n: "42" }), tools: [strict] }),
  outcome("tool-array-coercion", "one value is sent where the schema wants a list", {
    answers: one("listy", { items: "solo" }),
    tools: [{ name: "listy", takes: "list" }],
  }),
  outcome("tool-prepare-arguments", "the tool renames a field before the arguments are validated", {
    answers: one("strict", { old: 5 }),
    tools: [{ ...strict, renames: "old" }],
  }),
  outcome("tool-arguments-error", "the provider says that the model's arguments were no JSON", {
    answers: [ask({ id: "c1", tool: "alpha", args: {}, argumentsError: "not JSON" }), done],
  }),
  outcome("tool-never-settles", "the tool never settles and does not listen to the abort signal", {
    tools: [{ name: "alpha", before: [{ do: "wait for ever" }] }],
  }),
  outcome("tool-terminate-mixed", "one of two results votes for the end", {
    ...twoCalls,
    tools: [{ name: "alpha", result: { ...r, terminate: true } }, { name: "beta" }],
  }),
  outcome("tool-terminate-with-steering", "the result votes for the end while a steering message waits", {
    tools: [{ name: "alpha", after: [{ do: "steer", text: "S1" }], result: { ...r, terminate: true } }],
  }),
  outcome("tool-update", "the tool tells twice how far it is", {
    tools: [{ name: "alpha", before: [{ do: "update", text: "25%" }, { do: "update", text: "75%" }], result: r }],
  }),
  outcome("tool-update-after-settle", "the tool tells how far it is when it is long done", {
    tools: [{ name: "alpha", before: [{ do: "keep update" }], result: r }],
    steps: [{ step: "prompt", text: "go" }, { step: "late update" }],
  }),
];

const nested = (name: string, what: string, inner: Partial<Tool>, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  group: "a tool that calls a tool",
  what,
  answers: [ask(call("c1", "outer")), done],
  tools: [
    { name: "outer", before: [{ do: "inner call", call: call("i1", "inner", { n: 1 }) }], result: "heard" },
    { name: "inner", takes: "number", ...inner },
  ],
  ...rest,
});

const outer = (before: Tool["before"]): Tool[] => [
  { name: "outer", before: before ?? [], result: "heard" },
  { name: "inner", takes: "number" },
];

export const nestedCalls: readonly Scenario[] = [
  nested("nested-permitted", "the inner call is allowed", {}),
  nested("nested-blocked", "the gate blocks the inner call", {}, {
    reactions: [{ at: "beforeToolCall", call: "i1", answers: { block: true, reason: "inner forbidden" } }],
  }),
  nested("nested-invalid", "the inner call has bad arguments", {}, {
    tools: outer([{ do: "inner call", call: call("i1", "inner", { n: "x" }) }]),
  }),
  nested("nested-unknown", "the inner call names no tool", {}, {
    tools: outer([{ do: "inner call", call: call("i1", "missing", { n: 1 }) }]),
  }),
  nested("nested-throws", "the inner tool throws", { before: [{ do: "throw", text: "inner broke" }] }),
  nested("nested-aborted-unknown", "the run is aborted, then the inner call names no tool", {}, {
    tools: outer([{ do: "abort" }, { do: "inner call", call: call("i1", "missing", { n: 1 }) }]),
  }),
  nested("nested-on-update-throws", "what hears the updates of the inner tool throws", {}, {
    tools: [
      { name: "outer", before: [{ do: "inner call", call: call("i1", "inner", { n: 1 }), updates: "throws" }], result: "heard" },
      { name: "inner", takes: "number", before: [{ do: "update", text: "50%" }] },
    ],
  }),
];

