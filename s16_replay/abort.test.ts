import { describe, expect, test, vi } from "vitest";
import { manualClock, passTime } from "../shared/clock.ts";
import { ask, call, delta, messageStart, say, type Step, type Turn } from "../shared/fake-provider.ts";
import { seeded, type Random } from "../shared/random.ts";
import { nestingFault, scripted } from "../shared/testing.ts";
import { abortable, AbortedError, untilAborted } from "./abort.ts";
import { createEvents, type AgentEvent } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState, type RunResult } from "./messages.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry, type ToolHandler } from "./tools.ts";

const never = () => new Promise<never>(() => {});
const parameters = { type: "object" } as const;
const harmless = { effects: [], paths: () => [] };

describe("untilAborted", () => {
  test("gives what the work gives, and what it throws, as long as nobody aborts", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(signal, () => 7)).toBe(7);
    expect(await untilAborted(signal, async () => 7)).toBe(7);
    await expect(untilAborted(signal, () => { throw new Error("no"); })).rejects.toThrow("no");
    await expect(untilAborted(signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });

  test("an abort ends the waiting, before and while the work goes on", async () => {
    const controller = new AbortController();
    const waiting = untilAborted(controller.signal, never);
    controller.abort();
    await expect(waiting).rejects.toThrow(AbortedError);
    await expect(untilAborted(controller.signal, never)).rejects.toThrow(AbortedError);
  });

  test("work that obeys the signal still says how it ended", async () => {
    const controller = new AbortController();
    const obeying = new Promise<string>((resolve) => controller.signal.addEventListener("abort", () => resolve("stopped"), { once: true }));
    const waiting = untilAborted(controller.signal, () => obeying);
    controller.abort();
    expect(await waiting).toBe("stopped");
  });

  test("F2-03 what comes later is dropped, an error too", async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const waiting = untilAborted(controller.signal, () => new Promise<never>((_resolve, reject) => (fail = reject)));
    controller.abort();
    await expect(waiting).rejects.toThrow(AbortedError);
    fail(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
  });

  test.each([
    ["an object", {}],
    ["a function", () => {}],
  ])("waits for what can be waited for, also when it is no promise: %s", async (_what, holder) => {
    const controller = new AbortController();
    const later = Object.assign(holder, { then: (resolve: (value: string) => void) => void setImmediate(() => resolve("done")) });
    expect(await untilAborted(controller.signal, () => later as unknown as Promise<string>)).toBe("done");
    const deaf = Object.assign(() => {}, { then: () => {} });
    const waiting = untilAborted(controller.signal, () => deaf as unknown as Promise<string>);
    controller.abort();
    await expect(waiting).rejects.toThrow(AbortedError);
  });

  test("adds one listener to a signal, however many wait", async () => {
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, "addEventListener");
    for (let count = 0; count < 5; count++) await untilAborted(controller.signal, async () => count);
    const all = Array.from({ length: 30 }, () => untilAborted(controller.signal, never).catch((error) => error));
    expect(add).toHaveBeenCalledTimes(1);
    controller.abort();
    expect(new Set((await Promise.all(all)).map((error) => error.name))).toEqual(new Set(["AbortedError"]));
  });

  test("a batch of thirty calls makes Node warn about nothing", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    const provider = scripted<ProviderRequest, ProviderEvent>([ask(...Array.from({ length: 30 }, (_, at) => call(`c${at}`, "save"))), say("done")]);
    const { requests } = await run({ provider, handler: async () => "saved" });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(warnings).toEqual([]);
    expect(requests).toBe(2);
  });
});

test("abortable: a stream that hangs is left, and asked to close without being waited for", async () => {
  const controller = new AbortController();
  let closed = false;
  const stream: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: never, return: () => ((closed = true), never()) }) };
  const reading = abortable(controller.signal, stream).next();
  controller.abort();
  await expect(reading).rejects.toThrow(AbortedError);
  expect(closed).toBe(true);
});

