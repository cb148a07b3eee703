import { describe, expect, test, vi } from "vitest";
import { executeToolCall, type BeforeToolCallContext, type CallScope, type ToolHooks } from "./execute.ts";
import type { AssistantMessage, Message } from "./messages.ts";
import { ToolRegistry, type AgentToolResult, type ToolCall, type ToolHandler, type ToolOptions } from "./tools.ts";

/** A tool that touches nothing. */
const harmless = { effects: [], paths: () => [] };

const echo: ToolCall = { id: "c1", name: "echo", args: { text: "hi" } };
const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

/** Runs one call against an echo tool. Counts how often the handler and afterToolCall were entered. */
async function execute(hooks: ToolHooks, given: { call?: ToolCall; handler?: ToolHandler; options?: Partial<ToolOptions> } = {}) {
  const { call = echo, handler = ({ text }) => String(text), options } = given;
  const counted = { runs: 0, afters: 0 };
  const updates: AgentToolResult[] = [];
  const registry = new ToolRegistry();
  registry.register({ name: "echo", description: "", parameters }, (...args) => (counted.runs++, handler(...args)), { ...harmless, ...options });
  const { afterToolCall } = hooks;
  const counting: ToolHooks = { ...hooks, ...(afterToolCall ? { afterToolCall: (context) => (counted.afters++, afterToolCall(context)) } : {}) };
  const result = await executeToolCall(registry, counting, call, scopeOf(call, async (update) => void updates.push(update)));
  return { ...counted, updates, result };
}

function scopeOf(call: ToolCall, onUpdate: CallScope["onUpdate"] = async () => {}): CallScope {
  const assistantMessage: AssistantMessage = { role: "assistant", content: "", toolCalls: [call], stopReason: "toolUse" };
  const messages: Message[] = [{ role: "user", content: "go" }, assistantMessage];
  return { assistantMessage, messages: () => messages, onUpdate, crash: {} };
}

/** What JavaScript lets a hook return, whatever the types say. */
const returning = (value: unknown) => () => value as never;

describe("validation stands before the gate", () => {
  test.each([
    ["a missing field", {}, "text is missing"],
    ["a wrong type", { text: 7 }, "text must be string, not 7"],
    ["null", null, "arguments must be an object, not null"],
    ["a list", [], "arguments must be an object, not []"],
    ["a text that was no JSON", '{"text": "h', 'arguments must be an object, not "{\\"text\\": \\"h"'],
    ["a number", 7, "arguments must be an object, not 7"],
    ["nothing at all, for a tool that needs something", "", "text is missing"],
  ])("F2-14 %s: neither gate nor handler runs, and the error names tool, field and shape", async (_what, args, problem) => {
    let asked = 0;
    const { runs, result } = await execute({ beforeToolCall: () => void asked++ }, { call: { ...echo, args } });
    expect({ asked, runs }).toEqual({ asked: 0, runs: 0 });
    expect(result).toEqual({ content: `error: tool "echo": ${problem}; expected { text: string }`, isError: true });
  });

  test("F2-14 a very long argument is shown cut short", async () => {
    const { result } = await execute({}, { call: { ...echo, args: "x".repeat(1_000_000) } });
    expect(result.content.length).toBeLessThan(150);
  });

  test("F2-14 nothing at all is enough for a tool that needs nothing", async () => {
    const registry = new ToolRegistry();
    registry.register({ name: "clock", description: "", parameters: { type: "object" } }, () => "noon", harmless);
    for (const args of ["", undefined]) {
      const call = { id: "c1", name: "clock", args };
      expect(await executeToolCall(registry, {}, call, scopeOf(call))).toEqual({ content: "noon" });
    }
  });

  test("F2-15 an unknown tool: no hook is asked, the error names the tools that exist", async () => {
    let asked = 0;
    const hooks: ToolHooks = { beforeToolCall: () => void asked++, afterToolCall: () => void asked++ };
    const { runs, result } = await execute(hooks, { call: { ...echo, name: "ecko" } });
    expect({ asked, runs }).toEqual({ asked: 0, runs: 0 });
    expect(result).toEqual({ content: 'error: unknown tool "ecko"; tools: echo', isError: true });
  });

  test("prepareArguments works before validation, and what it throws is an error of this call", async () => {
    const rename = (args: unknown) => ({ text: (args as { txt?: string }).txt });
    const call = { ...echo, args: { txt: "hi" } };
    expect((await execute({}, { call, options: { prepareArguments: rename } })).result).toEqual({ content: "hi" });
    const { runs, result } = await execute({}, { options: { prepareArguments: () => { throw new Error("no"); } } });
    expect(runs).toBe(0);
    expect(result).toEqual({ content: 'error: prepareArguments of "echo" threw: no', isError: true });
  });
});

