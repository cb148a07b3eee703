import { describe, expect, test } from "vitest";
import { createHarness, HookAbort, type Harness, type HarnessOptions, type Planner, type PullRequest, type ResumePayload, type SessionResult } from "./harness.ts";
import type { HarnessEvent, Plan } from "./progress.ts";
import { newProgress } from "./progress.ts";
import { readLog, replay, toLine } from "./replay.ts";

const step = (id: string, toolName?: string) => ({ id, description: `do ${id}`, ...(toolName === undefined ? {} : { toolName, toolArgs: { id } }) });

type Scenario = {
  plan: Plan;
  replan?: Planner["replan"];
  hooks?: HarnessOptions["hooks"];
  limits?: HarnessOptions["limits"];
  answer?: (pull: PullRequest) => ResumePayload;
};

const deny: HarnessOptions["hooks"] = {
  before_tool_call({ step: about }) {
    if (about?.toolName === "delete") throw new HookAbort("no");
  },
};

/** The cases of s15 and s16, and what else an event can follow. */
const scenarios: Record<string, Scenario> = {
  "three tools": { plan: { answer: "", steps: [step("s1", "read"), step("s2", "save"), step("s3", "read")] } },
  "a denied step in the middle": { plan: { answer: "", steps: [step("s1", "read"), step("s2", "delete"), step("s3", "save")] }, hooks: deny },
  "a denied last step": { plan: { answer: "", steps: [step("s1", "read"), step("s2", "delete")] }, hooks: deny },
  "steps without a tool": { plan: { answer: "said", steps: [step("s1"), step("s2", "read"), step("s3")] } },
  "no plan": { plan: { answer: "nothing to do", steps: [] } },
  "a failed tool and a new plan": {
    plan: { answer: "", steps: [step("s1", "save"), step("s2", "read")] },
    replan: async ({ rounds }) => (rounds.length === 1 && rounds[0]?.results.at(-1)?.isError ? { answer: "", steps: [step("s1", "save"), step("s2", "read")] } : undefined),
    answer: (pull) => (pull.reason === "tool_call" && pull.payload.stepId === "s1" ? { error: "busy" } : { result: "ok" }),
  },
  "plan after plan, and a last word": {
    plan: { answer: "first", steps: [step("s1", "read")] },
    replan: async ({ rounds, cursor, plan }) => (cursor < plan.length ? undefined : rounds.length < 3 ? { answer: `plan ${rounds.length}`, steps: [step(`r${rounds.length}`, "read")] } : { answer: "done", steps: [] }),
  },
  "a spent budget that is raised": {
    plan: { answer: "", steps: [step("s1", "read"), step("s2", "read"), step("s3", "read")] },
    limits: { toolCalls: 1 },
    answer: (pull) => (pull.reason === "budget_exceeded" ? { limits: { toolCalls: 3 } } : { result: "ok" }),
  },
  "a spent budget that ends it": {
    plan: { answer: "", steps: [step("s1", "read"), step("s2", "read")] },
    limits: { turns: 1 },
    answer: (pull) => (pull.reason === "budget_exceeded" ? { stop: true } : { result: "ok" }),
  },
};

/** A session of a scenario, begun or entered again. Counts what planner and tools were asked for. */
function session({ plan, replan, hooks = {}, limits, answer = () => ({ result: "ok" }) }: Scenario, restored?: HarnessOptions["restored"], mayRepeat = true) {
  const counted = { plans: 0, effects: [] as string[] };
  let log = "";
  const harness = createHarness({
    planner: {
      plan: async () => (counted.plans++, plan),
      ...(replan ? { replan: async (progress) => (counted.plans++, replan(progress)) } : {}),
    },
    hooks,
    now: () => 5,
    record: (event) => (log += toLine(event)),
    mayRepeat: () => mayRepeat,
    ...(limits ? { limits } : {}),
    ...(restored ? { restored } : {}),
  });
  const seen: string[] = [];
  async function finish(first: PullRequest | SessionResult): Promise<SessionResult> {
    let reply = first;
    while (reply.kind === "pull") {
      seen.push(reply.reason === "budget_exceeded" ? `budget ${reply.payload.limit}` : `${reply.reason} ${reply.payload.stepId}`);
      if (reply.reason === "tool_call") counted.effects.push(reply.payload.stepId);
      reply = await harness.resume(reply.reason === "outcome_unknown" ? { again: true } : answer(reply));
    }
    return reply;
  }
  return { harness, counted, finish, seen, log: () => log };
}