/** A run with two calls of one tool, and everything that can be observed of it. */
async function run(given: { hooks?: LoopHooks; handler?: ToolHandler; provider?: Provider; abortOn?: (event: AgentEvent) => boolean; controller?: AbortController }) {
  const controller = given.controller ?? new AbortController();
  const counted = { effects: 0, requests: 0 };
  const registry = new ToolRegistry();
  registry.register({ name: "save", description: "", parameters }, given.handler ?? (() => `saved ${++counted.effects}`), harmless);
  const fake = scripted<ProviderRequest, ProviderEvent>({ forever: ask(call("c1", "save"), call("c2", "save")) });
  const provider: Provider = {
    stream(request, signal) {
      counted.requests++;
      return (given.provider ?? fake).stream(request, signal);
    },
  };
  const told: AgentEvent[] = [];
  const events = createEvents();
  events.subscribe((event) => {
    told.push(event);
    if (given.abortOn?.(event)) controller.abort();
  });
  const state = createState({ turnLimit: 3 });
  const options = { state, provider, registry, hooks: given.hooks ?? {}, userInput: "go", events, signal: controller.signal };
  const result = await runEventedToolLoop(options);
  const results = state.messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : []));
  return { result, results, told, state, controller, ...counted, again: () => runEventedToolLoop({ ...options, userInput: "again", signal: new AbortController().signal }) };
}

const NOT = "error: not executed, because the run was aborted";