describe("beforeToolCall", () => {
  test.each([undefined, { type: "allow" }, Promise.resolve({ type: "allow" }), Promise.resolve(undefined)])("F2-05 %j allows", async (verdict) => {
    expect(await execute({ beforeToolCall: returning(verdict) })).toMatchObject({ runs: 1, result: { content: "hi" } });
  });

  test("a block is an immediate error result: no run, no afterToolCall", async () => {
    const hooks: ToolHooks = { beforeToolCall: async () => ({ type: "block", reason: "not today" }), afterToolCall: () => undefined };
    expect(await execute(hooks)).toMatchObject({ runs: 0, afters: 0, result: { content: "blocked: not today", isError: true } });
  });

  test.each([
    ["null", null],
    ["an empty object", {}],
    ["false", false],
    ["a string", "allow"],
    ["another harness's block", { block: true }],
    ["a misspelt type", { type: "alow" }],
    ["a block without a reason", { type: "block" }],
    ["a block with an empty reason", { type: "block", reason: "" }],
    ["a promise of nonsense", Promise.resolve({ block: true })],
  ])("F2-05 %s is no verdict: the call does not run, and the error names the hook", async (_what, verdict) => {
    expect(await execute({ beforeToolCall: returning(verdict) })).toMatchObject({
      runs: 0,
      result: { content: "error: beforeToolCall returned neither allow nor a block with a reason", isError: true },
    });
  });

  test.each([
    ["an Error", () => { throw new Error("no rules"); }],
    ["a string", () => { throw "no rules"; }],
    ["a rejected promise", () => Promise.reject(new Error("no rules"))],
  ])("F2-04 a hook that fails with %s closes the gate", async (_what, beforeToolCall) => {
    expect(await execute({ beforeToolCall })).toMatchObject({ runs: 0, result: { content: "error: beforeToolCall threw: no rules", isError: true } });
  });

  test("F2-06 a slow no comes in time: the handler waits for it", async () => {
    const slow = async () => {
      for (let tick = 0; tick < 50; tick++) await Promise.resolve();
      return { type: "block", reason: "late, but no" } as const;
    };
    expect((await execute({ beforeToolCall: slow })).runs).toBe(0);
  });

  test("sees the answer, the call, the arguments and the context", async () => {
    const seen: unknown[] = [];
    await execute({
      beforeToolCall: ({ assistantMessage, toolCall, args, context }) => {
        seen.push(assistantMessage.toolCalls.length, toolCall, args, context.messages.map((message) => message.role), context.tools.getSpecs().map((spec) => spec.name));
        return undefined;
      },
    });
    expect(seen).toEqual([1, echo, { text: "hi" }, ["user", "assistant"], ["echo"]]);
  });

  test("the arguments that were judged are the ones that run: they are frozen, and the same object", async () => {
    let judged: unknown;
    let ran: unknown;
    const call = { ...echo, args: { text: "hi" } };
    await execute({ beforeToolCall: ({ args }) => void (judged = args) }, { call, handler: (args) => (ran = args, "") });
    expect(ran).toBe(judged);
    expect(ran).not.toBe(call.args);
    expect(Object.isFrozen(ran)).toBe(true);
  });

  test.each<[string, (context: BeforeToolCallContext) => void]>([
    ["the arguments", ({ args }) => void Object.assign(args, { text: "bye" })],
    ["the answer", ({ assistantMessage }) => void (assistantMessage.toolCalls.length = 0)],
    ["the call", ({ toolCall }) => void Object.assign(toolCall, { id: "other" })],
  ])("an edit of %s in place throws, and the gate is closed", async (_what, edit) => {
    const { runs, result } = await execute({ beforeToolCall: (context) => void edit(context) });
    expect(runs).toBe(0);
    expect(result.content).toMatch(/^error: beforeToolCall threw: /);
  });

  test("an edit of the context in place changes nothing", async () => {
    const scope = scopeOf(echo);
    const before = structuredClone(scope.messages());
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "", parameters }, ({ text }) => String(text), harmless);
    const beforeToolCall = ({ context }: BeforeToolCallContext) => {
      context.messages.length = 0;
      context.tools.unregister("echo");
      return undefined;
    };
    expect(await executeToolCall(registry, { beforeToolCall }, echo, scope)).toEqual({ content: "hi" });
    expect(scope.messages()).toEqual(before);
    expect(registry.find("echo").spec.name).toBe("echo");
  });
});

