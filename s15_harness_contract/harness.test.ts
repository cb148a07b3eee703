import { describe, expect, test } from "vitest";
import { ask, call, failed, messageStart, say } from "../shared/fake-provider.ts";
import { scripted } from "../shared/testing.ts";
import type { BudgetLimits } from "./budget.ts";
import { createHarness, HookAbort, type HarnessHook, type HarnessOptions, type HookTopic, type Planner, type PullRequest, type ResumePayload, type SessionResult } from "./harness.ts";
import { runToolCall } from "./host.ts";
import { createProviderPlanner } from "./planner.ts";
import { apply, newProgress, type HarnessEvent, type HarnessState, type Plan } from "./progress.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const step = (id: string, toolName?: string) => ({ id, description: `do ${id}`, ...(toolName === undefined ? {} : { toolName, toolArgs: { id } }) });
const three: Plan = { answer: "", steps: [step("s1", "read"), step("s2", "delete"), step("s3", "save")] };
const plannerOf = (plan: Plan, replan?: Planner["replan"]): Planner => ({ plan: async () => plan, ...(replan ? { replan } : {}) });

type Given = Partial<HarnessOptions> & { plan?: Plan };

/** A harness whose events and hooks are written into one list, in the order in which they happened. */
function stage({ plan = three, hooks = {}, ...given }: Given = {}) {
  const order: string[] = [];
  const events: HarnessEvent[] = [];
  const topics: HookTopic[] = ["before_plan", "after_plan", "before_step", "after_step", "before_tool_call", "after_tool_call", "on_error", "on_pause", "on_budget_exceeded", "on_complete"];
  const listening = Object.fromEntries(topics.map((topic) => [topic, ((about) => {
    order.push(`${topic}${about.step ? ` ${about.step.id}` : ""}${about.outcome ? ` ${about.outcome}` : ""}`);
    return hooks[topic]?.(about);
  }) satisfies HarnessHook]));
  let seconds = 0;
  const harness = createHarness({
    planner: plannerOf(plan),
    now: () => seconds,
    record: (event) => {
      events.push(event);
      order.push(`${event.type}${"stepId" in event ? ` ${event.stepId}` : ""}${"outcome" in event ? ` ${event.outcome}` : ""}`);
    },
    ...given,
    hooks: listening,
  });
  return { harness, order, events, pass: (more: number) => (seconds += more) };
}

/** Answers every pull, tool calls with `ok <tool>`, until the session is over. */
async function drive(harness: ReturnType<typeof stage>["harness"], answer: (pull: PullRequest) => ResumePayload = () => ({ result: "ok" })) {
  const pulls: string[] = [];
  let reply = await harness.run("goal");
  while (reply.kind === "pull") {
    pulls.push(reply.reason === "tool_call" ? `${reply.payload.stepId} ${reply.payload.toolName}` : `budget ${reply.payload.limit}`);
    reply = await harness.resume(answer(reply));
  }
  return { pulls, result: reply };
}

const denyDelete: HarnessOptions["hooks"] = {
  before_tool_call({ step: about }) {
    if (about?.toolName === "delete") throw new HookAbort("on the deny list");
  },
};

