import { describe, expect, test, vi } from "vitest";
import { ask, breakOff, call, cut, delta, failed, messageStart, say, throwing } from "../shared/fake-provider.ts";
import { scripted } from "../shared/testing.ts";
import { createEvents, type AgentEvent } from "./events.ts";
import type { ToolHooks } from "./execute.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry, type ToolHandler } from "./tools.ts";

/** A tool that touches nothing. */
const harmless = { effects: [], paths: () => [] };

const fake = scripted<ProviderRequest, ProviderEvent>;

type Options = Parameters<typeof runEventedToolLoop>[0];

/** Runs the loop without tools, hooks and listeners, unless they are given. */
function run(given: Partial<Options> & Pick<Options, "state" | "provider" | "userInput">) {
  return runEventedToolLoop({ registry: new ToolRegistry(), hooks: {}, events: createEvents(), ...given });
}

describe("runEventedToolLoop", () => {
  test("keeps the prompt and the answer, and stops", async () => {
    const provider = fake([say("hello")]);
    const state = createState();
    expect(await run({ state, provider, userInput: "hi" })).toEqual({ outcome: "stop" });
    expect(state.messages).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello", toolCalls: [], stopReason: "stop" },
    ]);
    expect(provider.requests).toEqual([{ messages: [{ role: "user", content: "hi" }], tools: [], model: "default", thinkingLevel: "off" }]);
  });

  test("asks again after a cut answer, with both parts kept apart", async () => {
    const provider = fake([cut("one"), say("two")]);
    const state = createState();
    expect((await run({ state, provider, userInput: "go" })).outcome).toBe("stop");
    expect(state.messages.map((message) => message.content)).toEqual(["go", "one", "continue", "two"]);
    expect(provider.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
  });

  test.each([0, 1, 3])("F2-18 a limit of %i means exactly that many requests", async (turnLimit) => {
    const provider = fake({ forever: cut("more") });
    const state = createState({ turnLimit });
    expect((await run({ state, provider, userInput: "go" })).outcome).toBe("turn_limit");
    expect(provider.requests).toHaveLength(turnLimit);
    expect(state.messages.at(-1)?.content).toBe(turnLimit === 0 ? "go" : "more");
  });

  test("F2-18 stopping by itself at the last allowed turn is a stop", async () => {
    const provider = fake([cut("a"), cut("b"), say("c")]);
    expect((await run({ state: createState({ turnLimit: 3 }), provider, userInput: "go" })).outcome).toBe("stop");
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("F2-18 a limit of %s is refused before anything happens", async (turnLimit) => {
    const provider = fake([]);
    const state = createState({ turnLimit });
    await expect(run({ state, provider, userInput: "go" })).rejects.toThrow(/turnLimit must be a whole number, 0 or more/);
    expect(state.messages).toEqual([]);
    expect(provider.requests).toEqual([]);
  });

  test.each([
    ["an Error", new Error("no network"), "no network"],
    ["a string", "no network", "no network"],
    ["nothing", undefined, "unknown error"],
    ["an Error without a text", new Error(""), "unknown error"],
    ["an object that has no text", Object.create(null), "unknown error"],
  ])("a provider that throws %s is an outcome", async (_what, thrown, text) => {
    const state = createState();
    const provider = fake([[messageStart, throwing(thrown)]]);
    expect(await run({ state, provider, userInput: "hi" })).toEqual({ outcome: "error" });
    expect(state.messages.at(-1)).toEqual({ role: "assistant", content: "", toolCalls: [], stopReason: "error", errorMessage: text });
  });

  test("a provider that throws before it returns a promise is an outcome too", async () => {
    const state = createState();
    const provider = { stream: () => { throw new Error("at once"); } };
    expect((await run({ state, provider, userInput: "hi" })).outcome).toBe("error");
  });

  test("a provider that says it failed keeps its text", async () => {
    const state = createState();
    expect((await run({ state, provider: fake([failed("overloaded", "par")]), userInput: "hi" })).outcome).toBe("error");
    expect(state.messages.at(-1)).toEqual({ role: "assistant", content: "par", toolCalls: [], stopReason: "error", errorMessage: "overloaded" });
  });

  test("an answer without an end is an error", async () => {
    const provider = fake([[messageStart, delta("hel"), breakOff]]);
    expect((await run({ state: createState(), provider, userInput: "hi" })).outcome).toBe("error");
  });

  test("a note is kept and never sent", async () => {
    const provider = fake([cut("one"), say("two")]);
    const state = createState({ messages: [{ role: "note", content: "model: small" }] });
    const events = createEvents();
    events.subscribe((event) => {
      if (event.type === "message_end" && event.message.role === "assistant") state.messages.push({ role: "note", content: "answered" });
    });
    await run({ state, provider, userInput: "go", events });
    expect(state.messages.map((message) => message.role)).toEqual(["note", "user", "assistant", "note", "user", "assistant", "note"]);
    expect(provider.requests.map(({ messages }) => messages.map((message) => message.content))).toEqual([
      ["go"],
      ["go", "one", "continue"],
    ]);
  });

  test("an answer that failed before any text is kept, and the next prompt is accepted", async () => {
    const provider = fake([failed("overloaded"), say("here")]);
    const state = createState();
    expect((await run({ state, provider, userInput: "first" })).outcome).toBe("error");
    expect((await run({ state, provider, userInput: "second" })).outcome).toBe("stop");
    expect(state.messages).toHaveLength(4);
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["first", "second"]);
  });

  test("an answer cut before any text is not sent either", async () => {
    const provider = fake([cut(""), say("here")]);
    expect((await run({ state: createState(), provider, userInput: "go" })).outcome).toBe("stop");
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["go", "continue"]);
  });

  test("a second prompt goes on in the same transcript", async () => {
    const provider = fake([say("one"), say("two")]);
    const state = createState();
    await run({ state, provider, userInput: "first" });
    await run({ state, provider, userInput: "second" });
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["first", "one", "second"]);
  });
});

