/** What a scenario is made of. Plain data: a driver for Pi and one for the lessons read it and act it out. */

import type { HookName } from "../trace.ts";

/** One call inside an answer. `argumentsError` is what a provider says when the model's arguments were no JSON. */
export type Call = { id: string; tool: string; args?: Record<string, unknown>; argumentsError?: string };

/** One answer of the model. The stop reason is `toolUse` when it holds a call, else `stop`, unless `stop` says otherwise. */
export type Answer = {
  parts: readonly (string | Call)[];
  stop?: "stop" | "length" | "error" | "aborted";
  error?: string;
  /** A stream that is not whole: it has no end, only a result, only its end, or cannot even be opened. */
  /** The text that is there when such a stream starts. */
  begun?: string;
  stream?: "never ends" | "result only" | "end only" | "cannot be opened";
};

/** What a result, or a change of a result, can hold. `text` is its content. */
export type ResultFields = {
  text?: string;
  details?: unknown;
  structuredContent?: unknown;
  isError?: boolean;
  terminate?: boolean;
};

/** Something that is done at one place. `seconds` nowhere: all times are milliseconds. */
export type Action =
  | { do: "wait"; ms: number }
  | { do: "wait for ever" }
  /** Waits until the run is aborted, then fails with `<tool> stopped`. */
  | { do: "wait for abort" }
  | { do: "steer"; text: string }
  | { do: "follow up"; text: string }
  | { do: "abort" }
  | { do: "update"; text: string }
  /** Keeps the way to tell an update, for a step that comes when the tool is long done. */
  | { do: "keep update" }
  | { do: "throw"; text: string; as?: "string" }
  /** A call of another tool, through the door that the loop gives. */
  | { do: "inner call"; call: Call; updates?: "throws" }
  | { do: "note"; note: Record<string, unknown> }
  /** The calls from outside that a running agent refuses. */
  | { do: "intrude" }
  /** Edits what the hook was given, in place. */
  | { do: "edit args"; set: Record<string, unknown> }
  | { do: "reassign args"; to: Record<string, unknown> }
  | { do: "take out"; role: "user" }
  /** Takes out the first user message, when there is a later one. */
  | { do: "take out first" };

/** What a hook answers. Each hook takes its own part of it. */
export type HookAnswer = {
  block?: boolean;
  reason?: string;
  terminate?: boolean;
  result?: ResultFields;
  action?: "end" | "continue";
  model?: string;
  thinkingLevel?: "off" | "low";
  /** The context without its tools. */
  noTools?: true;
  /** User messages to append. */
  messages?: readonly string[];
  /** The messages without those of this role. */
  without?: "user";
  /** The messages without the first user message and what was said before it. */
  withoutFirst?: true;
};

/** What a hook does and answers, at the call, or the time, that is named; else always. */
export type Reaction = {
  at: HookName;
  call?: string;
  /** 1 for the first time. */
  nth?: number;
  does?: readonly Action[];
  answers?: HookAnswer;
};

export type Tool = {
  name: string;
  /** `number`: needs a number `n`. `list`: needs a list `items`. `any`: takes whatever comes. */
  takes?: "any" | "number" | "list";
  /** Renames this field to `n` before the arguments are validated. */
  renames?: string;
  sequential?: true;
  /** Done after the start and before the effect. */
  before?: readonly Action[];
  /** Done after the effect. */
  after?: readonly Action[];
  /** `nothing` and `no content`: what a careless tool returns. `heard`: tells what its inner call returned. */
  result?: ResultFields | "nothing" | "no content" | "heard";
};

export type Listener =
  | { listens: "in order"; name: string; ms: number }
  | { listens: "to the state" }
  | { listens: "and prompts"; at: string }
  /** Throws at this event; `role` narrows it to messages of that role. */
  | { listens: "and throws"; at: string; role?: string; call?: string; text: string; always?: true }
  | { listens: "and aborts"; at: string; nth: number };

/** What is done from outside, one after the other. */
export type Step =
  | { step: "prompt"; text: string; note?: string }
  | { step: "continue" }
  | { step: "reset" }
  | { step: "steer"; text: string }
  | { step: "follow up"; text: string }
  | { step: "set tools"; tools: readonly string[] }
  | { step: "drop last message" }
  | { step: "listeners leave" }
  | { step: "note"; what: "the model" | "the state" }
  | { step: "late update" }
  | { step: "wait"; ms: number }
  /** The functions below the agent. */
  | { step: "run loop" }
  | { step: "read loop" }
  | { step: "continue loop" };

export type Scenario = {
  name: string;
  group: string;
  /** One sentence for the reader. */
  what: string;
  answers: readonly Answer[];
  /** How long a delta is, in characters; 400 when nothing is said. */
  delta?: number;
  /** How fast an answer arrives, in tokens of four characters per second; at once when nothing is said. */
  pace?: number;
  tools?: readonly Tool[];
  /** The tools that are there at first; all when nothing is said. */
  initialTools?: readonly string[];
  /** Which hooks watch. `usual`: the eight that most hosts have. */
  hooks?: "usual" | "none" | "with context" | "both";
  /** How long each hook takes; it then says when it leaves. */
  slowHooks?: number;
  reactions?: readonly Reaction[];
  listeners?: readonly Listener[];
  execution?: "sequential";
  queueMode?: "all";
  /** The messages of a restored transcript. */
  restored?: readonly string[];
  steps?: readonly Step[];
  /** True when the options that the provider got are part of the trace. */
  options?: true;
};

/** How `go` is said; the only step of most scenarios. */
export const go: Step = { step: "prompt", text: "go" };

export const say = (text: string): Answer => ({ parts: [text] });
export const ask = (...parts: (string | Call)[]): Answer => ({ parts });
export const call = (id: string, tool: string, args: Record<string, unknown> = {}): Call => ({ id, tool, args });

/** The call of most scenarios, and what is said after it. */
export const c1 = call("c1", "alpha", { n: 1 });
export const c2 = call("c2", "beta", { n: 2 });
export const done = say("done");

export const alpha: Tool = { name: "alpha" };
export const beta: Tool = { name: "beta" };
export const gamma: Tool = { name: "gamma" };

/** A tool turn with one call, then text: all that a scenario about one call needs. */
export const oneCall = { answers: [ask(c1), done], tools: [alpha] } as const;
export const twoCalls = { answers: [ask(c1, c2), done], tools: [alpha, beta] } as const;
