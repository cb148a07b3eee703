/**
 * s15: the loop turned inside out. It returns to its caller whenever something must be done, and is resumed with what came of it.
 * Still missing: when the process ends, the session is gone (s16).
 */

import { checkLimits, exceededBy, nearlySpent, type BudgetLimits, type BudgetName, type Spent } from "./budget.ts";
import { messageOf } from "./messages.ts";
import { apply, newProgress, type FailedAttempt, type HarnessEvent, type Plan, type Progress, type Step } from "./progress.ts";

/** Where a hook stands. A hook acts, an event only records. */
export type HookTopic =
  | "before_plan"
  | "after_plan"
  | "before_step"
  | "after_step"
  | "before_tool_call"
  | "after_tool_call"
  | "on_error"
  | "on_pause"
  | "on_budget_exceeded"
  | "on_complete";

/** Gets a copy of what it is about: to abort is the only thing it can do. */
export type HarnessHook = (about: { goal: string; step?: Step; outcome?: string; error?: string }) => void | Promise<void>;

/** Thrown by a hook in a `before_…` place: the plan or the step is not carried out. */
export class HookAbort extends Error {
  override name = "HookAbort";
}

export type Planner = {
  /** The steps to the goal. No steps is no plan. */
  plan(progress: Progress): Promise<Plan>;
  /** Asked after every step. A plan takes the place of the old one; this is the only way to try again. */
  replan?(progress: Progress): Promise<Plan | undefined>;
};

export type HarnessOptions = {
  planner: Planner;
  hooks?: Partial<Record<HookTopic, HarnessHook>>;
  limits?: BudgetLimits;
  /** Seconds, by the host's clock. */
  now: () => number;
  /** Keeps an event. The state moves on only when it has returned. */
  record?: (event: HarnessEvent) => void;
  /** Hears of a hook that failed without being a HookAbort where nothing can be stopped any more. */
  onHookFault?: (topic: HookTopic, error: unknown) => void;
};

/** The harness needs something, and waits. `refused` says what was wrong with the last answer. */
export type PullRequest = { kind: "pull"; refused?: string } & (
  | { reason: "tool_call"; payload: { callId: string; toolName: string; toolArgs: unknown; stepId: string } }
  | { reason: "budget_exceeded"; payload: { limit: BudgetName; spent: Spent; limits: BudgetLimits } }
);

/** The session is over. What was denied or failed stands in `failedAttempts`: a goal can be met without a step. */
export type SessionResult = {
  kind: "result";
  reason: "goal_met" | "no_plan" | "budget_exceeded" | "aborted" | "error";
  answer: string;
  error?: string;
  failedAttempts: FailedAttempt[];
  spent: Spent;
};

/** What the caller answers: to a tool call its result or its error, to a spent budget new limits or the end. */
export type ResumePayload =
  | { result: string }
  | { error: string }
  | { limits: BudgetLimits }
  | { stop: true };

export type Harness = {
  /**
   * Called once. Called again it gives what is waited for, with `refused`, or the result of the session.
   * @throws Error while another reply is on its way
   */
  run(goal: string): Promise<PullRequest | SessionResult>;
  /** @throws Error when `run` was not called before, and while another reply is on its way */
  resume(payload: ResumePayload): Promise<PullRequest | SessionResult>;
  /** What is known of the session so far. A copy. */
  progress(): Progress;
};

/**
 * A session that its caller drives. What a hook denies, a tool fails or a planner throws is told in a reply, never thrown.
 * @throws RangeError when a limit makes no sense
 */