function tools(handlers: Record<string, ToolHandler>): ToolRegistry {
  const registry = new ToolRegistry();
  for (const [name, handler] of Object.entries(handlers)) registry.register({ name, description: name, parameters: { type: "object" } }, handler, harmless);
  return registry;
}

describe("tool calls", () => {
  test("the next request holds the call, then its result", async () => {
    const provider = fake([ask(call("c1", "echo", { text: "hi" })), say("done")]);
    const state = createState();
    const registry = tools({ echo: (args) => `got ${JSON.stringify(args)}` });
    expect((await run({ state, provider, registry, userInput: "go" })).outcome).toBe("stop");
    expect(provider.requests[0]?.tools).toEqual([{ name: "echo", description: "echo", parameters: { type: "object" } }]);
    expect(provider.requests[1]?.messages).toEqual([
      { role: "user", content: "go" },
      { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "echo", args: { text: "hi" } }], stopReason: "toolUse" },
      { role: "toolResult", toolCallId: "c1", content: 'got {"text":"hi"}', isError: false },
    ]);
  });

  test("many calls in one message: each gets its own result, in order", async () => {
    const provider = fake([ask(call("c1", "echo", { text: "a" }), "text between", call("c2", "nothing"), call("c3", "boom"), call("c4", "echo", { text: "b" })), say("done")]);
    const state = createState();
    const registry = tools({ echo: ({ text }) => String(text), boom: () => { throw new Error("broken"); } });
    await run({ state, provider, registry, userInput: "go" });
    expect(state.messages.filter((message) => message.role === "toolResult")).toEqual([
      { role: "toolResult", toolCallId: "c1", content: "a", isError: false },
      { role: "toolResult", toolCallId: "c2", content: 'error: unknown tool "nothing"; tools: echo, boom', isError: true },
      { role: "toolResult", toolCallId: "c3", content: "error: broken", isError: true },
      { role: "toolResult", toolCallId: "c4", content: "b", isError: false },
    ]);
  });

  test("a call in an answer that says stop is executed all the same", async () => {
    const answer = [messageStart, call("c1", "echo", { text: "a" }), { type: "message_end", stopReason: "stop" } as const];
    const provider = fake([answer, say("done")]);
    const state = createState();
    await run({ state, provider, registry: tools({ echo: ({ text }) => String(text) }), userInput: "go" });
    expect(provider.requests[1]?.messages.at(-1)).toEqual({ role: "toolResult", toolCallId: "c1", content: "a", isError: false });
  });

  test("F2-12 a stream that breaks off after a call runs nothing, and leaves a history that the next prompt can use", async () => {
    let runs = 0;
    const registry = tools({ echo: () => `${runs++}` });
    const provider = fake([[messageStart, call("c1", "echo", { text: "a" }), breakOff], say("here")]);
    const state = createState();
    expect((await run({ state, provider, registry, userInput: "go" })).outcome).toBe("error");
    expect((await run({ state, provider, registry, userInput: "again" })).outcome).toBe("stop");
    expect(runs).toBe(0);
    expect(provider.requests[1]?.messages.slice(1)).toMatchObject([
      { role: "assistant", stopReason: "error" },
      { role: "toolResult", toolCallId: "c1", content: "error: not executed, because the answer broke off", isError: true },
      { role: "user", content: "again" },
    ]);
  });

  test("a provider that answers with an error after a call: it is not executed, and has its result", async () => {
    let runs = 0;
    const registry = tools({ echo: () => `${runs++}` });
    const answer = [messageStart, call("c1", "echo", { text: "a" }), { type: "message_end", stopReason: "error", errorMessage: "overloaded" } as const];
    const state = createState();
    expect((await run({ state, provider: fake([answer]), registry, userInput: "go" })).outcome).toBe("error");
    expect(runs).toBe(0);
    expect(state.messages.at(-1)).toMatchObject({ role: "toolResult", toolCallId: "c1", content: "error: not executed, because the answer broke off" });
  });

  test("an answer cut after a call runs nothing; the result asks for the call again", async () => {
    let runs = 0;
    const registry = tools({ echo: () => `${runs++}` });
    const provider = fake([[messageStart, call("c1", "echo", { text: "a" }), { type: "message_end", stopReason: "length" }], say("done")]);
    await run({ state: createState(), provider, registry, userInput: "go" });
    expect(runs).toBe(0);
    expect(provider.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "toolResult"]);
    expect(provider.requests[1]?.messages.at(-1)?.content).toMatch(/^error: not executed, because the answer was cut/);
  });

  test("one id used again, in one message and in a later turn and run, stays one result per call", async () => {
    const again = ask(call("c1", "echo", { text: "a" }), call("c1", "echo", { text: "b" }));
    const provider = fake([again, again, say("done"), again, say("done")]);
    const state = createState();
    await run({ state, provider, registry: tools({ echo: ({ text }) => String(text) }), userInput: "go" });
    await run({ state, provider, registry: tools({ echo: ({ text }) => String(text) }), userInput: "more" });
    const ids = state.messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    expect(ids).toEqual(["c1", "c1#2", "c1#3", "c1#4", "c1#5", "c1#6"]);
  });

  test("F2-15 asking for an unknown tool for ever ends at the turn limit, with every call answered", async () => {
    const provider = fake({ forever: ask(call("c1", "nothing"), call("c2", "Echo"), call("c3", "echo "), call("c4", "")) });
    const state = createState({ turnLimit: 3 });
    let runs = 0;
    const registry = tools({ echo: () => `${runs++}` });
    expect((await run({ state, provider, registry, userInput: "go" })).outcome).toBe("turn_limit");
    expect(provider.requests).toHaveLength(3);
    expect(state.messages.filter((message) => message.role === "toolResult")).toHaveLength(12);
    expect(runs).toBe(0);
  });

  test("the hooks stand around the call, and what they decide is in the next request", async () => {
    const order: string[] = [];
    const hooks: ToolHooks = {
      beforeToolCall: ({ toolCall: { name } }) => (order.push(`before ${name}`), name === "secret" ? { type: "block", reason: "not yours" } : { type: "allow" }),
      afterToolCall: ({ toolCall: { name }, result }) => (order.push(`after ${name}`), { content: result.content.toUpperCase() }),
    };
    const registry = tools({ echo: ({ text }) => (order.push("run echo"), String(text)), secret: () => (order.push("run secret"), "") });
    const provider = fake([ask(call("c1", "echo", { text: "a" }), call("c2", "secret")), say("done")]);
    await run({ state: createState(), provider, registry, hooks, userInput: "go" });
    expect(order).toEqual(["before echo", "before secret", "run echo", "after echo"]);
    expect(provider.requests[1]?.messages.slice(2).map((message) => message.content)).toEqual(["A", "blocked: not yours"]);
  });
});

