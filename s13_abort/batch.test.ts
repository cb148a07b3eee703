import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { manualClock, passTime } from "../shared/clock.ts";
import { ask, call, say, type ToolCallEvent } from "../shared/fake-provider.ts";
import { nestingFault, scripted } from "../shared/testing.ts";
import { createEvents, type AgentEvent } from "./events.ts";
import type { ToolHooks } from "./execute.ts";
import { finderFor, registerFileTools } from "./file-tools.ts";
import { runEventedToolLoop } from "./loop.ts";
import { createState } from "./messages.ts";
import { createPermissions } from "./permissions.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry, type ToolExecutionMode } from "./tools.ts";

const parameters = { type: "object" } as const;

/** Tools that take their time, a blocked one and one that throws; everything that happens is in `order`. */
async function run(durations: Record<string, number>, calls: ToolCallEvent[], given: { alone?: string; mode?: ToolExecutionMode; hooks?: ToolHooks } = {}) {
  const clock = manualClock();
  const order: string[] = [];
  const registry = new ToolRegistry();
  for (const [name, ms] of Object.entries(durations)) {
    const mode: { executionMode?: ToolExecutionMode } = name === given.alone ? { executionMode: "sequential" } : {};
    registry.register({ name, description: "", parameters }, async () => {
      order.push(`run ${name}`);
      await clock.wait(ms);
      if (name === "broken") throw new Error("broken");
      return `${name} done`;
    }, { effects: [], paths: () => [], ...mode });
  }
  const hooks: ToolHooks = {
    beforeToolCall: async ({ toolCall: { name } }) => (order.push(`gate ${name}`), name === "blocked" ? { type: "block", reason: "no" } : undefined),
    ...given.hooks,
  };
  const told: AgentEvent[] = [];
  const events = createEvents();
  events.subscribe((event) => {
    told.push(event);
    if (event.type === "tool_execution_start" || event.type === "tool_execution_end") order.push(`${event.type === "tool_execution_start" ? "start" : "end"} ${event.toolName}`);
    if (event.type === "message_end" && event.message.role === "toolResult") order.push(`result ${event.message.toolCallId}`);
  });
  const provider = scripted<ProviderRequest, ProviderEvent>([ask(...calls), say("done")]);
  const state = createState({ toolExecution: given.mode ?? "parallel" });
  const { outcome } = await passTime(clock, runEventedToolLoop({ state, provider, registry, hooks, userInput: "go", events }));
  return { order, told, outcome, provider, took: clock.now(), next: JSON.stringify(provider.requests[1]) };
}

const four = [call("c1", "a"), call("c2", "b"), call("c3", "blocked"), call("c4", "broken")];
const durations = { a: 30, b: 5, blocked: 1, broken: 1 };

describe("parallel", () => {
  test("F2-11 judged in order, run together, ended as they are done, published in order", async () => {
    const { order, told, took } = await run(durations, four);
    expect(order).toEqual([
      ...["start a", "gate a", "start b", "gate b", "start blocked", "gate blocked", "end blocked", "start broken", "gate broken"],
      ...["run a", "run b", "run broken"],
      ...["end broken", "end b", "end a"],
      ...["result c1", "result c2", "result c3", "result c4"],
    ]);
    expect(took).toBe(30);
    expect(nestingFault(told)).toBeUndefined();
    const turnEnd = told.find((event) => event.type === "turn_end");
    expect(turnEnd).toMatchObject({ toolResults: [{ toolCallId: "c1" }, { toolCallId: "c2" }, { toolCallId: "c3" }, { toolCallId: "c4" }] });
  });

  test("F2-06 no tool starts before the last call was judged", async () => {
    const slowGate: ToolHooks = {
      beforeToolCall: async ({ toolCall }) => {
        for (let tick = 0; tick < 50; tick++) await Promise.resolve();
        return toolCall.name === "b" ? { type: "block", reason: "late, but no" } : undefined;
      },
    };
    const { order } = await run({ a: 1, b: 1 }, [call("c1", "a"), call("c2", "b")], { hooks: slowGate });
    expect(order.indexOf("run a")).toBeGreaterThan(order.indexOf("end b"));
    expect(order).not.toContain("run b");
  });

  test("F2-11 the next request is the same bytes whatever finishes first: all orders of four", async () => {
    const names = ["a", "b", "c", "d"];
    const calls = names.map((name, index) => call(`c${index + 1}`, name));
    const requests = new Set<string>();
    const finishes = new Set<string>();
    for (const ranks of permutations([1, 2, 3, 4])) {
      const { next, order } = await run(Object.fromEntries(names.map((name, index) => [name, ranks[index] ?? 0])), calls);
      requests.add(next);
      finishes.add(order.filter((each) => each.startsWith("end")).join());
    }
    expect(finishes.size).toBe(24);
    expect(requests.size).toBe(1);
  });

  test("an unknown call and one with two calls of the same name, among good ones", async () => {
    const { provider } = await run({ a: 3 }, [call("c1", "a"), call("c2", "nothing"), call("c3", "a")]);
    expect(provider.requests[1]?.messages.slice(2).map((message) => message.content)).toEqual(["a done", 'error: unknown tool "nothing"; tools: a', "a done"]);
  });

  test("events are told one at a time, so that a slow listener hears them in the same order as a fast one", async () => {
    const clock = manualClock();
    const registry = new ToolRegistry();
    for (const name of ["a", "b"]) registry.register({ name, description: "", parameters }, () => name, { effects: [], paths: () => [] });
    const heard: [string[], string[]] = [[], []];
    const events = createEvents();
    events.subscribe(async (event) => {
      await clock.wait(event.type === "tool_execution_end" && event.toolName === "a" ? 20 : 1);
      heard[0].push(JSON.stringify(event));
    });
    events.subscribe((event) => void heard[1].push(JSON.stringify(event)));
    const provider = scripted<ProviderRequest, ProviderEvent>([ask(call("c1", "a"), call("c2", "b")), say("done")]);
    await passTime(clock, runEventedToolLoop({ state: createState(), provider, registry, hooks: {}, userInput: "go", events }));
    expect(heard[0]).toEqual(heard[1]);
  });
});