describe("the contract", () => {
  test("run returns a pull for the first tool, and says what it needs", async () => {
    const { harness } = stage();
    expect(await harness.run("goal")).toEqual({ kind: "pull", reason: "tool_call", payload: { callId: "s1", stepId: "s1", toolName: "read", toolArgs: { id: "s1" } } });
    expect(harness.progress().state).toBe("awaiting_tool");
  });

  test("the order of hooks and events of one step with a tool", async () => {
    const { harness, order } = stage({ plan: { answer: "", steps: [step("s1", "read")] } });
    await drive(harness);
    expect(order).toEqual([
      ...["session.start", "before_plan", "plan.draft", "plan.commit", "after_plan"],
      ...["before_step s1", "step.start s1", "before_tool_call s1", "tool.call s1", "step.end s1 awaiting_tool", "after_step s1 awaiting_tool"],
      ...["tool.result s1", "after_tool_call s1 ok"],
      ...["session.complete", "on_complete goal_met"],
    ]);
  });

  test("a step without a tool ends with outcome ok and goes on by itself", async () => {
    const { harness, order } = stage({ plan: { answer: "", steps: [step("s1"), step("s2")] } });
    const { pulls, result } = await drive(harness);
    expect(pulls).toEqual([]);
    expect(result).toMatchObject({ reason: "goal_met", spent: { turns: 2, toolCalls: 0 } });
    expect(order.filter((each) => each.startsWith("step.end"))).toEqual(["step.end s1 ok", "step.end s2 ok"]);
  });

  test("a resume with an error: tool.error, on_error, after_tool_call, and on with the next step", async () => {
    const { harness, order } = stage();
    const { pulls, result } = await drive(harness, (pull) => (pull.reason === "tool_call" && pull.payload.stepId === "s2" ? { error: "disk full" } : { result: "ok" }));
    expect(pulls).toEqual(["s1 read", "s2 delete", "s3 save"]);
    expect(order.slice(order.indexOf("tool.error s2"), order.indexOf("tool.error s2") + 4)).toEqual(["tool.error s2", "on_error s2", "after_tool_call s2 error", "before_step s3"]);
    expect(result.failedAttempts).toEqual([{ stepId: "s2", toolName: "delete", reason: "disk full" }]);
  });

  test("an empty plan is no_plan", async () => {
    const { harness, order } = stage({ plan: { answer: "nothing to do", steps: [] } });
    expect(await harness.run("goal")).toMatchObject({ kind: "result", reason: "no_plan", answer: "nothing to do" });
    expect(order).not.toContain("plan.commit");
  });

  test("a planner that throws is an error result, not an exception", async () => {
    const { harness } = stage({ planner: { plan: () => Promise.reject(new Error("no idea")) } });
    expect(await harness.run("goal")).toMatchObject({ kind: "result", reason: "error", error: "no idea" });
  });

  test("F2-21 whoever never pulls again gets no further side effect", async () => {
    const { harness, order } = stage();
    await harness.run("goal");
    const before = order.length;
    for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(order).toHaveLength(before);
  });
});

describe("a hook aborts the tool call", () => {
  test("what happens, in order: the step has its end, the session goes on with the next one", async () => {
    const { harness, order } = stage({ hooks: denyDelete });
    const { pulls, result } = await drive(harness);
    const from = order.indexOf("before_step s2");
    expect(order.slice(from, order.indexOf("before_step s3") + 1)).toEqual([
      "before_step s2", "step.start s2", "before_tool_call s2", "tool.error s2", "on_error s2", "step.end s2 aborted", "after_step s2 aborted", "before_step s3",
    ]);
    expect(pulls).toEqual(["s1 read", "s3 save"]);
    expect(result).toMatchObject({ reason: "goal_met", failedAttempts: [{ stepId: "s2", toolName: "delete", reason: "hook_abort:on the deny list" }] });
  });

  test("wrong answer 1: it does not reach the caller as an exception", async () => {
    await expect(drive(stage({ hooks: denyDelete }).harness)).resolves.toBeDefined();
  });

  test("wrong answer 2: the step is not tried again", async () => {
    const { harness, order } = stage({ hooks: denyDelete });
    await drive(harness);
    expect(order.filter((each) => each === "step.start s2")).toHaveLength(1);
  });

  test("wrong answer 3: a denied call spends no tool call; it spends one turn", async () => {
    const { harness, events } = stage({ hooks: denyDelete });
    const { result } = await drive(harness);
    expect(result.spent).toEqual({ turns: 3, toolCalls: 2, seconds: 0 });
    expect(events.filter((event) => event.type === "tool.call")).toHaveLength(2);
  });

  test("on the last step the caller gets goal_met and must read what failed", async () => {
    const plan = { answer: "", steps: [step("s1", "read"), step("s2", "delete")] };
    const { result } = await drive(stage({ plan, hooks: denyDelete }).harness);
    expect(result).toMatchObject({ reason: "goal_met", failedAttempts: [{ stepId: "s2" }] });
  });

  test("every step.start has its step.end, on every path", async () => {
    for (const hooks of [{}, denyDelete, { before_step: () => { throw new HookAbort("no"); } }]) {
      const { harness, events } = stage({ hooks, plan: { answer: "", steps: [...three.steps, step("s4")] } });
      await drive(harness, () => ({ error: "no" }));
      const open: string[] = [];
      for (const event of events) {
        if (event.type === "step.start") open.push(event.stepId);
        if (event.type === "step.end") expect(open.pop()).toBe(event.stepId);
      }
      expect(open).toEqual([]);
    }
  });

  test("the end of the aborted step is recorded before the state moves on", async () => {
    const states: HarnessState[] = [];
    const { harness } = stage({ hooks: denyDelete, record: (event) => void (event.type === "step.end" && event.outcome === "aborted" && states.push(harness.progress().state)) });
    await drive(harness);
    expect(states).toEqual(["executing"]);
  });

  test("a gate that is broken denies too, and says so in other words", async () => {
    const { result } = await drive(stage({ hooks: { before_tool_call: () => { throw new Error("no rules"); } } }).harness);
    expect(result.failedAttempts.map((attempt) => attempt.reason)).toEqual(["hook_error:no rules", "hook_error:no rules", "hook_error:no rules"]);
  });

  test("in before_plan it ends the session: there is nothing to go on with", async () => {
    expect(await stage({ hooks: { before_plan: () => { throw new HookAbort("not today"); } } }).harness.run("goal")).toMatchObject({ reason: "aborted", error: "hook_abort:not today" });
  });

  test("hooks get copies: an edit changes nothing; and one that fails where nothing can be stopped is reported", async () => {
    const faults: string[] = [];
    const { harness } = stage({
      onHookFault: (topic, error) => faults.push(`${topic} ${String(error)}`),
      hooks: {
        before_tool_call: ({ step: about }) => void (about && (about.toolName = "edited")),
        after_step: () => { throw new Error("gone"); },
      },
    });
    expect((await drive(harness)).pulls).toEqual(["s1 read", "s2 delete", "s3 save"]);
    expect(faults).toEqual(["after_step Error: gone", "after_step Error: gone", "after_step Error: gone"]);
  });
});