describe("at every place", () => {
  test("before the run: the prompt is kept, nothing is asked", async () => {
    const controller = new AbortController();
    controller.abort();
    const { result, state, told, requests } = await run({ controller });
    expect(result).toEqual({ outcome: "aborted" });
    expect(requests).toBe(0);
    expect(state.messages).toEqual([{ role: "user", content: "go" }]);
    expect(told.map((event) => event.type)).toEqual(["agent_start", "message_start", "message_end", "agent_end"]);
  });

  const controllers = () => new AbortController();
  test.each<[string, (abort: () => void) => LoopHooks]>([
    ["prepareRequest", (abort) => ({ prepareRequest: () => abort() as undefined })],
    ["prepareRequest that never answers", (abort) => ({ prepareRequest: () => (abort(), never()) })],
    ["transformContext", (abort) => ({ transformContext: (messages) => (abort(), messages) })],
    ["convertToLlm", (abort) => ({ convertToLlm: (messages) => (abort(), messages.filter((message) => message.role !== "note")) })],
    ["getApiKey", (abort) => ({ getApiKey: () => (abort(), "key") })],
  ])("in %s: no request, and the turn has an aborted answer", async (_what, hooksFor) => {
    const controller = controllers();
    const { result, state, told, requests } = await run({ controller, hooks: hooksFor(() => controller.abort()) });
    expect(result).toEqual({ outcome: "aborted" });
    expect(requests).toBe(0);
    expect(state.messages.at(-1)).toMatchObject({ role: "assistant", content: "", stopReason: "aborted" });
    expect(nestingFault(told)).toBeUndefined();
  });

  test.each<[string, Step<ProviderEvent>[]]>([["goes on", [messageStart, delta("par"), delta("tial"), call("c9", "save"), { type: "message_end", stopReason: "stop" }]]])(
    "in a stream that %s: the text so far is kept, and the stream is closed",
    async (_what, steps) => {
      const provider = scripted<ProviderRequest, ProviderEvent>([steps]);
      const { result, state } = await run({ provider, abortOn: (event) => event.type === "message_update" });
      expect(result.outcome).toBe("aborted");
      expect(state.messages.at(-1)).toMatchObject({ content: "par", stopReason: "aborted" });
      await new Promise((resolve) => setImmediate(resolve));
      expect(provider.openStreams).toBe(0);
    },
  );

  test("F2-03 in a stream that hangs", async () => {
    async function* hangs(): AsyncGenerator<ProviderEvent> {
      yield messageStart;
      yield delta("par");
      await never();
    }
    const { result, state } = await run({ provider: { stream: hangs }, abortOn: (event) => event.type === "message_update" });
    expect(result.outcome).toBe("aborted");
    expect(state.messages.at(-1)).toMatchObject({ content: "par", stopReason: "aborted" });
  });

  test("in a stream that hears nothing of the signal: its further events are not read", async () => {
    async function* deaf(): AsyncGenerator<ProviderEvent> {
      for (let count = 0; count < 1_000; count++) yield count === 0 ? messageStart : delta(`${count} `);
    }
    const { state } = await run({ provider: { stream: deaf }, abortOn: (event) => event.type === "message_update" });
    expect(state.messages.at(-1)).toMatchObject({ content: "1 ", stopReason: "aborted" });
  });

  test("when the last answer is whole: it is kept as it is, and the run was aborted", async () => {
    const provider = scripted<ProviderRequest, ProviderEvent>([say("done")]);
    const { result, state } = await run({ provider, abortOn: (event) => event.type === "message_end" && event.message.role === "assistant" });
    expect(result).toEqual({ outcome: "aborted" });
    expect(state.messages.at(-1)).toMatchObject({ content: "done", stopReason: "stop" });
  });

  test("at the end of the last turn", async () => {
    const { result } = await run({ provider: scripted<ProviderRequest, ProviderEvent>([say("done")]), abortOn: (event) => event.type === "turn_end" });
    expect(result).toEqual({ outcome: "aborted" });
  });

  test.each(["prepareNextTurn", "prepareNextTurnWithContext", "finishTurn"])("in a %s that obeys and rejects: aborted is no error", async (name) => {
    const controller = new AbortController();
    const obeys = () => new Promise<never>((_resolve, reject) => {
      controller.signal.addEventListener("abort", () => reject(new Error("This operation was aborted")));
      controller.abort();
    });
    expect((await run({ controller, hooks: { [name]: obeys } })).result).toEqual({ outcome: "aborted" });
  });

  test("in a stream after a call: the call is not executed, and has its result", async () => {
    const { results, effects } = await run({ abortOn: (event) => event.type === "message_update" });
    expect(effects).toBe(0);
    expect(results).toEqual([NOT]);
  });

  test("F2-01 when the answer is whole: both calls are announced, answered and not executed", async () => {
    const { results, effects, told, again } = await run({ abortOn: (event) => event.type === "message_end" && event.message.role === "assistant" });
    expect(effects).toBe(0);
    expect(results).toEqual([NOT, NOT]);
    expect(told.filter((event) => event.type === "tool_execution_start")).toHaveLength(2);
    expect((await again()).outcome).toBe("turn_limit");
  });

  test.each<[string, (abort: () => void) => NonNullable<LoopHooks["beforeToolCall"]>]>([
    ["answers", (abort) => () => abort() as undefined],
    ["never answers", (abort) => () => (abort(), never())],
    ["throws", (abort) => () => { abort(); throw new Error("no"); }],
  ])("F2-03 in a beforeToolCall that %s: nothing runs, and the hook is not asked again", async (_what, hookFor) => {
    const controller = controllers();
    let asked = 0;
    const hook = hookFor(() => controller.abort());
    const { results, effects, requests } = await run({ controller, hooks: { beforeToolCall: (...given) => (asked++, hook(...given)) } });
    expect({ asked, effects, requests }).toEqual({ asked: 1, effects: 0, requests: 1 });
    expect(results).toEqual([NOT, NOT]);
  });

  test("F2-01 in the first of two sequential tools: it ends as it ended, the other is not run", async () => {
    const controller = controllers();
    let effects = 0;
    const registry = new ToolRegistry();
    registry.register({ name: "save", description: "", parameters }, () => (controller.abort(), `saved ${++effects}`), { ...harmless, executionMode: "sequential" });
    const state = createState();
    const provider = scripted<ProviderRequest, ProviderEvent>([ask(call("c1", "save"), call("c2", "save")), say("done")]);
    const options = { state, provider, registry, hooks: {}, events: createEvents() };
    expect((await runEventedToolLoop({ ...options, userInput: "go", signal: controller.signal })).outcome).toBe("aborted");
    expect(effects).toBe(1);
    expect((await runEventedToolLoop({ ...options, userInput: "again" })).outcome).toBe("stop");
    expect(provider.requests[1]?.messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : []))).toEqual(["saved 1", NOT]);
  });

  test("F2-03 a tool that never ends does not hold the run; afterToolCall is not asked for it", async () => {
    const controller = controllers();
    let afters = 0;
    const { result, results } = await run({ controller, handler: () => (controller.abort(), never()), hooks: { afterToolCall: () => void afters++ } });
    expect(result.outcome).toBe("aborted");
    expect(afters).toBe(0);
    expect(results).toEqual(["error: aborted while it ran; the tool did not end, and its work may go on behind", NOT]);
  });

  test("a tool that obeys says how it ended, and afterToolCall is asked for it", async () => {
    const controller = controllers();
    const obeying: ToolHandler = (_args, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve("stopped half way"), { once: true });
        controller.abort();
      });
    const { results } = await run({ controller, handler: obeying, hooks: { afterToolCall: ({ result }) => ({ content: `(${result.content})` }) } });
    expect(results[0]).toBe("(stopped half way)");
  });

  test.each<[string, (abort: () => void) => NonNullable<LoopHooks["afterToolCall"]>, string]>([
    ["answers", (abort) => () => (abort(), { content: "changed" }), "changed"],
    ["never answers", (abort) => () => (abort(), never()), "error: the tool ran, but the run was aborted before afterToolCall answered"],
  ])("in an afterToolCall that %s: the call has one result that is true", async (_what, hookFor, first) => {
    const controller = controllers();
    const { results, requests } = await run({ controller, hooks: { afterToolCall: hookFor(() => controller.abort()) } });
    expect(results[0]).toBe(first);
    expect(results).toHaveLength(2);
    expect(requests).toBe(1);
  });

  test.each<[string, (abort: () => void) => LoopHooks]>([
    ["finishTurn that says continue", (abort) => ({ finishTurn: () => (abort(), { action: "continue" }) })],
    ["finishTurn that never answers", (abort) => ({ finishTurn: () => (abort(), never()) })],
    ["prepareNextTurn", (abort) => ({ prepareNextTurn: () => abort() as undefined })],
    ["prepareNextTurn that never answers", (abort) => ({ prepareNextTurn: () => (abort(), never()) })],
  ])("in %s: no further request, and no message is made up", async (_what, hooksFor) => {
    const controller = controllers();
    const { result, state, told, requests } = await run({ controller, hooks: hooksFor(() => controller.abort()) });
    expect(result).toEqual({ outcome: "aborted" });
    expect(requests).toBe(1);
    expect(state.messages.map((message) => message.role)).toEqual(["user", "assistant", "toolResult", "toolResult"]);
    expect(nestingFault(told)).toBeUndefined();
  });

  test("F2-03 a listener that never ends, also at the end of the run", async () => {
    for (const type of ["turn_start", "tool_execution_start", "agent_end"]) {
      const controller = controllers();
      const events = createEvents();
      events.subscribe((event) => (event.type === type ? (controller.abort(), never()) : undefined));
      const registry = new ToolRegistry();
      registry.register({ name: "save", description: "", parameters }, () => "saved", harmless);
      const state = createState();
      const provider = scripted<ProviderRequest, ProviderEvent>({ forever: (request) => (request.messages.length > 2 ? say("done") : ask(call("c1", "save"))) });
      const { outcome } = await runEventedToolLoop({ state, provider, registry, hooks: {}, userInput: "go", events, signal: controller.signal });
      expect(outcome).toBe(type === "agent_end" ? "stop" : "aborted");
    }
  });

  test("in a nested call: what the tool calls afterwards is not run", async () => {
    const controller = controllers();
    let inner = 0;
    const registry = new ToolRegistry();
    registry.register({ name: "inner", description: "", parameters }, () => `ran ${++inner}`, harmless);
    registry.register({ name: "outer", description: "", parameters }, async (_args, { runToolCall }) => {
      const first = await runToolCall({ name: "inner", args: {} });
      controller.abort();
      const second = await runToolCall({ name: "inner", args: {} });
      const unknown = await runToolCall({ name: "nothing", args: {} });
      return [first, second, unknown].map((result) => result.content).join(" | ");
    }, harmless);
    const state = createState();
    const provider = scripted<ProviderRequest, ProviderEvent>([ask(call("c1", "outer"))]);
    await runEventedToolLoop({ state, provider, registry, hooks: {}, userInput: "go", events: createEvents(), signal: controller.signal });
    expect(inner).toBe(1);
    expect(state.messages.at(-1)).toMatchObject({ content: `ran 1 | ${NOT} | ${NOT}` });
  });
});