describe("sequential", () => {
  test.each([["one tool that wants to be alone", { alone: "b" }], ["the state", { mode: "sequential" as const }]])("by %s: each call is done, result included, before the next is announced", async (_what, given) => {
    const { order, took, told } = await run(durations, four, given);
    expect(order).toEqual([
      ...["start a", "gate a", "run a", "end a", "result c1"],
      ...["start b", "gate b", "run b", "end b", "result c2"],
      ...["start blocked", "gate blocked", "end blocked", "result c3"],
      ...["start broken", "gate broken", "run broken", "end broken", "result c4"],
    ]);
    expect(took).toBe(36);
    expect(nestingFault(told)).toBeUndefined();
  });

  test("a tool that wants to be alone and is not called holds nobody back", async () => {
    const { took } = await run({ ...durations, alone: 1 }, four, { alone: "alone" });
    expect(took).toBe(30);
  });

  test("both ways send the same next request", async () => {
    expect((await run(durations, four, { mode: "sequential" })).next).toBe((await run(durations, four)).next);
  });
});

describe("a call that changes what another one was judged by", () => {
  let base = "";
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "batch-")));
    for (const folder of ["WS/pack", "OUT"]) mkdirSync(join(base, folder), { recursive: true });
    symlinkSync(join(base, "OUT"), join(base, "WS", "pack", "out"), "junction");
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const steps = [["move_file", { from: "pack", to: "sub" }], ["write_file", { path: "sub/out/new.txt", text: "x" }]] as const;

  test.each(["parallel", "sequential", "nested"])("move pack to sub, then write sub/out/new.txt, which leads out by then: lands nowhere (%s)", async (form) => {
    const root = join(base, "WS");
    const marked = new ToolRegistry();
    registerFileTools(marked, finderFor(root));
    const registry = new ToolRegistry();
    for (const name of ["move_file", "write_file"]) {
      const { spec, handler, executionMode: _mark, ...declared } = marked.find(name);
      registry.register(spec, handler, { ...declared, executionMode: form === "parallel" ? "parallel" : "sequential" });
    }
    registry.register({ name: "plan", description: "", parameters }, async (_args, { runToolCall }) => {
      const results = [];
      for (const [name, args] of steps) results.push((await runToolCall({ name, args })).content);
      return results.join("; ");
    }, { effects: [], paths: () => [] });
    const policy = { root, rules: [{ verdict: "allow", effects: ["read", "write"], paths: ["**"] } as const] };
    const calls = form === "nested" ? [call("c1", "plan")] : steps.map(([name, args], index) => call(`c${index + 1}`, name, args));
    const provider = scripted<ProviderRequest, ProviderEvent>([ask(...calls), say("done")]);
    const hooks = { beforeToolCall: createPermissions(policy) };
    await runEventedToolLoop({ state: createState(), provider, registry, hooks, userInput: "go", events: createEvents() });
    expect(readdirSync(join(base, "OUT"))).toEqual([]);
    expect(existsSync(join(root, "sub"))).toBe(true);
    const who = form === "parallel" ? "error" : "blocked";
    expect(JSON.stringify(provider.requests[1])).toContain(`${who}: \\"sub/out/new.txt\\" leads out of the workspace`);
  });
});

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutations(items.filter((_each, other) => other !== index)).map((rest) => [item, ...rest]));
}