describe("afterToolCall", () => {
  const rich = () => ({ content: "X", details: { a: 1 }, structuredContent: { n: 1 }, usage: { input: 1, output: 2 } });
  const overridden = async (override: unknown) => (await execute({ afterToolCall: returning(override) }, { handler: rich })).result;

  test.each<[string, unknown, object]>([
    ["nothing", undefined, rich()],
    ["an empty override", {}, rich()],
    ["only an error flag", { isError: true }, { ...rich(), isError: true }],
    ["a content that is there but undefined", { content: undefined }, rich()],
    ["new details, replaced whole", { details: { b: 2 } }, { ...rich(), details: { b: 2 } }],
    ["new content alone drops structuredContent", { content: "Y" }, { content: "Y", details: { a: 1 }, usage: { input: 1, output: 2 } }],
    ["new content with its own structuredContent", { content: "Y", structuredContent: { n: 2 } }, { ...rich(), content: "Y", structuredContent: { n: 2 } }],
    ["new usage", { usage: { input: 0, output: 0 } }, { ...rich(), usage: { input: 0, output: 0 } }],
  ])("F2-08 an override of %s", async (_what, override, result) => {
    expect(await overridden(override)).toEqual(result);
  });

  test.each([7, "text", null, [], { content: 7 }, { isError: "yes" }])("F2-08 %j is no override: the effect has happened, and the error says so", async (override) => {
    expect(await overridden(override)).toEqual({ content: "error: the tool ran, but afterToolCall returned no result fields", isError: true });
  });

  test("F2-08 a hook that throws leaves one result, which says that the tool ran", async () => {
    const { runs, result } = await execute({ afterToolCall: () => Promise.reject(new Error("no disk")) });
    expect(runs).toBe(1);
    expect(result).toEqual({ content: "error: the tool ran, but afterToolCall threw: no disk", isError: true });
  });

  test("is asked after a failure, sees it, and may turn it into a success", async () => {
    let seen: unknown;
    const hooks: ToolHooks = { afterToolCall: ({ result, isError }) => (seen = [result.content, isError], { content: "fine", isError: false }) };
    const { afters, result } = await execute(hooks, { handler: () => { throw new Error("broken"); } });
    expect({ afters, seen }).toEqual({ afters: 1, seen: ["error: broken", true] });
    expect(result).toEqual({ content: "fine", isError: false });
  });

  test("an edit of the result in place changes nothing", async () => {
    const hooks: ToolHooks = { afterToolCall: ({ result }) => void (result.content = "edited") };
    expect((await execute(hooks)).result).toEqual({ content: "hi" });
  });
});

describe("progress", () => {
  test("is told before the result, in order, and reaches a tool that waits for it", async () => {
    const handler: ToolHandler = async (_args, { onUpdate }) => {
      void onUpdate({ content: "one" });
      await onUpdate({ content: "two" });
      return "done";
    };
    expect(await execute({}, { handler })).toMatchObject({ updates: [{ content: "one" }, { content: "two" }], result: { content: "done" } });
  });

  test("F2-10 after the tool has settled it is told no more", async () => {
    let late: (() => Promise<void>) | undefined;
    const { updates } = await execute({}, { handler: (_args, { onUpdate }) => ((late = () => onUpdate({ content: "late" })), "done") });
    await late?.();
    expect(updates).toEqual([]);
  });

  test("a secret that was told as progress is not taken back by a redacted result", async () => {
    const handler: ToolHandler = async (_args, { onUpdate }) => {
      await onUpdate({ content: "hunter2" });
      return "hunter2";
    };
    const { runs, updates, result } = await execute({ afterToolCall: () => ({ content: "[redacted]" }) }, { handler });
    expect({ runs, updates, result }).toEqual({ runs: 1, updates: [{ content: "hunter2" }], result: { content: "[redacted]" } });
  });
});

