import { expect, test } from "vitest";
import { createState } from "./messages.ts";
import { createTurnSnapshot } from "./snapshot.ts";
import { ToolRegistry } from "./tools.ts";

/** A tool that touches nothing. */
const harmless = { effects: [], paths: () => [] };


function stage() {
  const state = createState({ model: "small" });
  const registry = new ToolRegistry();
  registry.register({ name: "echo", description: "", parameters: { type: "object" } }, () => "ran", harmless);
  return { state, registry, snapshot: createTurnSnapshot(state, registry, {}) };
}

test("a change of the state or the registry does not reach the snapshot", () => {
  const { state, registry, snapshot } = stage();
  state.model = "large";
  registry.unregister("echo");
  expect(snapshot.model).toBe("small");
  expect(snapshot.registry.find("echo").spec.name).toBe("echo");
});

test("a change of the snapshot does not reach the state or the registry", () => {
  const { state, registry, snapshot } = stage();
  expect(() => Object.assign(snapshot, { model: "large" })).toThrow(TypeError);
  snapshot.registry.unregister("echo");
  expect(state.model).toBe("small");
  expect(registry.find("echo").spec.name).toBe("echo");
});

test("what was replaced comes first, and what the transcript gained since stands behind it", () => {
  const { state, registry } = stage();
  const tools = new ToolRegistry();
  const replacedFor = { messages: [{ role: "user" as const, content: "short" }], tools, from: state.messages.length };
  state.messages.push({ role: "user", content: "later" });
  const snapshot = createTurnSnapshot(state, registry, { context: replacedFor, model: "large", thinkingLevel: "high" });
  expect(snapshot).toMatchObject({ model: "large", thinkingLevel: "high" });
  expect(snapshot.messages.map((message) => message.content)).toEqual(["short", "later"]);
  expect(snapshot.registry.getSpecs()).toEqual([]);
});
