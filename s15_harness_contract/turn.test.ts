import { describe, expect, test } from "vitest";
import { ask, breakOff, call, cut, failed, messageStart, say, throwing } from "../shared/fake-provider.ts";
import { nestingFault, scripted } from "../shared/testing.ts";
import { createEvents, type AgentEvent } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

/** A tool that touches nothing. */
const harmless = { effects: [], paths: () => [] };

type Script = Parameters<typeof scripted<ProviderRequest, ProviderEvent>>[0];

/** Tools: `echo` answers, `vote` answers and votes for the end. Everything that happens is in `order`. */
function stage(script: Script, hooks: LoopHooks, given: Parameters<typeof createState>[0] = {}) {
  const provider = scripted<ProviderRequest, ProviderEvent>(script);
  const state = createState(given);
  const registry = new ToolRegistry();
  const order: string[] = [];
  const parameters = { type: "object" } as const;
  registry.register({ name: "echo", description: "", parameters }, () => (order.push("run"), "ran"), harmless);
  registry.register({ name: "vote", description: "", parameters }, () => (order.push("run"), { content: "voted", terminate: true }), harmless);
  const told: AgentEvent[] = [];
  const events = createEvents();
  events.subscribe((event) => void (told.push(event), order.push(event.type)));
  const run = (userInput = "go") => runEventedToolLoop({ state, provider, registry, hooks, userInput, events });
  return { provider, state, told, order, run };
}

const toolTurn = ask(call("c1", "echo"));
const nonsense = [null, {}, "end", false, { action: "stop" }, 7];

describe("finishTurn", () => {
  test("stands behind the results and before turn_end, and sees the turn", async () => {
    const seen: unknown[] = [];
    const { order, run } = stage([toolTurn, say("done")], {
      finishTurn: async ({ message, toolResults, context, newMessages }) => {
        order.push("finishTurn");
        seen.push([message.stopReason, toolResults.map((result) => result.content), context.messages.length, newMessages.length]);
        return undefined;
      },
    }, { messages: [{ role: "user", content: "earlier" }] });
    expect(await run()).toEqual({ outcome: "stop" });
    expect(seen).toEqual([["toolUse", ["ran"], 4, 3], ["stop", [], 5, 4]]);
    const at = order.indexOf("finishTurn");
    expect(order.slice(at - 1, at + 2)).toEqual(["message_end", "finishTurn", "turn_end"]);
  });

  test("end cancels nothing that has run: one request, one tool run, and the end", async () => {
    const { provider, order, run } = stage([toolTurn], { finishTurn: () => ({ action: "end" }) });
    expect(await run()).toEqual({ outcome: "ended" });
    expect(provider.requests).toHaveLength(1);
    expect(order.filter((each) => each === "run")).toHaveLength(1);
    expect(order.slice(-2)).toEqual(["turn_end", "agent_end"]);
  });

  test("continue after a plain stop adds the user message that a request needs", async () => {
    let asked = 0;
    const { provider, run } = stage([say("one"), say("two")], { finishTurn: () => (++asked === 1 ? { action: "continue" } : undefined) });
    expect(await run()).toEqual({ outcome: "stop" });
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["go", "one", "continue"]);
  });

  test("continue on a tool turn adds nothing, and no extra request", async () => {
    let asked = 0;
    const { provider, run } = stage([toolTurn, say("done")], { finishTurn: () => (++asked === 1 ? { action: "continue" } : undefined) });
    await run();
    expect(provider.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "toolResult"]);
  });

  test("an unconditional continue is stopped by the turn limit", async () => {
    const { provider, run } = stage({ forever: say("more") }, { finishTurn: () => ({ action: "continue" }) }, { turnLimit: 3 });
    expect(await run()).toEqual({ outcome: "turn_limit" });
    expect(provider.requests).toHaveLength(3);
  });

  test("end after a cut answer is an end", async () => {
    const { run } = stage([cut("par")], { finishTurn: () => ({ action: "end" }) });
    expect(await run()).toEqual({ outcome: "ended" });
  });

  test.each(["end", "continue"] as const)("when the provider answers with an error it is asked, and %s is ignored", async (action) => {
    let sideEffects = 0;
    const { run } = stage([failed("overloaded")], { finishTurn: () => (sideEffects++, { action }) });
    expect(await run()).toEqual({ outcome: "error" });
    expect(sideEffects).toBe(1);
  });

  test("a side effect that assumes a success needs a guard of its own", async () => {
    let saved = 0;
    const guarded: LoopHooks = { finishTurn: ({ message }) => void (message.stopReason !== "error" && saved++) };
    await stage([failed("overloaded")], guarded).run();
    expect(saved).toBe(0);
    await stage([say("done")], guarded).run();
    expect(saved).toBe(1);
  });

  test.each([
    ["the stream throws", [messageStart, throwing(new Error("lost"))]],
    ["the stream breaks off", [messageStart, breakOff]],
  ])("it is not asked when %s: there is no answer to decide on", async (_what, turn) => {
    let asked = 0;
    const { run } = stage([turn], { finishTurn: () => void asked++ });
    expect(await run()).toEqual({ outcome: "error" });
    expect(asked).toBe(0);
  });

  test("it is not asked when a hook before the request throws", async () => {
    let asked = 0;
    const { run } = stage([], { prepareRequest: () => { throw new Error("no"); }, finishTurn: () => void asked++ });
    expect(await run()).toEqual({ outcome: "error" });
    expect(asked).toBe(0);
  });

  test.each<[string, NonNullable<LoopHooks["finishTurn"]>]>([
    ["throws", () => { throw new Error("no"); }],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("one that %s ends the run with an error that names it; no message is made up, and the turn ends once", async (_what, finishTurn) => {
    const { state, told, run } = stage([toolTurn], { finishTurn });
    expect(await run()).toEqual({ outcome: "error", errorMessage: "finishTurn threw: no" });
    expect(state.messages.map((message) => message.role)).toEqual(["user", "assistant", "toolResult"]);
    expect(told.filter((event) => event.type === "turn_end")).toHaveLength(1);
    expect(nestingFault(told)).toBeUndefined();
  });

  test.each(nonsense)("%j is no decision, and ends the run with an error that names the hook", async (decision) => {
    const { run } = stage([toolTurn], { finishTurn: () => decision as never });
    expect(await run()).toEqual({ outcome: "error", errorMessage: "finishTurn returned neither end nor continue" });
  });

  test("an edit of what it sees changes nothing", async () => {
    const { provider, run } = stage([toolTurn, say("done")], {
      finishTurn: ({ message, toolResults, context, newMessages }) => {
        message.content = "edited";
        toolResults.length = 0;
        context.messages.length = 0;
        context.tools.unregister("echo");
        newMessages.length = 0;
        return undefined;
      },
    });
    await run();
    expect(provider.requests[1]?.messages).toMatchObject([{ content: "go" }, { content: "" }, { content: "ran" }]);
    expect(provider.requests[1]?.tools.map((tool) => tool.name)).toEqual(["echo", "vote"]);
  });
});