describe("the snapshot of a turn", () => {
  const names = (provider: { requests: ProviderRequest[] }) => provider.requests.map(({ model, tools }) => [model, ...tools.map((tool) => tool.name)]);

  test("F2-22 what a tool changes in the middle of a turn holds from the next turn on", async () => {
    const state = createState({ model: "small" });
    const registry = tools({ gone: () => "still here" });
    registry.register({ name: "grow", description: "", parameters: { type: "object" } }, () => {
      state.model = "large";
      registry.register({ name: "late", description: "", parameters: { type: "object" } }, () => "late ran", harmless);
      registry.unregister("gone");
      return "grown";
    }, harmless);
    const both = ask(call("c1", "grow"), call("c2", "late"), call("c3", "gone"));
    const provider = fake([both, ask(call("c4", "late"), call("c5", "gone")), say("done")]);
    await run({ state, provider, registry, userInput: "go" });
    expect(names(provider)).toEqual([["small", "gone", "grow"], ["large", "grow", "late"], ["large", "grow", "late"]]);
    expect(state.messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : []))).toEqual([
      "grown",
      'error: unknown tool "late"; tools: gone, grow',
      "still here",
      "late ran",
      'error: unknown tool "gone"; tools: grow, late',
    ]);
  });

  test("a tool that is replaced in the middle of a turn still runs its old handler", async () => {
    const registry = new ToolRegistry();
    registry.register({ name: "a", description: "", parameters: { type: "object" } }, () => {
      registry.unregister("b");
      registry.register({ name: "b", description: "", parameters: { type: "object" } }, () => "new", harmless);
      return "replaced";
    }, harmless);
    registry.register({ name: "b", description: "", parameters: { type: "object" } }, () => "old", harmless);
    const provider = fake([ask(call("c1", "a"), call("c2", "b")), ask(call("c3", "b")), say("done")]);
    await run({ state: createState(), provider, registry, userInput: "go" });
    expect(provider.requests[2]?.messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : []))).toEqual(["replaced", "old", "new"]);
  });

  test("a provider that edits the tools it was sent changes nothing for the loop", async () => {
    const registry = tools({ echo: ({ text }) => String(text) });
    const script = fake([ask(call("c1", "echo", { text: "a" })), say("done")]);
    const provider = {
      stream(request: ProviderRequest) {
        const events = script.stream(request);
        for (const tool of request.tools) tool.name = "changed";
        request.tools.length = 0;
        return events;
      },
    };
    await run({ state: createState(), provider, registry, userInput: "go" });
    expect(names(script)).toEqual([["default", "echo"], ["default", "echo"]]);
  });
});

