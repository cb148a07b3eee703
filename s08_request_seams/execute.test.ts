import { describe, expect, test } from "vitest";
import { executeToolCall, type ToolHooks } from "./execute.ts";
import { ToolRegistry, type ToolCall } from "./tools.ts";

const echo: ToolCall = { id: "c1", name: "echo", args: "hi" };

/** Runs one call against a counted echo tool and a counted afterToolCall. */
function execute(hooks: ToolHooks, call: ToolCall = echo, handler: (args: unknown) => string = String) {
  const counted = { runs: 0, afters: 0 };
  const registry = new ToolRegistry();
  registry.register({ name: "echo", description: "" }, (args) => (counted.runs++, handler(args)));
  const afterToolCall: ToolHooks["afterToolCall"] = (...given) => (counted.afters++, hooks.afterToolCall?.(...given) ?? given[1]);
  const result = executeToolCall(registry, { ...hooks, afterToolCall }, call);
  return { ...counted, result };
}

/** What JavaScript lets a hook return, whatever the types say. */
const returning = (value: unknown) => () => value as never;

describe("beforeToolCall", () => {
  test.each([undefined, { type: "allow" }])("F2-05 %j allows", (verdict) => {
    expect(execute({ beforeToolCall: returning(verdict) })).toEqual({
      runs: 1,
      afters: 1,
      result: { role: "toolResult", toolCallId: "c1", content: "hi" },
    });
  });

  test("no hook allows: without a gate everything runs", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "" }, String);
    expect(executeToolCall(registry, {}, echo)).toEqual({ role: "toolResult", toolCallId: "c1", content: "hi" });
  });

  test("a block means: no run, no afterToolCall, and the reason for the model", () => {
    expect(execute({ beforeToolCall: () => ({ type: "block", reason: "not today" }) })).toEqual({
      runs: 0,
      afters: 0,
      result: { role: "toolResult", toolCallId: "c1", content: "blocked: not today" },
    });
  });

  test.each([
    ["null", null],
    ["an empty object", {}],
    ["false", false],
    ["true", true],
    ["a string", "allow"],
    ["another harness's block", { block: true }],
    ["a misspelt type", { type: "alow" }],
    ["a block without a reason", { type: "block" }],
    ["a block with an empty reason", { type: "block", reason: "" }],
    ["a block whose reason is no text", { type: "block", reason: 7 }],
    ["a promise", Promise.resolve({ type: "allow" })],
  ])("F2-05 %s is no verdict: the call does not run, and the error names the hook", (_what, verdict) => {
    const { runs, afters, result } = execute({ beforeToolCall: returning(verdict) });
    expect({ runs, afters }).toEqual({ runs: 0, afters: 0 });
    expect(result.content).toBe("error: beforeToolCall returned neither allow nor a block with a reason");
  });

  test.each([
    ["an Error", new Error("no rules"), "no rules"],
    ["a string", "no rules", "no rules"],
    ["nothing", undefined, "unknown error"],
  ])("F2-04 a hook that throws %s closes the gate", (_what, thrown, text) => {
    const { runs, afters, result } = execute({ beforeToolCall: () => { throw thrown; } });
    expect({ runs, afters }).toEqual({ runs: 0, afters: 0 });
    expect(result.content).toBe(`error: beforeToolCall threw: ${text}`);
  });
});

describe("afterToolCall", () => {
  test("gets the call and the text, and its text is the result", () => {
    const { runs, result } = execute({ afterToolCall: (call, text) => `${call.name} ${text}!` });
    expect(runs).toBe(1);
    expect(result).toEqual({ role: "toolResult", toolCallId: "c1", content: "echo hi!" });
  });

  test("after a failure it gets the error text, and what it returns is the result", () => {
    const { runs, afters, result } = execute({ afterToolCall: (_call, text) => `checked: ${text}` }, echo, () => { throw new Error("broken"); });
    expect({ runs, afters }).toEqual({ runs: 1, afters: 1 });
    expect(result.content).toBe("checked: error: broken");
  });

  test("it is asked for an unknown tool too", () => {
    const { runs, afters, result } = execute({}, { ...echo, name: "nothing" });
    expect({ runs, afters }).toEqual({ runs: 0, afters: 1 });
    expect(result.content).toBe('error: unknown tool "nothing"; tools: echo');
  });

  test("an empty text is a text", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "" }, String);
    expect(executeToolCall(registry, { afterToolCall: () => "" }, echo).content).toBe("");
  });

  test.each([7, {}, true, Promise.resolve("late")])("F2-08 %j is no text: the effect has happened, and the error says so", (value) => {
    const { runs, result } = execute({ afterToolCall: returning(value) });
    expect(runs).toBe(1);
    expect(result.content).toBe("error: the tool ran, but afterToolCall returned no text");
  });

  test("F2-08 a hook that throws leaves exactly one result, which says that the tool ran", () => {
    const { runs, result } = execute({ afterToolCall: () => { throw new Error("no disk"); } });
    expect(runs).toBe(1);
    expect(result).toEqual({
      role: "toolResult",
      toolCallId: "c1",
      content: "error: the tool ran, but afterToolCall threw: no disk",
    });
  });
});