describe("the table of transitions", () => {
  const states: HarnessState[] = ["idle", "planning", "executing", "awaiting_tool", "reflecting", "done"];
  const events: HarnessEvent[] = [
    { type: "session.start", at: 0, goal: "goal", limits: {} },
    { type: "plan.commit", at: 0 },
    { type: "tool.call", at: 0, stepId: "s1", toolName: "read", toolArgs: {} },
    { type: "tool.result", at: 0, stepId: "s1", result: "ok" },
    { type: "step.end", at: 0, stepId: "s1", outcome: "ok" },
    { type: "session.complete", at: 0, reason: "goal_met" },
  ];
  const legal: Record<string, HarnessState> = {
    "idle session.start": "planning",
    "planning plan.commit": "executing",
    "planning session.complete": "done",
    "executing tool.call": "awaiting_tool",
    "executing tool.result": "reflecting",
    "executing step.end": "reflecting",
    "executing session.complete": "done",
    "awaiting_tool tool.result": "reflecting",
    "awaiting_tool step.end": "reflecting",
    "awaiting_tool session.complete": "done",
    "reflecting plan.commit": "executing",
    "reflecting session.complete": "done",
  };

  test.each(states.flatMap((from) => events.map((event): [HarnessState, string, HarnessEvent] => [from, event.type, event])))("%s, then %s", (from, type, event) => {
    const to = legal[`${from} ${type}`];
    const move = () => apply({ ...newProgress(), state: from }, event).state;
    if (to) expect(move()).toBe(to);
    else expect(move).toThrow(/^illegal transition: /);
  });

  test("from waiting for a tool there is no way straight back to executing", () => {
    expect(() => apply({ ...newProgress(), state: "awaiting_tool" }, { type: "plan.commit", at: 0 })).toThrow("illegal transition: awaiting_tool to executing; allowed: reflecting, done");
  });
});

describe("replan", () => {
  test("the planner sees the failed step and gives a new plan: the only way to try again", async () => {
    const seen: unknown[] = [];
    const replan: Planner["replan"] = async (progress) => {
      const last = progress.rounds.at(-1)?.results.at(-1);
      if (!last?.isError) return undefined;
      seen.push(last);
      return { answer: "", steps: [step("again", "save")] };
    };
    const { harness } = stage({ planner: plannerOf({ answer: "", steps: [step("s1", "save"), step("s2", "read")] }, replan) });
    let first = true;
    const { pulls, result } = await drive(harness, () => (first ? ((first = false), { error: "busy" }) : { result: "ok" }));
    expect(seen).toEqual([{ stepId: "s1", content: "busy", isError: true }]);
    expect(pulls).toEqual(["s1 save", "again save"]);
    expect(result).toMatchObject({ reason: "goal_met", failedAttempts: [{ stepId: "s1" }] });
  });
});