describe("the vote", () => {
  const both = (first: string, second: string) => ask(call("c1", first), call("c2", second));

  test("every result of the batch votes: the run ends after this turn", async () => {
    const { provider, run } = stage([both("vote", "vote")], {});
    expect(await run()).toEqual({ outcome: "terminated" });
    expect(provider.requests).toHaveLength(1);
  });

  test.each([["vote", "echo"], ["echo", "vote"], ["vote", "unknown"]])("%s and %s: one does not vote, the run goes on", async (first, second) => {
    const { run } = stage([both(first, second), say("done")], {});
    expect(await run()).toEqual({ outcome: "stop" });
  });

  test("an answer without calls is no vote", async () => {
    const { run } = stage([cut("par"), say("done")], {});
    expect(await run()).toEqual({ outcome: "stop" });
  });

  test("a block can vote", async () => {
    const { run } = stage([toolTurn], { beforeToolCall: () => ({ type: "block", reason: "no", terminate: true }) });
    expect(await run()).toEqual({ outcome: "terminated" });
  });

  test("afterToolCall can give a vote, and take one away", async () => {
    expect(await stage([toolTurn], { afterToolCall: () => ({ terminate: true }) }).run()).toEqual({ outcome: "terminated" });
    const takenAway = stage([ask(call("c1", "vote")), say("done")], { afterToolCall: () => ({ terminate: false }) });
    expect(await takenAway.run()).toEqual({ outcome: "stop" });
  });

  test("continue overrides it, end goes before it", async () => {
    let asked = 0;
    const goesOn = stage([ask(call("c1", "vote")), say("done")], { finishTurn: () => (++asked === 1 ? { action: "continue" } : undefined) });
    expect(await goesOn.run()).toEqual({ outcome: "stop" });
    expect(await stage([ask(call("c1", "vote"))], { finishTurn: () => ({ action: "end" }) }).run()).toEqual({ outcome: "ended" });
  });

  test("it is told at the end of the call, and not kept in the message", async () => {
    const { state, told, run } = stage([ask(call("c1", "vote"))], {});
    await run();
    expect(told.find((event) => event.type === "tool_execution_end")).toMatchObject({ result: { terminate: true } });
    expect(state.messages.at(-1)).toEqual({ role: "toolResult", toolCallId: "c1", content: "voted", isError: false });
  });

  test.each([{ terminate: "yes" }, { terminate: 1 }])("afterToolCall with %j is no override", async (override) => {
    const { state, run } = stage([toolTurn, say("done")], { afterToolCall: () => override as never });
    await run();
    expect(state.messages[2]).toMatchObject({ content: "error: the tool ran, but afterToolCall returned no result fields" });
  });
});

