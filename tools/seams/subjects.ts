/** The nine hooks, what is declared about each, and the answers that a probe tries. In the order of the three groups. */

import { ToolRegistry } from "../../s10_turn_decisions/tools.ts";
import type { Text } from "../../shared/course.ts";
import type { Subject } from "./probes.ts";

/** What has happened when the hook is asked. It says nothing about what the hook may do. */
export type Group = "unsent" | "unstarted" | "effect";

export type Declared = {
  group: Group;
  kind: "interceptor" | "transformer" | "supplier";
  /** Whether its answer has a way to say no, and to what. Held by a type test. */
  refuses: Text;
};

const no: Text = { en: "no field", zh: "没有这样的字段" };

export const declared: Record<string, Declared> = {
  prepareRequest: { group: "unsent", kind: "transformer", refuses: no },
  transformContext: { group: "unsent", kind: "transformer", refuses: no },
  convertToLlm: { group: "unsent", kind: "transformer", refuses: no },
  getApiKey: { group: "unsent", kind: "supplier", refuses: no },
  beforeToolCall: { group: "unstarted", kind: "interceptor", refuses: { en: "yes: this call", zh: "能：拒绝这次调用" } },
  afterToolCall: { group: "effect", kind: "interceptor", refuses: no },
  finishTurn: { group: "effect", kind: "interceptor", refuses: { en: "the next turn, not this one", zh: "能拒绝下一个回合，管不了这一个" } },
  prepareNextTurn: { group: "effect", kind: "transformer", refuses: no },
  prepareNextTurnWithContext: { group: "effect", kind: "transformer", refuses: no },
};

type Given = { context: { messages: unknown[]; tools: unknown } };

const user = (content: string) => ({ role: "user", content });
const extra = (messages: unknown) => [...(messages as unknown[]), user("one more")];
const isStop = (turn: unknown) => (turn as { message: { stopReason: string } }).message.stopReason === "stop";

const freshContext = () => ({ context: { messages: [user("short")], tools: new ToolRegistry() } });

const updates = {
  model: () => ({ model: "large" }),
  thinkingLevel: () => ({ thinkingLevel: "high" }),
};

const before = {
  block: () => ({ type: "block", reason: "probe" }),
  args: () => ({ type: "allow", args: { text: "rewritten" } }),
};

const requestSubjects: Subject[] = [
  {
    name: "prepareRequest",
    offers: {
      context: (given) => {
        const { context } = given as Given;
        return { context: { messages: extra(context.messages), tools: context.tools } };
      },
      ...updates,
    },
  },
  { name: "transformContext", parameters: ["messages"], handsOn: true, offers: { messages: extra } },
  { name: "convertToLlm", parameters: ["messages"], handsOn: true, offers: { messages: extra } },
  { name: "getApiKey", parameters: ["model"], offers: { apiKey: () => "key" } },
];

/** As they are from s05 to s08. */
const earlyToolSubjects: Subject[] = [
  { name: "beforeToolCall", parameters: ["call"], offers: before },
  { name: "afterToolCall", parameters: ["call", "result"], offers: { content: () => "changed" } },
];

/** The hooks that a lesson has. */
export const subjects: Record<"s05" | "s08" | "s10", Subject[]> = {
  s05: earlyToolSubjects,
  s08: [
    ...requestSubjects,
    ...earlyToolSubjects,
  ],
  s10: [
    ...requestSubjects,
    { name: "beforeToolCall", offers: { ...before, terminate: () => ({ type: "block", reason: "probe", terminate: true }) } },
    {
      name: "afterToolCall",
      offers: {
        content: () => ({ content: "changed" }),
        details: () => ({ details: { from: "probe" } }),
        structuredContent: () => ({ structuredContent: { n: 2 } }),
        isError: () => ({ isError: true }),
        usage: () => ({ usage: { input: 9, output: 9 } }),
        terminate: () => ({ terminate: true }),
      },
    },
    { name: "finishTurn", offers: { end: () => ({ action: "end" }), continue: (turn) => (isStop(turn) ? { action: "continue" } : undefined) } },
    ...[
      { name: "prepareNextTurn", without: "prepareNextTurnWithContext" },
      { name: "prepareNextTurnWithContext", without: "prepareNextTurn" },
    ].map((subject) => ({ ...subject, offers: { messages: () => ({ messages: [user("one more")] }), context: freshContext, ...updates } })),
  ],
};