describe.each(Object.entries(scenarios))("%s", (_name, scenario) => {
  test("cut at every offset: the same state, without asking planner or tools; going on ends the same way", async () => {
    const whole = session(scenario);
    const result = await whole.finish(await whole.harness.run("goal"));
    const log = whole.log();
    const states = readLog(log).map((_event, index, events) => replay(events.slice(0, index + 1)));

    for (let offset = 0; offset <= log.length; offset++) {
      const kept = readLog(log.slice(0, offset));
      const restored = replay(kept);
      expect(restored, `offset ${offset}`).toEqual(kept.length === 0 ? newProgress() : states[kept.length - 1]);
      if (kept.length === 0 || log[offset - 1] !== "\n") continue;

      const again = session(scenario, restored);
      const end = await again.finish(await again.harness.reenter());
      expect({ ...end, spent: { ...end.spent, seconds: 0 } }, `offset ${offset}`).toEqual({ ...result, spent: { ...result.spent, seconds: 0 } });
      expect(kept.filter((event) => event.type === "tool.call").length + again.counted.effects.length, `offset ${offset}`).toBeLessThanOrEqual(whole.counted.effects.length + 1);
      expectPaired([...kept, ...readLog(again.log())]);
    }
  });

  test("a plan that is in the log already is not asked for again", async () => {
    const whole = session(scenario);
    await whole.finish(await whole.harness.run("goal"));
    const events = readLog(whole.log());
    for (const [index, event] of events.entries()) {
      if (event.type !== "plan.draft") continue;
      let next: HarnessEvent["type"] | undefined;
      let asked = 0;
      const asking = async () => (asked += next === undefined ? 1 : 0, { answer: "", steps: [] });
      const restored = replay(events.slice(0, index + 1));
      await createHarness({ planner: { plan: asking, replan: asking }, now: () => 5, restored, record: ({ type }) => (next ??= type) }).reenter();
      expect({ asked, next }).toEqual({ asked: 0, next: events[index + 1]?.type });
    }
  });

  test("what entering again gives is what was waited for", async () => {
    const { harness, log } = session(scenario);
    let reply = await harness.run("goal");
    while (reply.kind === "pull") {
      const again = session(scenario, replay(readLog(log())));
      expect(await again.harness.reenter()).toEqual(reply);
      expect(again.counted).toEqual({ plans: 0, effects: [] });
      expect(again.log()).toBe("");
      reply = await harness.resume((scenario.answer ?? (() => ({ result: "ok" })))(reply));
    }
    const again = session(scenario, replay(readLog(log())));
    expect(await again.harness.reenter()).toEqual(reply);
    expect(again.counted.plans).toBe(0);
  });
});

function expectPaired(events: readonly HarnessEvent[]): void {
  const open: string[] = [];
  for (const event of events) {
    if (event.type === "step.start") open.push(event.stepId);
    if (event.type === "step.end") expect(open.pop()).toBe(event.stepId);
  }
  expect(open).toEqual([]);
}

describe("a log that ends between a call and its result", () => {
  const scenario = scenarios["three tools"]!;

  async function cutAfterCall(mayRepeat: boolean) {
    const first = session(scenario);
    await first.harness.run("goal");
    const restored = replay(readLog(first.log()));
    return session(scenario, restored, mayRepeat);
  }

  test("a tool that is safe: the same pull again", async () => {
    const { harness } = await cutAfterCall(true);
    expect(await harness.reenter()).toMatchObject({ reason: "tool_call", payload: { stepId: "s1", toolName: "read", toolArgs: { id: "s1" } } });
  });

  test("any other: a pull for a person, who can say what came of it", async () => {
    for (const payload of [{ result: "it was done" }, { error: "it was not done" }]) {
      const { harness, finish } = await cutAfterCall(false);
      expect(await harness.reenter()).toMatchObject({ reason: "outcome_unknown", payload: { stepId: "s1" } });
      const { failedAttempts } = await finish(await harness.resume(payload));
      expect(failedAttempts).toEqual("error" in payload ? [{ stepId: "s1", toolName: "read", reason: "it was not done" }] : []);
    }
  });

  test("a mayRepeat that throws is a no", async () => {
    const first = session(scenario);
    await first.harness.run("goal");
    const restored = replay(readLog(first.log()));
    const harness = createHarness({ planner: { plan: async () => ({ steps: [], answer: "" }) }, now: () => 0, restored, mayRepeat: () => { throw new Error("unknown tool"); } });
    expect(await harness.reenter()).toMatchObject({ reason: "outcome_unknown" });
  });

  test("two at once: the second is refused", async () => {
    const { harness } = await cutAfterCall(true);
    const [first, second] = await Promise.allSettled([harness.reenter(), harness.reenter()]);
    expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  });

  test("or that it may run again", async () => {
    const { harness } = await cutAfterCall(false);
    await harness.reenter();
    expect(await harness.resume({ again: true })).toMatchObject({ reason: "tool_call", payload: { stepId: "s1" } });
    expect(await harness.resume({ result: "ok" })).toMatchObject({ reason: "tool_call", payload: { stepId: "s2" } });
  });

  test("a call that was known spends no second tool call", async () => {
    const { harness } = await cutAfterCall(true);
    await harness.reenter();
    expect(harness.progress().spent.toolCalls).toBe(1);
  });
});

