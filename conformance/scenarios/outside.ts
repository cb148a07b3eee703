/** Subscribers, queues, and the ways into a session. */

import { alpha, ask, beta, c1, c2, done, go, oneCall, say, twoCalls, type Listener, type Scenario, type Tool } from "./kinds.ts";

const more = { step: "prompt", text: "more" } as const;
const r = { text: "r", details: {} };

const listening = (name: string, what: string, listener: Listener | readonly Listener[], rest: Partial<Scenario> = {}): Scenario => ({
  name,
  group: "subscribers",
  what,
  answers: [say("hello")],
  listeners: [listener].flat(),
  ...rest,
});

const throwsAt = (at: string, text: string, narrowed: { role?: string; call?: string } = {}): Listener => ({
  listens: "and throws",
  at,
  text,
  ...narrowed,
});
const slowAndFast = { ...twoCalls, tools: [{ name: "alpha", before: [{ do: "wait", ms: 40 }] } satisfies Tool, beta] };
const toolEnd = throwsAt("tool_execution_end", "listener broke on tool end");

export const subscribers: readonly Scenario[] = [
  listening("listener-order", "three subscribers, the first is slow", [
    { listens: "in order", name: "L1", ms: 2 },
    { listens: "in order", name: "L2", ms: 0 },
    { listens: "in order", name: "L3", ms: 0 },
  ]),
  listening("listener-sees-reduced-state", "what a subscriber finds in the state at each event", { listens: "to the state" }, oneCall),
  listening("listener-throws-agent-start", "a subscriber throws on agent_start", throwsAt("agent_start", "listener broke on agent_start")),
  listening(
    "listener-throws-user-message",
    "a subscriber throws on the end of the user message",
    throwsAt("message_end", "listener broke on user end", { role: "user" }),
  ),
  listening(
    "listener-throws-assistant-end",
    "a subscriber throws on the end of an answer with a call",
    throwsAt("message_end", "listener broke on assistant end", { role: "assistant" }),
    oneCall,
  ),
  listening(
    "listener-throws-tool-start",
    "a subscriber throws on the start of a tool",
    throwsAt("tool_execution_start", "listener broke on tool start"),
    oneCall,
  ),
  listening("listener-throws-tool-end", "a subscriber throws on the end of the fast one of two tools", toolEnd, {
    ...slowAndFast,
    steps: [go, { step: "wait", ms: 80 }],
  }),
  listening(
    "listener-throws-tool-end-then-prompt",
    "a subscriber throws on the end of the fast one of two tools; a second prompt starts while the slow one still runs",
    toolEnd,
    { ...slowAndFast, pace: 50, answers: [ask(c1, c2), say("second answer"), say("second answer")], steps: [go, more] },
  ),
  listening("listener-throws-agent-end", "a subscriber throws on agent_end", throwsAt("agent_end", "listener broke on agent_end")),
  listening(
    "listener-throws-always",
    "a subscriber throws on every event; then it leaves, and a second prompt runs",
    { listens: "and throws", at: "*", text: "listener broke on", always: true },
    {
      answers: [say("second answer"), say("second answer")],
      steps: [go, { step: "listeners leave" }, { step: "note", what: "the state" }, more],
    },
  ),
];

const queue = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({ name, group: "queues", what, ...oneCall, ...rest });
const steers = (...texts: string[]): Tool => ({ name: "alpha", before: texts.map((text) => ({ do: "steer", text })), result: r });
const followUps = (...texts: string[]) => texts.map((text) => ({ step: "follow up", text }) as const);

export const queues: readonly Scenario[] = [
  queue("steer-during-tool", "a steering message while a tool runs", { tools: [steers("S1")] }),
  queue("steer-during-first-of-two", "a steering message from the first of two tools, one after the other", {
    ...twoCalls,
    tools: [steers("S1"), beta],
    execution: "sequential",
  }),
  queue("steer-all", "three steering messages, all at once", {
    answers: [ask(c1), say("a")],
    tools: [steers("S1", "S2", "S3")],
    queueMode: "all",
  }),
  queue("steer-before-prompt", "a steering message before the prompt", {
    answers: [say("hello")],
    tools: [],
    steps: [{ step: "steer", text: "S1" }, go],
  }),
  queue("steer-in-prepare-request", "a steering message from inside prepareRequest", {
    answers: [say("one"), say("two")],
    tools: [],
    reactions: [{ at: "prepareRequest", nth: 1, does: [{ do: "steer", text: "S1" }] }],
  }),
  queue("follow-up", "a follow-up before the prompt", { answers: [say("one"), say("two")], tools: [], steps: [...followUps("F1"), go] }),
  queue("follow-up-all", "three follow-ups, all at once", {
    answers: [say("one"), say("two")],
    tools: [],
    queueMode: "all",
    steps: [...followUps("F1", "F2", "F3"), go],
  }),
  queue("steer-and-follow-up", "both are queued while a tool runs", {
    answers: [ask(c1), say("two"), say("three")],
    tools: [{ name: "alpha", before: [{ do: "follow up", text: "F1" }, { do: "steer", text: "S1" }], result: r }],
  }),
];

const entry = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "ways in",
  what,
  answers: [say("one")],
  ...rest,
});

export const waysIn: readonly Scenario[] = [
  entry("prompt-while-running", "a second prompt, continue and reset while a tool runs", {
    ...oneCall,
    tools: [{ name: "alpha", before: [{ do: "intrude" }] }],
  }),
  entry("prompt-inside-agent-end", "a subscriber prompts on agent_end", { listeners: [{ listens: "and prompts", at: "agent_end" }] }),
  entry("continue-empty", "continue with an empty transcript", { steps: [{ step: "continue" }] }),
  entry("continue-assistant-tail", "continue after a finished run", { steps: [go, { step: "continue" }] }),
  entry("continue-assistant-tail-follow-up", "continue after a finished run, with a follow-up queued", {
    answers: [say("one"), say("two")],
    steps: [go, ...followUps("F1"), { step: "continue" }],
  }),
  entry("continue-user-tail", "continue from a restored transcript that ends with a user message", {
    restored: ["restored"],
    steps: [{ step: "continue" }],
  }),
  entry("continue-after-error-popped", "the provider fails, the failed answer is taken out of the transcript, then continue", {
    answers: [{ parts: ["part"], stop: "error", error: "overloaded" }, say("recovered")],
    steps: [go, { step: "drop last message" }, { step: "continue" }],
  }),
  entry("reset-after-run", "reset after a run with a tool turn", { ...oneCall, steps: [go, ...followUps("F1"), { step: "reset" }] }),
];

const low = (name: string, what: string, rest: Partial<Scenario>): Scenario => ({
  name,
  group: "below the agent",
  what,
  answers: [say("hello")],
  ...rest,
});
const convertThrows = [{ at: "convertToLlm" as const, does: [{ do: "throw", text: "convert broke" }] as const }];

export const belowTheAgent: readonly Scenario[] = [
  low("low-run", "runAgentLoop with an event sink", { answers: [ask(c1), done], tools: [alpha], steps: [{ step: "run loop" }] }),
  low("low-run-convert-throws", "runAgentLoop, convertToLlm throws", { reactions: convertThrows, steps: [{ step: "run loop" }] }),
  low("low-stream-convert-throws", "agentLoop read with for await, convertToLlm throws", {
    reactions: convertThrows,
    steps: [{ step: "read loop" }],
  }),
  low("low-continue-assistant-tail", "agentLoopContinue on a transcript that ends with an answer", {
    steps: [{ step: "continue loop" }],
  }),
];
