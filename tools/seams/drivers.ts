/** Runs one tool turn of a lesson with any hooks, and records what came of it. One driver per lesson whose hooks differ. */

import { ask, call, FakeProvider, say, type FakeEvent } from "../../shared/fake-provider.ts";
import type { WireRequest } from "../../shared/history.ts";
import * as s05 from "../../s05_tool_hook_boundary/loop.ts";
import { createState as createS05State } from "../../s05_tool_hook_boundary/messages.ts";
import { ToolRegistry as S05Registry } from "../../s05_tool_hook_boundary/tools.ts";
import { createEvents as createS08Events } from "../../s08_request_seams/events.ts";
import * as s08 from "../../s08_request_seams/loop.ts";
import { createState as createS08State } from "../../s08_request_seams/messages.ts";
import { ToolRegistry as S08Registry } from "../../s08_request_seams/tools.ts";
import { createEvents as createS10Events } from "../../s10_turn_decisions/events.ts";
import * as s10 from "../../s10_turn_decisions/loop.ts";
import { createState as createS10State } from "../../s10_turn_decisions/messages.ts";
import { ToolRegistry as S10Registry } from "../../s10_turn_decisions/tools.ts";

export type Hook = (...given: unknown[]) => unknown;
export type Hooks = Record<string, Hook>;

/** What came of two runs on one state: the first of two tool turns and an answer, the second of an answer. */
export type Observed = {
  /** Events, requests, tool runs, and what the hooks logged, in the order in which they happened. */
  order: string[];
  /** What each request held; the keys that a lesson does not have are missing. */
  requests: Record<string, unknown>[];
  /** The arguments with which the tool ran, one entry per run of it. */
  ran: unknown[];
  /** The results of the calls, as told at their end. */
  results: unknown[];
  outcomes: string[];
  /** How many requests the first run made, and how often its tool ran. */
  first: { requests: number; runs: number };
  kept: unknown[];
};

/** `log` writes into the order. */
export type Driver = (hooksFor: (log: (what: string) => void) => Hooks) => Promise<Observed>;

const answer = ({ messages }: WireRequest): readonly FakeEvent[] => {
  const results = messages.filter((message) => message.role === "toolResult").length;
  return results < 2 ? ask(call("c1", "echo", { text: "hi" })) : say("done");
};

function stage() {
  const seen: Observed = { order: [], requests: [], ran: [], results: [], outcomes: [], first: { requests: 0, runs: 0 }, kept: [] };
  const fake = new FakeProvider<WireRequest, FakeEvent>({ forever: answer }, { record: false });
  const provider = {
    stream(request: WireRequest) {
      const events = fake.stream(request);
      seen.order.push("request");
      seen.requests.push(structuredClone({ ...request }));
      return events;
    },
  };
  const echo = (args: unknown) => {
    seen.order.push("tool");
    seen.ran.push(structuredClone(args));
    return { content: "ran", details: { from: "echo" }, structuredContent: { n: 1 }, usage: { input: 1, output: 1 } };
  };
  const log = (type: string) => void seen.order.push(type);
  return { seen, provider, echo, log };
}

function finishRun(seen: Observed, outcome: string): void {
  if (seen.outcomes.length === 0) seen.first = { requests: seen.requests.length, runs: seen.ran.length };
  seen.outcomes.push(outcome);
}

const spec = { name: "echo", description: "", parameters: { type: "object" } } as const;

export const driveS05: Driver = async (hooksFor) => {
  const { seen, provider, echo, log } = stage();
  const hooks = hooksFor(log);
  const state = createS05State({ turnLimit: 4 });
  const registry = new S05Registry();
  registry.register(spec, (args) => echo(args).content);
  for (const userInput of ["go", "again"]) {
    const output = { log: (line: string) => log(line.split(":")[0] ?? line) };
    const { outcome } = await s05.runEventedToolLoop(state, provider as never, registry, hooks as never, userInput, output);
    finishRun(seen, outcome);
  }
  return { ...seen, kept: structuredClone(state.messages) };
};

export const driveS08: Driver = async (hooksFor) => {
  const { seen, provider, echo, log } = stage();
  const hooks = hooksFor(log);
  const state = createS08State({ turnLimit: 4, model: "small" });
  const registry = new S08Registry();
  registry.register(spec, (args) => echo(args).content);
  const events = createS08Events();
  events.subscribe((event) => {
    log(event.type);
    if (event.type === "tool_execution_end") seen.results.push({ content: event.result });
  });
  for (const userInput of ["go", "again"]) {
    const { outcome } = await s08.runEventedToolLoop({ state, provider: provider as never, registry, hooks: hooks as never, userInput, events });
    finishRun(seen, outcome);
  }
  return { ...seen, kept: structuredClone(state.messages) };
};

export const driveS10: Driver = async (hooksFor) => {
  const { seen, provider, echo, log } = stage();
  const hooks = hooksFor(log);
  const state = createS10State({ turnLimit: 4, model: "small" });
  const registry = new S10Registry();
  registry.register(spec, echo);
  const events = createS10Events();
  events.subscribe((event) => {
    log(event.type);
    if (event.type === "tool_execution_end") seen.results.push(structuredClone({ ...event.result }));
  });
  for (const userInput of ["go", "again"]) {
    const { outcome } = await s10.runEventedToolLoop({ state, provider: provider as never, registry, hooks: hooks as never, userInput, events });
    finishRun(seen, outcome);
  }
  return { ...seen, kept: structuredClone(state.messages) };
};
