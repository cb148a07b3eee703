/** The hook table of the real Pi: the probes of `npm run seams`, asked of both versions. */

import type { Language, Text } from "../shared/course.ts";
import type { Driver, Hooks, Observed } from "../tools/seams/drivers.ts";
import type { Subject } from "../tools/seams/probes.ts";
import { tableOf, type TitledTable } from "../tools/seams.ts";
import { loadPi, versions, type Pi } from "./pi/load.ts";
import { tracedMessage, tracedResult } from "./pi/trace.ts";
import type { PiContext, PiMessage, PiModel, PiTool } from "./pi/types.ts";

const text = (content: string) => [{ type: "text", text: content }];
const user = (content: string): PiMessage => ({ role: "user", content: text(content), timestamp: 0 });

/** As the drivers of the lessons: two runs on one state, the first of two tool turns and an answer, the second of an answer. */
export function drivePi(pi: Pi): Driver {
  return async (hooksFor) => {
    const seen: Observed = { order: [], requests: [], ran: [], results: [], outcomes: [], first: { requests: 0, runs: 0 }, kept: [] };
    const log = (what: string) => void seen.order.push(what);
    const faux = pi.ai.fauxProvider({ models: ["small", "large"].map((id) => ({ id, reasoning: true })), tokenSize: { min: 100, max: 100 } });
    const agent = new pi.core.Agent({
      ...asHooks(hooksFor(log), faux.getModel("large")),
      initialState: { systemPrompt: "SYS", model: faux.getModel("small"), tools: [echo(seen, log)] },
      streamFn(model: PiModel, context: { messages: PiMessage[] }, options: Record<string, unknown>) {
        log("request");
        seen.requests.push(request(model, context.messages, options));
        faux.setResponses([() => answer(pi, context.messages)]);
        return faux.provider.streamSimple(model, context, options);
      },
    });
    agent.subscribe((event) => {
      log(event.type);
      if (event.type === "tool_execution_end") seen.results.push({ ...tracedResult(event.result ?? {}), isError: event.isError, usage: usageOf(event.result) });
    });
    for (const userInput of ["go", "again"]) {
      await agent.prompt(userInput);
      if (seen.outcomes.length === 0) seen.first = { requests: seen.requests.length, runs: seen.ran.length };
      const last = agent.state.messages.findLast((message) => message.role === "assistant");
      seen.outcomes.push(agent.state.errorMessage === undefined ? (last?.stopReason ?? "") : "error");
    }
    return { ...seen, kept: agent.state.messages.map(unmarked) };
  };
}

function usageOf(result: unknown): unknown {
  return structuredClone((result as { usage?: unknown } | undefined)?.usage);
}

function request({ id }: PiModel, messages: readonly PiMessage[], { reasoning, apiKey }: Record<string, unknown>): Record<string, unknown> {
  return { model: id, reasoning, apiKey, messages: messages.map(unmarked) };
}

/** Without the name of the model in it: which model is asked shows in the request, as in the lessons. */
function unmarked(message: PiMessage): unknown {
  const { model: _model, thinkingLevel: _level, ...rest } = tracedMessage(message);
  return rest;
}

function answer(pi: Pi, messages: readonly PiMessage[]): PiMessage {
  const results = messages.filter(({ role }) => role === "toolResult").length;
  if (results >= 2) return pi.ai.fauxAssistantMessage(text("done"));
  return pi.ai.fauxAssistantMessage([{ type: "toolCall", id: "c1", name: "echo", arguments: { text: "hi" } }], { stopReason: "toolUse" });
}

function echo(seen: Observed, log: (what: string) => void): PiTool {
  return {
    name: "echo",
    label: "echo",
    description: "echo",
    parameters: { type: "object", properties: {} },
    async execute(_id, args) {
      log("tool");
      seen.ran.push(structuredClone(args));
      return { content: text("ran"), details: { from: "echo" }, structuredContent: { n: 1 }, usage: usage(1) };
    },
  };
}

const usage = (tokens: number) => ({ input: tokens, output: tokens, cacheRead: 0, cacheWrite: 0, totalTokens: 2 * tokens, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } });

/** A probe cannot know Pi's models: where it says `large`, the real one is put in. */
function asHooks(hooks: Hooks, large: PiModel): Hooks {
  return Object.fromEntries(
    Object.entries(hooks).map(([name, hook]) => [
      name,
      async (...given: unknown[]) => {
        const update = await hook(...given);
        return isModelName(update) ? { ...update, model: large } : update;
      },
    ]),
  );
}

function isModelName(update: unknown): update is { model: string } {
  return typeof update === "object" && update !== null && "model" in update && update.model === "large";
}

const extra = (messages: unknown) => [...(messages as PiMessage[]), user("one more")];
const isStop = (turn: unknown) => (turn as { message: PiMessage }).message.stopReason === "stop";
const contextIn = (given: unknown) => (given as { context: PiContext }).context;
const updates = { model: () => ({ model: "large" }), thinkingLevel: () => ({ thinkingLevel: "high" }) };
const block = { block: true, reason: "probe" };

const nextTurn = {
  messages: () => ({ messages: [user("one more")] }),
  context: () => ({ context: { messages: [user("short")], tools: [] } }),
  ...updates,
};

/** Every answer that a type of Pi names, and a few that it does not: a refusal of a request, other arguments. */
export const subjects: readonly Subject[] = [
  {
    name: "prepareRequest",
    offers: {
      context: (given) => ({ context: { messages: extra(contextIn(given).messages), tools: contextIn(given).tools } }),
      ...updates,
      block: () => block,
    },
  },
  { name: "transformContext", parameters: ["messages", "signal"], handsOn: true, offers: { messages: extra } },
  { name: "convertToLlm", parameters: ["messages"], handsOn: true, offers: { messages: extra } },
  { name: "getApiKey", parameters: ["provider"], offers: { apiKey: () => "key" } },
  {
    name: "beforeToolCall",
    offers: { block: () => block, args: () => ({ args: { text: "rewritten" } }), terminate: () => ({ ...block, terminate: true }) },
  },
  {
    name: "afterToolCall",
    offers: {
      content: () => ({ content: text("changed") }),
      details: () => ({ details: { from: "probe" } }),
      structuredContent: () => ({ structuredContent: { n: 2 } }),
      isError: () => ({ isError: true }),
      usage: () => ({ usage: usage(9) }),
      terminate: () => ({ terminate: true }),
    },
  },
  { name: "finishTurn", offers: { end: () => ({ action: "end" }), continue: (turn) => (isStop(turn) ? { action: "continue" } : undefined) } },
  { name: "prepareNextTurn", parameters: ["signal"], without: "prepareNextTurnWithContext", offers: nextTurn },
  { name: "prepareNextTurnWithContext", without: "prepareNextTurn", offers: nextTurn },
];

const same: Text = { en: "the same", zh: "两者相同" };

/** One table per version; one for both when they are the same. */
export async function piTables(language: Language): Promise<TitledTable[]> {
  const tables: TitledTable[] = [];
  for (const version of versions) tables.push({ title: `Pi ${version}`, table: await tableOf(drivePi(await loadPi(version)), subjects, language) });
  const [first] = tables;
  if (first && tables.every(({ table }) => table === first.table)) return [{ title: `Pi ${versions.join(", ")} (${same[language]})`, table: first.table }];
  return tables;
}

