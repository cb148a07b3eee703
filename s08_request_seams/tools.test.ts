import { describe, expect, test } from "vitest";
import { settle, ToolRegistry, type ToolCall } from "./tools.ts";

const call = (name: string): ToolCall => ({ id: "c1", name, args: {} });

describe("register", () => {
  test.each(["", " "])("refuses the empty name %j", (name) => {
    expect(() => new ToolRegistry().register({ name, description: "" }, String)).toThrow("a tool needs a name");
  });

  test("refuses a second tool of the same name, and keeps the first", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "first" }, () => "first");
    expect(() => registry.register({ name: "echo", description: "second" }, () => "second")).toThrow('a tool named "echo" is already registered');
    expect(registry.run(call("echo"))).toBe("first");
  });

  test.each(["__proto__", "constructor", "toString"])("takes %s as an ordinary name", (name) => {
    const registry = new ToolRegistry();
    expect(() => registry.run(call(name))).toThrow("unknown tool");
    registry.register({ name, description: "" }, () => "ran");
    expect(registry.run(call(name))).toBe("ran");
    expect(registry.getSpecs()).toEqual([{ name, description: "" }]);
  });

  test("what is handed in or out cannot change what is registered", () => {
    const registry = new ToolRegistry();
    const spec = { name: "echo", description: "as registered" };
    registry.register(spec, String);
    spec.description = "changed";
    for (const handed of registry.getSpecs()) handed.description = "changed";
    registry.getSpecs().pop();
    expect(registry.getSpecs()).toEqual([{ name: "echo", description: "as registered" }]);
  });
});

describe("run", () => {
  test.each(["Echo", "echo ", ""])("F2-15 %j is not echo", (name) => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "" }, String);
    expect(() => registry.run(call(name))).toThrow(`unknown tool "${name}"; tools: echo`);
  });

  test("says so when there are no tools at all", () => {
    expect(() => new ToolRegistry().run(call("echo"))).toThrow('unknown tool "echo"; tools: none');
  });
});

test("what find gives cannot change what is registered", () => {
  const registry = new ToolRegistry();
  registry.register({ name: "echo", description: "as registered" }, () => "ran");
  const found = registry.find("echo");
  found.handler = () => "changed";
  found.spec.description = "changed";
  expect(registry.run(call("echo"))).toBe("ran");
  expect(registry.getSpecs()).toEqual([{ name: "echo", description: "as registered" }]);
});

describe("copy", () => {
  test("has the same tools, and from then on the two change apart", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "" }, () => "ran");
    const copy = registry.copy();
    registry.unregister("echo");
    copy.register({ name: "late", description: "" }, () => "late");
    expect(copy.run(call("echo"))).toBe("ran");
    expect(registry.getSpecs()).toEqual([]);
    expect(copy.getSpecs().map((spec) => spec.name)).toEqual(["echo", "late"]);
  });

  test("unregister says whether there was such a tool", () => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "" }, String);
    expect([registry.unregister("echo"), registry.unregister("echo")]).toEqual([true, false]);
  });
});

describe("settle", () => {
  test.each([
    ["an Error", new Error("broken"), "error: broken"],
    ["a string", "broken", "error: broken"],
    ["nothing", undefined, "error: unknown error"],
    ["an object without a text", Object.create(null), "error: unknown error"],
    ["an object", { code: 7 }, "error: [object Object]"],
  ])("a handler that throws %s gives an error result", (_what, thrown, content) => {
    const result = settle(call("echo"), () => { throw thrown; });
    expect(result).toBe(content);
  });

  test.each([undefined, 7, Promise.resolve("late")])("a handler that returns %s gives an error result", (returned) => {
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "" }, () => returned as unknown as string);
    expect(settle(call("echo"), () => registry.run(call("echo")))).toBe('error: tool "echo" returned no text');
  });
});