describe("prepareNextTurn", () => {
  test("is asked between turn_end and the next turn_start; never before the first turn, never after the last", async () => {
    const { order, run } = stage([toolTurn, say("done")], { prepareNextTurn: async () => void order.push("prepareNextTurn") });
    await run();
    expect(order.filter((each) => /turn|prepare/.test(each))).toEqual(["turn_start", "turn_end", "prepareNextTurn", "turn_start", "turn_end"]);
  });

  test("is not asked after an end, at the turn limit, or after an error", async () => {
    let asked = 0;
    const prepareNextTurn = () => void asked++;
    await stage([toolTurn], { prepareNextTurn, finishTurn: () => ({ action: "end" }) }).run();
    await stage([toolTurn], { prepareNextTurn }, { turnLimit: 1 }).run();
    await stage([failed("overloaded")], { prepareNextTurn }).run();
    expect(asked).toBe(0);
  });

  test("its messages are told and kept at the start of the turn, and take the place of the added user message", async () => {
    let asked = 0;
    const hooks: LoopHooks = {
      finishTurn: () => (++asked === 1 ? { action: "continue" } : undefined),
      prepareNextTurn: () => ({ messages: [{ role: "user", content: "now in one word" }] }),
    };
    const { provider, state, told, run } = stage([say("one"), say("two")], hooks);
    await run();
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["go", "one", "now in one word"]);
    expect(state.messages).toHaveLength(4);
    expect(nestingFault(told)).toBeUndefined();
  });

  test("model, level and context hold for the later requests of the run, not for the next run", async () => {
    let asked = 0;
    const hooks: LoopHooks = {
      prepareNextTurnWithContext: ({ context }) => {
        if (++asked !== 1) return undefined;
        return { model: "large", thinkingLevel: "high", context: { tools: context.tools, messages: context.messages.slice(-3) } };
      },
    };
    const { provider, run } = stage([toolTurn, ask(call("c2", "echo")), say("done"), say("done")], hooks, { model: "small", messages: [{ role: "user", content: "earlier" }] });
    await run();
    await run("again");
    expect(provider.requests.map(({ model, thinkingLevel, messages }) => [model, thinkingLevel, messages.length])).toEqual([
      ["small", "off", 2],
      ["large", "high", 3],
      ["large", "high", 5],
      ["small", "off", 8],
    ]);
  });

  test("with both forms given, only the one with the turn is asked", async () => {
    const asked: string[] = [];
    const { run } = stage([toolTurn, say("done")], {
      prepareNextTurn: () => void asked.push("without"),
      prepareNextTurnWithContext: ({ toolResults }) => void asked.push(`with ${toolResults.length}`),
    });
    await run();
    expect(asked).toEqual(["with 1"]);
  });

  test.each<[string, LoopHooks, string]>([
    ["throws", { prepareNextTurn: () => { throw new Error("no"); } }, "prepareNextTurn threw: no"],
    ["throws in its other form", { prepareNextTurnWithContext: () => Promise.reject("no") }, "prepareNextTurnWithContext threw: no"],
    ["gives no update", { prepareNextTurn: () => 7 as never }, "prepareNextTurn returned no update"],
    ["gives messages that are none", { prepareNextTurn: () => ({ messages: [null] }) as never }, "prepareNextTurn returned messages that are none"],
    ["gives no update in its other form", { prepareNextTurnWithContext: () => 7 as never }, "prepareNextTurnWithContext returned no update"],
    ["gives an answer that nobody gave", { prepareNextTurn: () => ({ messages: [{ role: "assistant", content: "x" }] }) as never }, "prepareNextTurn returned messages that are none"],
    ["gives messages that are none in its other form", { prepareNextTurnWithContext: () => ({ messages: 7 }) as never }, "prepareNextTurnWithContext returned messages that are none"],
    ["gives half a context", { prepareNextTurn: () => ({ context: {} }) as never }, "prepareNextTurn returned a context without messages or tools"],
  ])("one that %s ends the run with an error that names it, and no turn begins", async (_what, hooks, errorMessage) => {
    const { provider, state, told, run } = stage([toolTurn], hooks);
    expect(await run()).toEqual({ outcome: "error", errorMessage });
    expect(provider.requests).toHaveLength(1);
    expect(state.messages).toHaveLength(3);
    expect(told.filter((event) => event.type === "turn_start")).toHaveLength(1);
    expect(nestingFault(told)).toBeUndefined();
  });
});