describe("the events of a run", () => {
  async function heard(given: Parameters<typeof run>[0]) {
    const all: AgentEvent[] = [];
    const events = createEvents();
    events.subscribe((event) => void all.push(structuredClone(event)));
    await run({ ...given, events });
    return all;
  }

  test("one tool turn, in Pi's order", async () => {
    const provider = fake([ask(call("c1", "echo", { text: "a" })), say("done")]);
    const all = await heard({ state: createState(), provider, registry: tools({ echo: ({ text }) => String(text) }), userInput: "go" });
    expect(all.map((event) => event.type)).toEqual([
      "agent_start",
      "turn_start",
      ...["message_start", "message_end"],
      ...["message_start", "message_update", "message_end"],
      ...["tool_execution_start", "tool_execution_end"],
      ...["message_start", "message_end"],
      "turn_end",
      "turn_start",
      ...["message_start", "message_update", "message_end"],
      "turn_end",
      "agent_end",
    ]);
  });

  test("turn_end holds the answer and its results, agent_end the messages of this run only", async () => {
    const provider = fake([ask(call("c1", "echo", { text: "a" })), say("done")]);
    const state = createState({ messages: [{ role: "user", content: "earlier" }] });
    const all = await heard({ state, provider, registry: tools({ echo: ({ text }) => String(text) }), userInput: "go" });
    const turnEnd = all.find((event) => event.type === "turn_end");
    expect(turnEnd).toMatchObject({ message: { toolCalls: [{ id: "c1" }] }, toolResults: [{ toolCallId: "c1", content: "a" }] });
    expect(all.at(-1)).toEqual({ type: "agent_end", messages: state.messages.slice(1) });
  });

  test("a message is in the transcript when its end is told, and not before", async () => {
    const state = createState();
    const events = createEvents();
    const counts: [string, number][] = [];
    events.subscribe((event) => void (event.type.startsWith("message_") && counts.push([event.type, state.messages.length])));
    await run({ state, provider: fake([say("a")]), userInput: "go", events });
    expect(counts).toEqual([["message_start", 0], ["message_end", 1], ["message_start", 1], ["message_update", 1], ["message_end", 2]]);
  });

  test("a tool sees the answer that called it in the transcript", async () => {
    const state = createState();
    const seen: string[] = [];
    const registry = tools({ look: () => (seen.push(...state.messages.map((message) => message.role)), "") });
    await run({ state, provider: fake([ask(call("c1", "look")), say("done")]), registry, userInput: "go" });
    expect(seen).toEqual(["user", "assistant"]);
  });

  test("the start of a tool is told before the gate decides", async () => {
    const order: string[] = [];
    const events = createEvents();
    events.subscribe((event) => void (event.type.startsWith("tool_") && order.push(event.type)));
    const hooks: ToolHooks = { beforeToolCall: () => (order.push("beforeToolCall"), { type: "block", reason: "no" }) };
    const registry = tools({ echo: () => (order.push("run"), "") });
    await run({ state: createState(), provider: fake([ask(call("c1", "echo")), say("done")]), registry, hooks, userInput: "go", events });
    expect(order).toEqual(["tool_execution_start", "beforeToolCall", "tool_execution_end"]);
  });

  test("with a limit of 0 the prompt is kept and told, and no turn begins", async () => {
    const state = createState({ turnLimit: 0 });
    const all = await heard({ state, provider: fake([]), userInput: "go" });
    expect(all.map((event) => event.type)).toEqual(["agent_start", "message_start", "message_end", "agent_end"]);
    expect(state.messages).toEqual([{ role: "user", content: "go" }]);
  });

  test("F2-24 ten times the deltas are about ten times the bytes", async () => {
    const bytes = async (count: number) => {
      const provider = fake([say(...Array.from({ length: count }, () => "x"))]);
      return JSON.stringify(await heard({ state: createState(), provider, userInput: "go" })).length;
    };
    expect((await bytes(20_000)) / (await bytes(2_000))).toBeLessThan(20);
  });
});