describe("budgets", () => {
  test.each<[BudgetLimits, string[], string[]]>([
    [{ turns: 0 }, ["budget turns"], []],
    [{ toolCalls: 0 }, ["budget toolCalls"], []],
    [{ seconds: 0 }, ["budget seconds"], []],
    [{ turns: 2 }, ["s1 read", "s2 delete", "budget turns"], ["s1", "s2"]],
    [{ toolCalls: 1 }, ["s1 read", "budget toolCalls"], ["s1"]],
  ])("%j: %j, and no step is begun that cannot be finished", async (limits, pulls, started) => {
    const { harness, events } = stage({ limits });
    const driven = await drive(harness, (pull) => (pull.reason === "budget_exceeded" ? { stop: true } : { result: "ok" }));
    expect(driven.pulls).toEqual(pulls);
    expect(driven.result.reason).toBe("budget_exceeded");
    expect(events.flatMap((event) => (event.type === "step.start" ? [event.stepId] : []))).toEqual(started);
  });

  test("seconds, by the clock that was given", async () => {
    const { harness, pass } = stage({ limits: { seconds: 10 } });
    const { pulls } = await drive(harness, (pull) => {
      pass(6);
      return pull.reason === "budget_exceeded" ? { stop: true } : { result: "ok" };
    });
    expect(pulls).toEqual(["s1 read", "s2 delete", "budget seconds"]);
  });

  test("a spent budget is told with its own reason, its hooks and its event, and can be raised", async () => {
    const { harness, order } = stage({ limits: { toolCalls: 1 } });
    let reply = await harness.run("goal");
    reply = await harness.resume({ result: "ok" });
    expect(reply).toEqual({ kind: "pull", reason: "budget_exceeded", payload: { limit: "toolCalls", spent: { turns: 1, toolCalls: 1, seconds: 0 }, limits: { toolCalls: 1 } } });
    expect(order.slice(-3)).toEqual(["on_budget_exceeded toolCalls", "session.pause", "on_pause toolCalls"]);
    expect(await harness.resume({ limits: { toolCalls: 9 } })).toMatchObject({ kind: "pull", reason: "tool_call", payload: { stepId: "s2" } });
  });

  test("a limit that is nearly spent is warned of once", async () => {
    const { harness, events } = stage({ limits: { toolCalls: 3, turns: 100 } });
    await drive(harness);
    expect(events.flatMap((event) => (event.type === "budget.warn" ? [event.limit] : []))).toEqual(["toolCalls"]);
  });

  test.each<[BudgetLimits, string]>([
    [{ turns: -1 }, "the limit of turns must be a whole number, 0 or more; it is -1"],
    [{ toolCalls: 1.5 }, "the limit of toolCalls must be a whole number, 0 or more; it is 1.5"],
    [{ seconds: Number.NaN }, "the limit of seconds must be a number, 0 or more; it is NaN"],
    [{ turn: 3 } as BudgetLimits, "unknown limit turn; limits: turns, toolCalls, seconds"],
    ["three" as BudgetLimits, "limits are an object with turns, toolCalls, seconds"],
    [{ seconds: -0.1 }, "the limit of seconds must be a number, 0 or more; it is -0.1"],
  ])("%j is refused at the start", (limits, message) => {
    expect(() => stage({ limits })).toThrow(new RangeError(message));
  });
});

describe("answers that do not fit", () => {
  test.each<[ResumePayload, string]>([
    [{ stop: true }, "a tool call is answered with a result or an error, as text"],
    [{ limits: {} }, "a tool call is answered with a result or an error, as text"],
    [{ result: undefined as unknown as string }, "a tool call is answered with a result or an error, as text"],
    [null as unknown as ResumePayload, "an answer is an object"],
    ["ok" as unknown as ResumePayload, "an answer is an object"],
  ])("%j to a tool call: the same pull again", async (payload, refused) => {
    const { harness } = stage();
    const pull = await harness.run("goal");
    expect(await harness.resume(payload)).toEqual({ ...pull, refused });
    expect(await harness.run("again")).toEqual({ ...pull, refused: "run was called already" });
    expect((await harness.resume({ result: "ok" })).kind).toBe("pull");
  });

  test.each<[ResumePayload, RegExp]>([[{ result: "ok" }, /a spent budget is answered with limits or stop/], [{ limits: { turns: -1 } }, /the limit of turns must be/]])("%j to a spent budget: the same pull again", async (payload, refused) => {
    const { harness } = stage({ limits: { turns: 0 } });
    await harness.run("goal");
    expect(await harness.resume(payload)).toMatchObject({ reason: "budget_exceeded", refused: expect.stringMatching(refused) });
  });

  test("when the session is over every call gives its result; before it began resume is a mistake", async () => {
    const { harness } = stage({ plan: { answer: "", steps: [step("s1")] } });
    await expect(harness.resume({ result: "ok" })).rejects.toThrow("nothing is waited for; call run first");
    const result = await harness.run("goal");
    expect(await harness.resume({ result: "late" })).toEqual(result);
    expect(await harness.run("again")).toEqual(result);
  });
});

