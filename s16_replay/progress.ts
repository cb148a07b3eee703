/**
 * s15: what is known of a session, and how each event changes it. Nothing else does.
 * s16: it also knows what was begun and not ended, so that a session can be entered again at any place.
 */

import type { BudgetLimits, BudgetName, Spent } from "./budget.ts";

export type HarnessState =
  | "idle"
  | "planning"
  | "executing"
  | "awaiting_tool"
  | "reflecting"
  | "done";

/** One step of a plan. With a tool name it needs somebody to run the tool. */
export type Step = { id: string; description: string; toolName?: string; toolArgs?: unknown };

/** `answer` is what the planner says beside its steps; without steps it is the last word. */
export type Plan = { steps: Step[]; answer: string };

export type FailedAttempt = { stepId: string; toolName?: string; reason: string };

type Happening =
  | { type: "session.start"; goal: string; limits: BudgetLimits }
  | { type: "plan.draft"; plan: Plan }
  | { type: "plan.commit" }
  | { type: "step.start"; stepId: string; description: string }
  | { type: "step.end"; stepId: string; outcome: "ok" | "aborted" | "awaiting_tool" }
  | { type: "tool.call"; stepId: string; toolName: string; toolArgs: unknown }
  | { type: "tool.result"; stepId: string; result: string }
  | { type: "tool.error"; stepId: string; error: string }
  | { type: "budget.warn"; limit: BudgetName; limits: BudgetLimits }
  | { type: "session.pause"; limit: BudgetName }
  | { type: "session.complete"; reason: string; error?: string };

/** What happened, and when, in seconds by the clock of the host. */
export type HarnessEvent = Happening & { at: number };

/** What came of a step, in the words for the planner. */
export type StepResult = { stepId: string; content: string; isError: boolean };

export type Progress = {
  state: HarnessState;
  goal: string;
  limits: BudgetLimits;
  startedAt: number;
  /** The plans that were committed, the one in work last, each with what came of its steps. */
  rounds: { plan: Plan; results: StepResult[] }[];
  plan: Step[];
  /** The step that is next, or in work. */
  cursor: number;
  answer: string;
  /** A plan that is not committed yet. */
  draft?: Plan;
  spent: Pick<Spent, "turns" | "toolCalls">;
  warned: BudgetName[];
  failed: FailedAttempt[];
  /** When the last event happened. */
  lastAt: number;
  /** The step that has begun and has no end yet. */
  openStep?: { stepId: string; failedBefore: number };
  /** The limit for which the session waits. */
  paused?: BudgetName;
  /** How the session ended. */
  ended?: { reason: string; error?: string };
};

export function newProgress(): Progress {
  return {
    state: "idle",
    goal: "",
    limits: {},
    startedAt: 0,
    rounds: [],
    plan: [],
    cursor: 0,
    answer: "",
    spent: { turns: 0, toolCalls: 0 },
    warned: [],
    failed: [],
    lastAt: 0,
  };
}

const allowed: Record<HarnessState, readonly HarnessState[]> = {
  idle: ["planning"],
  planning: ["executing", "done"],
  executing: ["awaiting_tool", "reflecting", "done"],
  awaiting_tool: ["reflecting", "done"],
  reflecting: ["planning", "executing", "done"],
  done: [],
};

/** The only place where the state changes. @throws Error when the table does not allow it */
function transition(progress: Progress, to: HarnessState): Progress {
  if (allowed[progress.state].includes(to)) return { ...progress, state: to };
  throw new Error(`illegal transition: ${progress.state} to ${to}; allowed: ${allowed[progress.state].join(", ") || "none"}`);
}

/** The progress after an event. Changes nothing in place. @throws Error when the event is not possible now */
export function apply(progress: Progress, event: HarnessEvent): Progress {
  const { paused: _over, ...rest } = progress;
  return { ...applyTo(event.type === "budget.warn" ? rest : progress, event), lastAt: event.at };
}

function applyTo(progress: Progress, event: HarnessEvent): Progress {
  switch (event.type) {
    case "session.start":
      if (progress.state !== "idle") throw new Error(`illegal transition: ${progress.state} cannot start again`);
      return { ...transition(progress, "planning"), goal: event.goal, limits: event.limits, startedAt: event.at };
    case "plan.draft":
      return { ...progress, draft: event.plan, answer: event.plan.answer };
    case "plan.commit":
      return commit(progress);
    case "step.start":
      return startStep(progress, event.stepId);
    case "tool.call":
      return countCall(transition(progress, "awaiting_tool"));
    case "tool.result":
      return reflect(progress, { stepId: event.stepId, content: event.result, isError: false });
    case "tool.error":
      return fail(progress, event.stepId, event.error);
    case "step.end":
      return endStep(progress, event.stepId, event.outcome);
    case "budget.warn":
      return { ...progress, limits: event.limits, warned: [...progress.warned, event.limit] };
    case "session.pause":
      return { ...progress, paused: event.limit };
    case "session.complete":
      return { ...transition(progress, "done"), ended: { reason: event.reason, ...(event.error === undefined ? {} : { error: event.error }) } };
  }
}

function commit(progress: Progress): Progress {
  const { draft = { steps: [], answer: "" }, ...rest } = progress;
  const planning = progress.state === "reflecting" ? transition(rest, "planning") : rest;
  return { ...transition(planning, "executing"), plan: draft.steps, cursor: 0, rounds: [...progress.rounds, { plan: draft, results: [] }] };
}

function startStep({ draft: _unused, ...progress }: Progress, stepId: string): Progress {
  const executing = progress.state === "reflecting" ? transition(progress, "executing") : progress;
  return { ...executing, openStep: { stepId, failedBefore: progress.failed.length } };
}

function countCall(progress: Progress): Progress {
  return { ...progress, spent: { ...progress.spent, toolCalls: progress.spent.toolCalls + 1 } };
}

/** A failed tool ends its step; a step that was aborted has its own end. */
function fail(progress: Progress, stepId: string, reason: string): Progress {
  const { toolName } = progress.plan[progress.cursor] ?? {};
  const failed = [...progress.failed, { stepId, reason, ...(toolName === undefined ? {} : { toolName }) }];
  const noted = { ...progress, failed };
  return progress.state === "awaiting_tool" ? reflect(noted, { stepId, content: reason, isError: true }) : noted;
}

function endStep({ openStep: _ended, ...progress }: Progress, stepId: string, outcome: "ok" | "aborted" | "awaiting_tool"): Progress {
  if (outcome === "awaiting_tool") return progress;
  const reason = progress.failed.at(-1)?.reason ?? "";
  return reflect(progress, { stepId, content: outcome === "ok" ? "" : reason, isError: outcome === "aborted" });
}

/** A step is over: the turn is counted and the cursor moves on, here and nowhere else. */
function reflect(progress: Progress, result: StepResult): Progress {
  const rounds = progress.rounds.map((round, index) =>
    index === progress.rounds.length - 1 ? { ...round, results: [...round.results, result] } : round,
  );
  const { turns } = progress.spent;
  return { ...transition(progress, "reflecting"), rounds, cursor: progress.cursor + 1, spent: { ...progress.spent, turns: turns + 1 } };
}