export function createHarness(options: HarnessOptions): Harness {
  const { planner, hooks = {}, now, record = () => {}, onHookFault = () => {} } = options;
  checkLimits(options.limits ?? {});
  let progress = newProgress();
  let waiting: PullRequest | SessionResult | undefined;
  let working = false;

  const emit = (given: HarnessEvent): void => {
    const event = structuredClone(given);
    const next = apply(progress, event);
    record(structuredClone(event));
    progress = next;
  };
  const at = () => ({ at: now() });
  const spent = (): Spent => ({ ...progress.spent, seconds: now() - progress.startedAt });

  /** The reason why a hook stops what it stands before, or undefined. A hook that is broken stops it too. */
  async function ask(topic: HookTopic, about: Omit<Parameters<HarnessHook>[0], "goal"> = {}): Promise<string | undefined> {
    try {
      await hooks[topic]?.(structuredClone({ goal: progress.goal, ...about }));
      return undefined;
    } catch (error) {
      if (!topic.startsWith("before_")) reportFault(topic, error);
      return error instanceof HookAbort ? `hook_abort:${error.message}` : `hook_error:${messageOf(error)}`;
    }
  }

  /** Who hears of faults decides nothing, so a fault of its own is dropped. */
  function reportFault(topic: HookTopic, error: unknown): void {
    try {
      onHookFault(topic, error);
    } catch {}
  }

  async function makePlan(make: () => Promise<Plan | undefined>): Promise<SessionResult | undefined> {
    const refusal = await ask("before_plan");
    if (refusal) return complete("aborted", refusal);
    const plan = await make();
    emit({ type: "plan.draft", ...at(), plan: plan ?? { steps: [], answer: "" } });
    if (!plan || plan.steps.length === 0) return complete("no_plan");
    emit({ type: "plan.commit", ...at() });
    await ask("after_plan");
    return undefined;
  }

  async function takeStep(step: Step): Promise<PullRequest | undefined> {
    const before = await ask("before_step", { step });
    emit({ type: "step.start", ...at(), stepId: step.id, description: step.description });
    const refusal = before ?? (step.toolName === undefined ? undefined : await ask("before_tool_call", { step }));
    if (refusal) {
      emit({ type: "tool.error", ...at(), stepId: step.id, error: refusal });
      await ask("on_error", { step, error: refusal });
      return endStep(step, "aborted");
    }
    if (step.toolName === undefined) return endStep(step, "ok");
    const { toolName, toolArgs } = step;
    emit({ type: "tool.call", ...at(), stepId: step.id, toolName, toolArgs });
    await endStep(step, "awaiting_tool");
    return { kind: "pull", reason: "tool_call", payload: { callId: step.id, toolName, toolArgs, stepId: step.id } };
  }

  async function endStep(step: Step, outcome: "ok" | "aborted" | "awaiting_tool"): Promise<undefined> {
    emit({ type: "step.end", ...at(), stepId: step.id, outcome });
    await ask("after_step", { step, outcome });
    return undefined;
  }

  async function complete(reason: SessionResult["reason"], error?: string): Promise<SessionResult> {
    emit({ type: "session.complete", ...at(), reason, ...(error === undefined ? {} : { error }) });
    await ask("on_complete", { outcome: reason });
    return {
      kind: "result",
      reason,
      answer: progress.answer,
      ...(error === undefined ? {} : { error }),
      failedAttempts: structuredClone(progress.failed),
      spent: spent(),
    };
  }

  async function pause(limit: BudgetName): Promise<PullRequest> {
    await ask("on_budget_exceeded", { outcome: limit });
    emit({ type: "session.pause", ...at(), limit });
    await ask("on_pause", { outcome: limit });
    return { kind: "pull", reason: "budget_exceeded", payload: { limit, spent: spent(), limits: { ...progress.limits } } };
  }

  /** Works until something must be done outside, or until the session is over. */
  async function advance(): Promise<PullRequest | SessionResult> {
    for (;;) {
      if (progress.state === "planning") {
        const over = await makePlan(() => planner.plan(structuredClone(progress)));
        if (over) return over;
      }
      if (progress.state === "reflecting") {
        const plan = await planner.replan?.(structuredClone(progress));
        if (plan) emit({ type: "plan.draft", ...at(), plan });
        if (plan && plan.steps.length > 0) emit({ type: "plan.commit", ...at() });
      }
      const step = progress.plan[progress.cursor];
      if (!step) return complete("goal_met");
      const limit = exceededBy(progress.limits, spent(), step.toolName !== undefined);
      if (limit) return pause(limit);
      const pull = await takeStep(step);
      warn();
      if (pull) return pull;
    }
  }

  /** Each limit is warned of once. */
  function warn(): void {
    const names = nearlySpent(progress.limits, spent()).filter((name) => !progress.warned.includes(name));
    for (const limit of names) emit({ type: "budget.warn", ...at(), limit, limits: progress.limits });
  }

  /** Whoever calls while a reply is on its way would act on what was waited for before. */
  function checkIdle(): void {
    if (working) throw new Error("the harness is at work on its next reply; wait for that one");
  }

  async function settled(work: () => Promise<PullRequest | SessionResult>): Promise<PullRequest | SessionResult> {
    working = true;
    try {
      waiting = await Promise.resolve().then(work).catch((error) => complete("error", messageOf(error)));
      return structuredClone(waiting);
    } finally {
      working = false;
    }
  }

  async function run(goal: string): Promise<PullRequest | SessionResult> {
    checkIdle();
    if (waiting) return refused("run was called already");
    return settled(() => {
      emit({ type: "session.start", ...at(), goal, limits: options.limits ?? {} });
      return advance();
    });
  }

  async function resume(payload: ResumePayload): Promise<PullRequest | SessionResult> {
    checkIdle();
    if (waiting?.kind !== "pull") return refused("nothing is waited for");
    if (typeof payload !== "object" || payload === null) return refused("an answer is an object");
    if (waiting.reason === "tool_call") {
      const outcome = outcomeOf(payload);
      return outcome ? settled(() => takeResult(outcome)) : refused("a tool call is answered with a result or an error, as text");
    }
    if ("stop" in payload) return settled(() => complete("budget_exceeded"));
    if (!("limits" in payload)) return refused("a spent budget is answered with limits or stop");
    try {
      checkLimits(payload.limits);
    } catch (error) {
      return refused(messageOf(error));
    }
    const { limit } = waiting.payload;
    return settled(() => {
      emit({ type: "budget.warn", ...at(), limit, limits: { ...progress.limits, ...payload.limits } });
      return advance();
    });
  }

  async function takeResult(payload: { result: string } | { error: string }): Promise<PullRequest | SessionResult> {
    const step = progress.plan[progress.cursor];
    if (!step) throw new Error("a result came, and there is no step");
    if ("error" in payload) {
      emit({ type: "tool.error", ...at(), stepId: step.id, error: payload.error });
      await ask("on_error", { step, error: payload.error });
    } else {
      emit({ type: "tool.result", ...at(), stepId: step.id, result: payload.result });
    }
    await ask("after_tool_call", { step, outcome: "error" in payload ? "error" : "ok" });
    return advance();
  }

  function outcomeOf(payload: ResumePayload): { result: string } | { error: string } | undefined {
    if ("error" in payload && typeof payload.error === "string") return { error: payload.error };
    return "result" in payload && typeof payload.result === "string" ? { result: payload.result } : undefined;
  }

  function refused(reason: string): PullRequest | SessionResult {
    if (!waiting) throw new Error(`${reason}; call run first`);
    const reply = structuredClone(waiting);
    return reply.kind === "pull" ? { ...reply, refused: reason } : reply;
  }

  return { run, resume, progress: () => structuredClone(progress) };
}