describe("one at a time", () => {
  test("a second resume before the first has its reply is refused, and changes nothing", async () => {
    const { harness, order } = stage({ plan: { answer: "", steps: [step("s1", "read"), step("s2", "save")] } });
    await harness.run("goal");
    const [first, second] = await Promise.allSettled([harness.resume({ result: "one" }), harness.resume({ result: "two" })]);
    expect(second).toMatchObject({ status: "rejected", reason: { message: "the harness is at work on its next reply; wait for that one" } });
    expect(first).toMatchObject({ status: "fulfilled", value: { reason: "tool_call", payload: { stepId: "s2" } } });
    expect(order.filter((entry) => entry.startsWith("tool.result"))).toEqual(["tool.result s1"]);
    expect(await harness.resume({ result: "two" })).toMatchObject({ reason: "goal_met" });
  });

  test("a second run before the first has its reply is refused", async () => {
    const { harness, events } = stage({ plan: { answer: "", steps: [step("s1", "read")] } });
    const [first, second] = await Promise.allSettled([harness.run("goal"), harness.run("another goal")]);
    expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
    expect(events.filter((event) => event.type === "session.start")).toHaveLength(1);
  });
});

describe("a host that fails", () => {
  test("what hears of faults and throws changes nothing", async () => {
    const broken = () => { throw new Error("broken"); };
    const { harness } = stage({ plan: { answer: "", steps: [step("s1")] }, hooks: { after_step: broken, on_complete: broken }, onHookFault: broken });
    expect(await harness.run("goal")).toMatchObject({ kind: "result", reason: "goal_met" });
  });

  test("what records an event cannot begin the session again", async () => {
    const events: string[] = [];
    let again: Promise<unknown> | undefined;
    const { harness } = stage({ record: (event) => (events.push(event.type), (again ??= harness.run("again").catch((error: Error) => error.message))) });
    await harness.run("goal");
    expect(await again).toBe("the harness is at work on its next reply; wait for that one");
    expect(events.filter((type) => type === "session.start")).toHaveLength(1);
  });
});

describe("copies", () => {
  test("what is handed out or came from outside cannot change the session", async () => {
    const steps = [step("s1", "read")];
    const events: HarnessEvent[] = [];
    const record = (event: HarnessEvent) => { events.push(structuredClone(event)); if (event.type === "plan.draft") event.plan.steps.length = 0; };
    const { harness } = stage({ planner: { plan: async () => ({ answer: "", steps }) }, record });
    const reply = await harness.run("goal");
    steps.push(step("s2", "save"));
    if (reply.kind === "pull" && reply.reason === "tool_call") (reply.payload.toolArgs as { id: string }).id = "edited";
    expect(harness.progress().plan).toEqual([step("s1", "read")]);
    expect(await harness.resume({ result: "ok" })).toMatchObject({ reason: "goal_met" });
    expect(events.find((event) => event.type === "tool.call")).toMatchObject({ toolArgs: { id: "s1" } });
  });
});