describe("a gate that crashes the run", () => {
  test("this call and the rest of its batch get an error result, no request follows, and the outcome is an error", async () => {
    let runs = 0;
    let asked = 0;
    const hooks: LoopHooks = {
      onHookError: "crash",
      beforeToolCall: () => {
        if (++asked === 2) throw new Error("no rules");
        return undefined;
      },
      finishTurn: () => ({ action: "continue" }),
    };
    const provider = fake([ask(call("c1", "echo"), call("c2", "echo"), call("c3", "echo"))]);
    const state = createState();
    const result = await run({ state, provider, registry: tools({ echo: () => `ran ${++runs}` }), hooks, userInput: "go" });
    expect(result).toEqual({ outcome: "error", errorMessage: "beforeToolCall threw: no rules" });
    expect(provider.requests).toHaveLength(1);
    expect({ runs, asked }).toEqual({ runs: 0, asked: 2 });
    expect(state.messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : []))).toEqual([
      "error: not executed, because the run must end",
      "error: beforeToolCall threw: no rules",
      "error: not executed, because the run must end",
    ]);
  });

  test.each([undefined, () => { throw new Error("screen gone"); }])("in a call inside a tool: no further inner call runs either", async (onHookFault) => {
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    let inner = 0;
    const registry = tools({ inner: () => `ran ${++inner}` });
    registry.register({ name: "plan", description: "", parameters: { type: "object" } }, async (_args, { runToolCall }) => {
      const results = [];
      for (let count = 0; count < 3; count++) results.push((await runToolCall({ name: "inner", args: {} })).isError);
      return results.join();
    }, harmless);
    const hooks: LoopHooks = { onHookError: "crash", beforeToolCall: ({ toolCall }) => { if (toolCall.name === "inner") throw new Error("no rules"); return undefined; }, ...(onHookFault ? { onHookFault } : {}) };
    const provider = fake([ask(call("c1", "plan"))]);
    const state = createState();
    expect((await run({ state, provider, registry, hooks, userInput: "go" })).outcome).toBe("error");
    stderr.mockRestore();
    expect(inner).toBe(0);
    expect(state.messages.at(-1)).toMatchObject({ content: "true,true,true" });
  });
});
