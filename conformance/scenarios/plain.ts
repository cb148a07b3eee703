/** Runs in which nothing goes wrong, and answers of an odd form. */

import { alpha, ask, beta, c1, c2, call, done, go, oneCall, say, twoCalls, type Scenario } from "./kinds.ts";

const group = "plain flow";

export const plain: readonly Scenario[] = [
  { name: "plain-text", group, what: "one text answer, all hooks watching", answers: [say("hello")], options: true },
  { name: "plain-text-no-hooks", group, what: "one text answer, no hook installed", answers: [say("hello")], hooks: "none" },
  { name: "tool-one", group, what: "one tool call, then text", ...oneCall },
  { name: "tool-one-no-hooks", group, what: "one tool call, then text, no hook installed", ...oneCall, hooks: "none" },
  { name: "tool-slow-hooks", group, what: "every hook takes 5 ms and says when it leaves", ...oneCall, slowHooks: 5 },
  { name: "tools-sequential", group, what: "two calls in one answer, one after the other", ...twoCalls, execution: "sequential" },
  {
    name: "tools-one-marked-sequential",
    group,
    what: "two calls in one answer, the second tool may not run beside others",
    answers: [ask(c1, c2), done],
    tools: [alpha, { ...beta, sequential: true }],
  },
  {
    name: "text-and-tool",
    group,
    what: "text and a call in one answer",
    answers: [ask("let me look", call("c1", "alpha")), done],
    tools: [alpha],
  },
  {
    name: "tool-call-with-stop-reason-stop",
    group,
    what: "the answer says stop but holds a call",
    answers: [{ parts: [call("c1", "alpha")], stop: "stop" }, done],
    tools: [alpha],
  },
  { name: "empty-content", group, what: "an answer without anything in it", answers: [{ parts: [] }] },
  {
    name: "duplicate-call-ids",
    group,
    what: "two calls share one id",
    answers: [ask(call("c1", "alpha"), call("c1", "beta")), done],
    tools: [alpha, beta],
  },
  {
    name: "custom-message",
    group,
    what: "a note for the person at the screen in front of the prompt",
    answers: [say("hello")],
    steps: [{ step: "prompt", text: "go", note: "ui only" }],
  },
  {
    name: "tools-changed-between-prompts",
    group,
    what: "the tools are replaced between two prompts",
    answers: [say("one"), say("two")],
    tools: [alpha, beta],
    initialTools: ["alpha"],
    steps: [
      go,
      { step: "set tools", tools: ["beta"] },
      { step: "prompt", text: "more" },
    ],
  },
  { name: "script-exhausted", group, what: "a tool turn, then the fake model has nothing left", answers: [ask(c1)], tools: [alpha] },
];