test("F2-03 the late end of a deaf tool adds no message, no event and no unhandled rejection, and the next prompt is accepted", async () => {
  for (const ending of ["value", "rejection"]) {
    const clock = manualClock();
    const controller = new AbortController();
    const registry = new ToolRegistry();
    registry.register({ name: "deaf", description: "", parameters }, async (_args, { onUpdate }) => {
      await clock.wait(100);
      await onUpdate({ content: "late update" });
      if (ending === "rejection") throw new Error("late");
      return "late";
    }, harmless);
    const told: string[] = [];
    const events = createEvents();
    events.subscribe((event) => void told.push(event.type));
    const state = createState();
    const provider = scripted<ProviderRequest, ProviderEvent>([ask(call("c1", "deaf")), say("done")]);
    const options = { state, provider, registry, hooks: {}, events };
    const running = runEventedToolLoop({ ...options, userInput: "go", signal: controller.signal });
    await clock.advance(10);
    controller.abort();
    await running;
    const before = { told: told.length, kept: structuredClone(state.messages) };
    await clock.advance(200);
    expect({ told: told.length, kept: state.messages }).toEqual(before);
    expect((await runEventedToolLoop({ ...options, userInput: "again" })).outcome).toBe("stop");
  }
});

/** Everything that can happen in a random run is a numbered step; the run is aborted at one of them. */
async function randomRun(seed: number, abortAt: number): Promise<{ steps: number; result: RunResult; faults: string[] }> {
  const random: Random = seeded(seed);
  const clock = manualClock();
  const controller = new AbortController();
  const faults: string[] = [];
  let steps = 0;
  const step = (what: string, isEffect = false) => {
    if (isEffect && controller.signal.aborted) faults.push(`${what} after the abort`);
    if (steps++ === abortAt) controller.abort();
  };
  const maybeHang = <Value>(value: Value): Value | Promise<Value> => (random.once(12) && controller.signal.aborted ? never() : random.once(2) ? value : clock.wait(random.below(5)).then(() => value));

  const turn = (): Turn<ProviderRequest, ProviderEvent> => {
    const parts = Array.from({ length: random.below(4) }, () => (random.once(2) ? "text" : call(random.pick(["c1", "c2", "c3"]), random.pick(["save", "slow", "unknown"]))));
    return parts.length === 0 || random.once(3) ? say("done") : ask(...parts);
  };
  const fake = scripted<ProviderRequest, ProviderEvent>({ forever: (request) => {
    const made = turn();
    return typeof made === "function" ? made(request) : made;
  } });
  const provider: Provider = {
    stream(request, signal) {
      step("request", true);
      return fake.stream(request, signal);
    },
  };
  const registry = new ToolRegistry();
  registry.register({ name: "save", description: "", parameters }, () => (step("save", true), "saved"), harmless);
  registry.register({ name: "slow", description: "", parameters }, async () => {
    step("slow", true);
    await maybeHang(undefined);
    return "slow";
  }, random.once(2) ? harmless : { ...harmless, executionMode: "sequential" });
  const told: AgentEvent[] = [];
  const events = createEvents(() => {});
  events.subscribe((event) => {
    told.push(event);
    step(event.type);
    if (random.once(20)) throw new Error("listener broken");
    return maybeHang(undefined);
  });
  const hook = <Value>(name: string, value: Value) => (step(name), maybeHang(value));
  const hooks: LoopHooks = {
    prepareRequest: () => hook("prepareRequest", undefined),
    transformContext: (messages) => hook("transformContext", messages),
    beforeToolCall: () => hook("beforeToolCall", random.pick([undefined, { type: "block", reason: "no" }, { type: "allow" }] as const)),
    afterToolCall: () => hook("afterToolCall", random.pick([undefined, { content: "changed" }] as const)),
    finishTurn: () => hook("finishTurn", random.pick([undefined, undefined, { action: "continue" }] as const)),
    prepareNextTurn: () => hook("prepareNextTurn", undefined),
  };
  const state = createState({ turnLimit: 3 });
  const result = await passTime(clock, runEventedToolLoop({ state, provider, registry, hooks, userInput: "go", events, signal: controller.signal }));

  const nesting = nestingFault(told);
  if (nesting) faults.push(nesting);
  const calls = state.messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : []));
  const results = state.messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  if (results.join() !== calls.join()) faults.push(`calls ${calls.join()} have results ${results.join()}`);
  const ended = told.at(-1)?.type === "agent_end" && told.filter((event) => event.type === "agent_end").length === 1;
  if (!ended) faults.push("no agent_end, or not the last");
  if (controller.signal.aborted && result.outcome !== "aborted" && told.at(-1)?.type === "agent_end" && steps - 1 > abortAt + 1) faults.push(`aborted at ${abortAt} of ${steps}, ended with ${result.outcome}`);
  return { steps, result, faults };
}

test.each(Array.from({ length: 25 }, (_, seed) => seed))("random script %i, aborted at every step", async (seed) => {
  const { steps, faults } = await randomRun(seed, Number.POSITIVE_INFINITY);
  expect(faults, `seed ${seed}, not aborted`).toEqual([]);
  for (let abortAt = 0; abortAt < steps; abortAt++) {
    const run = await randomRun(seed, abortAt);
    expect(run.faults, `seed ${seed}, aborted at step ${abortAt}`).toEqual([]);
  }
});
