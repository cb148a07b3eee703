import { describe, expect, test } from "vitest";
import { settle, ToolRegistry, toolResult, type ToolCall } from "./tools.ts";
import type { ObjectSchema } from "./validate.ts";

/** A tool that touches nothing. */
const harmless = { effects: [], paths: () => [] };

const call = (name: string): ToolCall => ({ id: "c1", name, args: {} });

describe("register", () => {
  test.each(["", " "])("refuses the empty name %j", (name) => {
    expect(() => new ToolRegistry().register({ name, description: "", parameters: { type: "object" } }, String, harmless)).toThrow("a tool needs a name");
  });

  test("refuses a second tool of the same name, and keeps the first", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "first", parameters: { type: "object" } }, () => "first", harmless);
    expect(() => registry.register({ name: "echo", description: "second", parameters: { type: "object" } }, () => "second", harmless)).toThrow('a tool named "echo" is already registered');
    expect(registry.find("echo").spec.description).toBe("first");
  });

  test.each(["__proto__", "constructor", "toString"])("takes %s as an ordinary name", (name) => {
    const registry = new ToolRegistry();
    expect(() => registry.find(name)).toThrow("unknown tool");
    registry.register({ name, description: "", parameters: { type: "object" } }, () => "ran", harmless);
    expect(registry.find(name).spec.name).toBe(name);
    expect(registry.getSpecs()).toEqual([{ name, description: "", parameters: { type: "object" } }]);
  });

  test("what is handed in or out cannot change what is registered", () => {
    const registry = new ToolRegistry();
    const spec = { name: "echo", description: "as registered", parameters: { type: "object", required: ["text"] } satisfies ObjectSchema };
    registry.register(spec, String, harmless);
    spec.description = "changed";
    spec.parameters.required.pop();
    for (const handed of registry.getSpecs()) handed.description = "changed";
    registry.getSpecs().pop();
    expect(registry.getSpecs()).toEqual([{ name: "echo", description: "as registered", parameters: { type: "object", required: ["text"] } }]);
  });
});

test.each([[undefined], [{}], [{ effects: [] }], [{ paths: () => [] }], [{ effects: "read", paths: () => [] }], [{ effects: [], paths: [] }]])(
  "F3-17 a tool that declares %j is refused, and says what is missing",
  (options) => {
    const register = () => new ToolRegistry().register({ name: "odd", description: "", parameters: { type: "object" } }, String, options as never);
    expect(register).toThrow('tool "odd" must declare its effects and its paths; both may be empty');
  },
);

describe("find", () => {
  test.each(["Echo", "echo ", ""])("F2-15 %j is not echo", (name) => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "", parameters: { type: "object" } }, String, harmless);
    expect(() => registry.find(name)).toThrow(`unknown tool "${name}"; tools: echo`);
  });

  test("says so when there are no tools at all", () => {
    expect(() => new ToolRegistry().find("echo")).toThrow('unknown tool "echo"; tools: none');
  });
});

test("what find gives cannot change what is registered", () => {
  const registry = new ToolRegistry();
  const handler = () => "ran";
  registry.register({ name: "echo", description: "as registered", parameters: { type: "object", required: ["text"] } }, handler, { effects: ["read"], paths: () => [] });
  const found = registry.find("echo");
  expect(() => { found.handler = () => "changed"; }).toThrow(TypeError);
  expect(() => { found.spec.description = "changed"; }).toThrow(TypeError);
  expect(() => { found.spec.parameters.required = []; }).toThrow(TypeError);
  expect(() => (found.effects as string[]).push("write")).toThrow(TypeError);
  expect(registry.find("echo")).toMatchObject({ handler, spec: { description: "as registered", parameters: { required: ["text"] } }, effects: ["read"] });
  expect(registry.find("echo").effects).toEqual(["read"]);
});

describe("copy", () => {
  test("has the same tools, and from then on the two change apart", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "", parameters: { type: "object" } }, () => "ran", harmless);
    const copy = registry.copy();
    registry.unregister("echo");
    copy.register({ name: "late", description: "", parameters: { type: "object" } }, () => "late", harmless);
    expect(copy.find("echo").spec.name).toBe("echo");
    expect(registry.getSpecs()).toEqual([]);
    expect(copy.getSpecs().map((spec) => spec.name)).toEqual(["echo", "late"]);
  });

  test("unregister says whether there was such a tool", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "", parameters: { type: "object" } }, String, harmless);
    expect([registry.unregister("echo"), registry.unregister("echo")]).toEqual([true, false]);
  });
});

describe("settle", () => {
  test.each([
    ["an Error", new Error("broken"), "error: broken"],
    ["a string", "broken", "error: broken"],
    ["nothing", undefined, "error: unknown error"],
    ["an object without a text", Object.create(null), "error: unknown error"],
  ])("a handler that throws or rejects with %s gives an error result", async (_what, thrown, content) => {
    expect(await settle(call("echo"), () => { throw thrown; })).toEqual({ content, isError: true });
    expect(await settle(call("echo"), () => Promise.reject(thrown))).toEqual({ content, isError: true });
  });

  test.each([undefined, null, 7, {}, { content: 7 }])("a handler that returns %j gives an error result", async (returned) => {
    expect(await settle(call("echo"), () => returned as never)).toEqual({ content: 'error: tool "echo" returned no text', isError: true });
  });

  test("a text is a whole result, and a result can say by itself that it failed", async () => {
    expect(await settle(call("echo"), async () => "hi")).toEqual({ content: "hi" });
    expect(await settle(call("echo"), () => ({ content: "no", isError: true, details: { code: 7 } }))).toEqual({ content: "no", isError: true, details: { code: 7 } });
  });

  test("what the handler keeps of its result cannot change it, and what cannot be copied is an error", async () => {
    const details = { lines: 1 };
    const result = await settle(call("echo"), () => ({ content: "hi", details }));
    details.lines = 2;
    expect(result.details).toEqual({ lines: 1 });
    expect((await settle(call("echo"), () => ({ content: "hi", details: () => {} }))).isError).toBe(true);
  });
});

test("the message of a result has its identity last, and leaves structuredContent out", () => {
  const handed = { content: "hi", structuredContent: { n: 1 }, details: 7, role: "user", toolCallId: "other" };
  expect(toolResult(call("echo"), handed)).toEqual({ role: "toolResult", toolCallId: "c1", content: "hi", isError: false, details: 7 });
});