describe("spending survives", () => {
  test("turns, calls and seconds go on from where the log ends", async () => {
    let now = 100;
    let log = "";
    const plan = { answer: "", steps: [step("s1", "read"), step("s2", "read")] };
    const options = { planner: { plan: async () => plan }, now: () => now, record: (event: HarnessEvent) => (log += toLine(event)), limits: { seconds: 10 } };
    const first = createHarness(options);
    await first.run("goal");
    now = 107;
    await first.resume({ result: "ok" });
    now = 5;
    const second: Harness = createHarness({ ...options, restored: replay(readLog(log)) });
    await second.reenter();
    now = 9;
    expect(await second.resume({ result: "ok" })).toMatchObject({ kind: "result", spent: { turns: 2, toolCalls: 2, seconds: 11 } });
  });
});

describe("readLog", () => {
  const line = toLine({ type: "plan.commit", at: 0 });

  test("a last line without its end is dropped, also when it is whole JSON", () => {
    expect(readLog(`${line}${line.slice(0, 7)}`)).toHaveLength(1);
    expect(readLog(`${line}${line.trimEnd()}`)).toHaveLength(1);
    expect(readLog("")).toEqual([]);
  });

  test("any other line that is no event is an error that names it", () => {
    expect(() => readLog(`${line}nonsense\n${line}`)).toThrow("line 2 of the log is no event: nonsense");
    expect(() => readLog(`7\n${line}`)).toThrow("line 1 of the log is no event: 7");
  });

  test.each([
    { type: "plan.dratf", at: 0, plan: { steps: [], answer: "" } },
    { type: "plan.draft", at: 0 },
    { type: "plan.draft", at: 0, plan: {} },
    { type: "tool.result", at: 0, stepId: "s1" },
    { type: "session.start", at: 0, goal: "go", limits: null },
    { type: "plan.commit" },
    { type: "toString", at: 0 },
  ])("%j is no event", (event) => {
    expect(() => readLog(`${line}${JSON.stringify(event)}\n`)).toThrow(/^line 2 of the log is no event: /);
  });

  test("text of every kind survives", () => {
    const event: HarnessEvent = { type: "tool.result", at: 1.5, stepId: "s1", result: "a\nb\u2028\"复读\" 😀" };
    expect(readLog(toLine(event))).toEqual([event]);
  });
});

test("a plan without steps that came too early does not stand in the way of a later one", async () => {
  let asked = 0;
  const scenario: Scenario = {
    plan: { answer: "", steps: [step("s1"), step("s2")] },
    replan: async () => (++asked === 1 ? { answer: "", steps: [] } : asked === 2 ? { answer: "", steps: [step("s3")] } : undefined),
  };
  const { harness, log } = session(scenario);
  await harness.run("goal");
  expect(readLog(log()).flatMap((event) => (event.type === "step.start" ? [event.stepId] : []))).toEqual(["s1", "s2", "s3"]);
});

test("a log that no session can have written is refused", () => {
  expect(() => replay([{ type: "plan.commit", at: 0 }])).toThrow("illegal transition: idle to executing; allowed: planning");
});

test("run and reenter are for different sessions", async () => {
  const scenario = scenarios["three tools"]!;
  const first = session(scenario);
  await expect(first.harness.reenter()).rejects.toThrow("the log does not say that a session began; call run");
  expect(await session(scenario, replay(readLog(""))).harness.run("goal")).toMatchObject({ reason: "tool_call" });
  await first.harness.run("goal");
  const second = session(scenario, replay(readLog(first.log())));
  await expect(second.harness.resume({ result: "ok" })).rejects.toThrow("nothing is waited for; call reenter first");
  await expect(second.harness.run("goal")).rejects.toThrow("a session that was restored goes on with reenter");
});