describe("a tool that calls tools", () => {
  /** A plan tool beside a protected one. `way` is how the plan calls it. */
  async function plan(way: (registry: ToolRegistry, ...given: Parameters<ToolHandler>) => ReturnType<ToolHandler>, blocked: boolean) {
    const counted = { gate: 0, effect: 0, after: 0 };
    const registry = new ToolRegistry();
    const parameters = { type: "object" } as const;
    registry.register({ name: "protected", description: "", parameters }, () => `effect ${++counted.effect}`, harmless);
    registry.register({ name: "plan", description: "", parameters }, (...given) => way(registry, ...given), harmless);
    const ids: string[] = [];
    const hooks: ToolHooks = {
      beforeToolCall: ({ toolCall }) => {
        ids.push(toolCall.id);
        if (toolCall.name !== "protected") return undefined;
        counted.gate++;
        return blocked ? { type: "block", reason: "no" } : undefined;
      },
      afterToolCall: ({ toolCall }) => void (toolCall.name === "protected" && counted.after++),
    };
    const call = { id: "c1", name: "plan", args: {} };
    return { result: await executeToolCall(registry, hooks, call, scopeOf(call)), counted, ids };
  }

  const inner = (name: string) => async (_registry: ToolRegistry, ...[, { runToolCall }]: Parameters<ToolHandler>) => {
    const { content, isError } = await runToolCall({ name, args: {} });
    return `${isError ? "failed" : "ok"}: ${content}`;
  };

  test("permitted: the inner call goes through both hooks and runs once", async () => {
    const { result, counted, ids } = await plan(inner("protected"), false);
    expect(counted).toEqual({ gate: 1, effect: 1, after: 1 });
    expect(result).toEqual({ content: "ok: effect 1" });
    expect(ids).toEqual(["c1", "c1/1"]);
  });

  test("blocked: it runs zero times, and the outer call is a good result", async () => {
    const { result, counted } = await plan(inner("protected"), true);
    expect(counted).toEqual({ gate: 1, effect: 0, after: 0 });
    expect(result).toEqual({ content: "failed: blocked: no" });
  });

  test("after the outer tool has ended the door is shut: the gate is not asked, and nothing runs", async () => {
    let late: (() => Promise<{ content: string; isError?: boolean }>) | undefined;
    const keeps = async (_registry: ToolRegistry, ...[, { runToolCall }]: Parameters<ToolHandler>) => {
      late = () => runToolCall({ name: "protected", args: {} });
      return "done";
    };
    const { counted } = await plan(keeps, false);
    expect(await late?.()).toEqual({ content: "error: not executed, because the tool that asks has ended", isError: true });
    expect(counted).toEqual({ gate: 0, effect: 0, after: 0 });
  });

  test("unknown: an error result, not an exception", async () => {
    expect((await plan(inner("nothing"), true)).result.content).toBe('failed: error: unknown tool "nothing"; tools: protected, plan');
  });

  test("the wrong way, calling the other handler directly: the gate hears nothing, and the effect is done", async () => {
    const directly = (registry: ToolRegistry, ...[args, context]: Parameters<ToolHandler>) => registry.find("protected").handler(args, context);
    const { counted } = await plan(directly, true);
    expect(counted).toEqual({ gate: 0, effect: 1, after: 0 });
  });
});

describe("onHookError", () => {
  const broken = { beforeToolCall: () => { throw new Error("no rules"); } };

  test("open: the call runs, and the fault is reported", async () => {
    const faults: string[] = [];
    const { runs, result } = await execute({ ...broken, onHookError: "open", onHookFault: (fault) => faults.push(fault) });
    expect({ runs, result }).toEqual({ runs: 1, result: { content: "hi" } });
    expect(faults).toEqual(["beforeToolCall threw: no rules; the call runs all the same"]);
  });

  test("open lets a nonsensical verdict run too, but never a block", async () => {
    const quiet = { onHookError: "open", onHookFault: () => {} } as const;
    expect((await execute({ ...quiet, beforeToolCall: returning({ block: true }) })).runs).toBe(1);
    expect((await execute({ ...quiet, beforeToolCall: () => ({ type: "block", reason: "no" }) })).runs).toBe(0);
  });

  test.each(["closed", "crash", "typo"])("%s: the call does not run", async (onHookError) => {
    const { runs, result } = await execute({ ...broken, onHookError: onHookError as never });
    expect({ runs, result }).toEqual({ runs: 0, result: { content: "error: beforeToolCall threw: no rules", isError: true } });
  });

  test.each(["open", "closed", "crash"] as const)("%s: whoever hears of the fault and throws changes nothing", async (onHookError) => {
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const { runs } = await execute({ ...broken, onHookError, onHookFault: () => { throw new Error("screen gone"); } });
    stderr.mockRestore();
    expect(runs).toBe(onHookError === "open" ? 1 : 0);
  });
});
