/** The two sides of the benchmark: the same script, the same tool, the same hooks, and the barest provider that each side takes. */

import type { LoopHooks } from "../../s14_steering/loop.ts";
import type { Provider, ProviderEvent } from "../../s14_steering/provider.ts";
import { lessonsThatPlay, loadLesson } from "../lessons/load.ts";
import { openSession } from "../lessons/session.ts";
import { loadPi, reference, type Pi } from "../pi/load.ts";
import type { PiMessage } from "../pi/types.ts";

/** One answer: so many deltas of text, then so many calls. */
export type Answer = { deltas: number; calls: number };

/** What is played: the answers in order. `hooks`: all eight are installed and only watch. */
export type Script = { answers: readonly Answer[]; hooks: boolean };

/** Plays a script once, on a fresh session. Resolves to what must come out the same on both sides. */
export type Play = (script: Script) => Promise<{ requests: number; runs: number; messages: number }>;

export type Side = { name: string; play: Play };

const piece = "four";

/** `compiled`: where the lessons stand as plain JavaScript, as Pi does; else they run as they are. */
export async function lessonSide(compiled?: string): Promise<Side> {
  const lesson = await loadLesson(lessonsThatPlay().at(-1) ?? "", compiled);
  const hooks: LoopHooks = {
    prepareRequest: () => undefined,
    transformContext: (messages) => messages,
    getApiKey: () => undefined,
    beforeToolCall: () => undefined,
    afterToolCall: () => undefined,
    finishTurn: () => undefined,
    prepareNextTurn: () => undefined,
    convertToLlm: lesson.convert.toProviderMessages,
  };
  const play: Play = async (script) => {
    const counts = { requests: 0, runs: 0 };
    const registry = new lesson.tools.ToolRegistry();
    const state = lesson.messages.createState({ turnLimit: script.answers.length + 1 });
    registry.register({ name: "echo", description: "", parameters: schema }, () => (counts.runs++, "ran"), { effects: [], paths: () => [] });
    let id = 0;
    const provider: Provider = {
      async *stream(): AsyncGenerator<ProviderEvent> {
        const { deltas, calls } = script.answers[counts.requests++] ?? { deltas: 1, calls: 0 };
        yield { type: "message_start" };
        for (let n = 0; n < deltas; n++) yield { type: "text_delta", delta: piece };
        for (let n = 0; n < calls; n++) yield { type: "tool_call", call: { id: `c${++id}`, name: "echo", args: { text: "hi" } } };
        yield { type: "message_end", stopReason: calls > 0 ? "toolUse" : "stop" };
      },
    };
    const events = lesson.events.createEvents();
    events.subscribe(() => {});
    const session = openSession(lesson, { state, registry, provider, events, hooks: script.hooks ? hooks : {}, queueMode: "one-at-a-time" });
    await session.prompt("go");
    return { ...counts, messages: state.messages.length };
  };
  return { name: lesson.id, play };
}

const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

export async function piSide(): Promise<Side> {
  const pi = await loadPi(reference);
  const model = pi.ai.fauxProvider({ models: [{ id: "faux-a" }] }).getModel("faux-a");
  const nothing = async () => undefined;
  const hooks = {
    prepareRequest: nothing,
    transformContext: async (messages: PiMessage[]) => messages,
    convertToLlm: (messages: PiMessage[]) => messages,
    getApiKey: nothing,
    beforeToolCall: nothing,
    afterToolCall: nothing,
    finishTurn: nothing,
    prepareNextTurn: nothing,
  };
  const play: Play = async (script) => {
    const counts = { requests: 0, runs: 0 };
    const ids = { next: 0 };
    const tool = {
      name: "echo",
      label: "echo",
      description: "",
      parameters: schema,
      execute: async () => (counts.runs++, { content: [{ type: "text", text: "ran" }], details: undefined }),
    };
    const agent = new pi.core.Agent({
      ...(script.hooks ? hooks : {}),
      initialState: { systemPrompt: "SYS", model, tools: [tool] },
      streamFn: () => stream(pi, script.answers[counts.requests++] ?? { deltas: 1, calls: 0 }, ids),
    });
    agent.subscribe(() => {});
    await agent.prompt("go");
    return { ...counts, messages: agent.state.messages.length - 1 };
  };
  return { name: `Pi ${pi.version}`, play };
}

type Block = { type: string; text?: string; id?: string; name?: string; arguments?: unknown };

/** A stream as an adapter of pi-ai gives it, with one message that grows. */
function stream(pi: Pi, { deltas, calls }: Answer, ids: { next: number }): unknown {
  const content: Block[] = [];
  const message = pi.ai.fauxAssistantMessage(content, { stopReason: calls > 0 ? "toolUse" : "stop" });
  async function* events() {
    yield { type: "start", partial: message };
    if (deltas > 0) {
      const block: Block = { type: "text", text: "" };
      content.push(block);
      yield { type: "text_start", contentIndex: 0, partial: message };
      for (let n = 0; n < deltas; n++) {
        block.text += piece;
        yield { type: "text_delta", contentIndex: 0, delta: piece, partial: message };
      }
      yield { type: "text_end", contentIndex: 0, content: block.text, partial: message };
    }
    for (let n = 0; n < calls; n++) {
      const call: Block = { type: "toolCall", id: `c${++ids.next}`, name: "echo", arguments: { text: "hi" } };
      content.push(call);
      yield { type: "toolcall_start", contentIndex: content.length - 1, partial: message };
      yield { type: "toolcall_end", contentIndex: content.length - 1, toolCall: call, partial: message };
    }
    yield { type: "done", reason: message.stopReason, message };
  }
  return { [Symbol.asyncIterator]: events, result: async () => message };
}