describe("the provider as the planner", () => {
  function provided(script: Parameters<typeof scripted<ProviderRequest, ProviderEvent>>[0]) {
    const provider = scripted<ProviderRequest, ProviderEvent>(script);
    const registry = new ToolRegistry();
    const done: string[] = [];
    for (const name of ["read", "save"]) registry.register({ name, description: "", parameters: { type: "object" } }, () => (done.push(name), `${name} done`), { effects: [], paths: () => [] });
    const { signal } = new AbortController();
    const planner = createProviderPlanner({ provider, registry, hooks: {}, signal });
    const host = { registry, hooks: { beforeToolCall: () => undefined }, signal };
    return { provider, planner, host, done };
  }

  async function pull(planner: Planner, host: Parameters<typeof runToolCall>[1], hooks: HarnessOptions["hooks"] = {}): Promise<SessionResult> {
    const harness = createHarness({ planner, hooks, now: () => 0 });
    let reply = await harness.run("goal");
    while (reply.kind === "pull" && reply.reason === "tool_call") reply = await harness.resume(await runToolCall(reply, host));
    if (reply.kind === "pull") throw new Error("a budget was not given");
    return reply;
  }

  test("the calls of an answer are the steps, their results the next request, and the last answer ends it", async () => {
    const { provider, planner, host, done } = provided([ask("first", call("c1", "read"), call("c2", "save")), say("all done")]);
    expect(await pull(planner, host)).toMatchObject({ reason: "goal_met", answer: "all done" });
    expect(done).toEqual(["read", "save"]);
    expect(provider.requests[1]?.messages).toMatchObject([
      { role: "user", content: "goal" },
      { role: "assistant", content: "first", toolCalls: [{ id: "c1" }, { id: "c2" }] },
      { role: "toolResult", toolCallId: "c1", content: "read done" },
      { role: "toolResult", toolCallId: "c2", content: "save done" },
    ]);
  });

  test("a denied step has its result in the next request: the history stays valid", async () => {
    const { provider, planner, host, done } = provided([ask(call("c1", "read"), call("c2", "save")), say("done")]);
    const hooks: HarnessOptions["hooks"] = { before_tool_call: ({ step: about }) => { if (about?.toolName === "read") throw new HookAbort("no"); } };
    await pull(planner, host, hooks);
    expect(done).toEqual(["save"]);
    expect(provider.requests[1]?.messages[2]).toMatchObject({ toolCallId: "c1", content: "hook_abort:no", isError: true });
  });

  test("an id that is used again in a later plan is another step", async () => {
    const { planner, host, done } = provided([ask(call("c1", "read")), ask(call("c1", "save")), say("done")]);
    expect((await pull(planner, host)).reason).toBe("goal_met");
    expect(done).toEqual(["read", "save"]);
  });

  test("unknown tools and refused calls come back as errors, through the pipeline", async () => {
    const { planner, host } = provided([ask(call("c1", "nothing"), call("c2", "read")), say("done")]);
    const blocking = { ...host, hooks: { beforeToolCall: () => ({ type: "block", reason: "no" }) as const } };
    const { failedAttempts } = await pull(planner, blocking);
    expect(failedAttempts.map((attempt) => attempt.reason)).toEqual(['error: unknown tool "nothing"; tools: read, save', "blocked: no"]);
  });

  test("an answer that was cut is no plan: none of its calls runs", async () => {
    const { planner, host, done } = provided([[messageStart, call("c1", "save"), { type: "message_end", stopReason: "length" }]]);
    expect(await pull(planner, host)).toMatchObject({ reason: "error", error: "the answer was cut at the token limit, so it is no plan" });
    expect(done).toEqual([]);
  });

  test("a provider that fails is an error result", async () => {
    const { planner, host } = provided([failed("overloaded")]);
    expect(await pull(planner, host)).toMatchObject({ reason: "error", error: "overloaded" });
  });

  test("F2-25 while a person is asked nothing is requested; a yes runs the call once, a no is its error", async () => {
    for (const agreed of [true, false]) {
      const { provider, planner, host, done } = provided([ask(call("c1", "read"), call("c2", "save")), say("done")]);
      const harness = createHarness({ planner, now: () => 0 });
      const first = await harness.run("goal");
      if (first.kind !== "pull" || first.reason !== "tool_call") throw new Error("no pull");
      expect(provider.requests).toHaveLength(1);
      expect(done).toEqual([]);
      const second = await harness.resume(agreed ? await runToolCall(first, host) : { error: "the person said no" });
      if (second.kind !== "pull" || second.reason !== "tool_call") throw new Error("no pull");
      await harness.resume(await runToolCall(second, host));
      expect(done).toEqual(agreed ? ["read", "save"] : ["save"]);
      expect(provider.requests[1]?.messages[2]).toMatchObject({ content: agreed ? "read done" : "the person said no" });
    }
  });
});
