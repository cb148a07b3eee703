/** What a scenario needs of a lesson, and from which lesson on it is there. */

import type { Action, Scenario } from "../scenarios/kinds.ts";

export type Feature = keyof typeof features;

/** `from`: the lesson that brings it; undefined when no lesson does, and then `why` says what stands in its place. */
export const features = {
  "calls that run together": { from: "s12" },
  abort: { from: "s13" },
  queues: { from: "s14" },
  "a session that refuses a second run": { from: "s14" },
  "continue()": { from: "s14" },
  "reset()": { from: undefined, why: "a fresh state is a new object" },
  "a prompt of several messages": { from: undefined, why: "a prompt is one text; a note is put into the transcript by the host" },
  "a stream with a result of its own": { from: undefined, why: "only the end event says that an answer is whole" },
  "an end event that carries the answer": { from: undefined, why: "text and calls arrive in events of their own" },
  "a state that shows what is under way": { from: undefined, why: "the events tell it" },
  "the events as a stream to read": { from: undefined, why: "a host subscribes" },
  "updates of an inner call": { from: undefined, why: "nobody hears the progress of a nested call" },
} as const satisfies Record<string, { from: string } | { from: undefined; why: string }>;

/** The features that the scenario needs, in the order of the list above. */
export function needsOf(scenario: Scenario): Feature[] {
  return (Object.keys(features) as Feature[]).filter((feature) => tests[feature](scenario));
}

/** What of it the lesson does not have. Lesson ids compare as text. */
export function missingIn(lesson: string, scenario: Scenario): Feature[] {
  return needsOf(scenario).filter((feature) => {
    const { from } = features[feature];
    return from === undefined || lesson < from;
  });
}

const tests: Record<Feature, (scenario: Scenario) => boolean> = {
  "calls that run together": (scenario) => scenario.execution !== "sequential" && !marked(scenario) && runsSeveral(scenario),
  abort: (scenario) =>
    acts(scenario, "abort", "wait for abort", "wait for ever") || listens(scenario, "and aborts") || scenario.answers.some(({ stop }) => stop === "aborted"),
  queues: (scenario) => acts(scenario, "steer", "follow up") || steps(scenario, "steer", "follow up"),
  "a session that refuses a second run": (scenario) => acts(scenario, "intrude") || listens(scenario, "and prompts"),
  "continue()": (scenario) => steps(scenario, "continue", "continue loop"),
  "reset()": (scenario) => steps(scenario, "reset"),
  "a prompt of several messages": (scenario) => scenario.steps?.some((step) => step.step === "prompt" && step.note !== undefined) ?? false,
  "a stream with a result of its own": ({ answers }) => answers.some(({ stream }) => stream === "result only"),
  "an end event that carries the answer": ({ answers }) => answers.some(({ stream, parts }) => stream === "end only" && parts.length > 0),
  "a state that shows what is under way": (scenario) => listens(scenario, "to the state"),
  "the events as a stream to read": (scenario) => steps(scenario, "read loop"),
  "updates of an inner call": (scenario) =>
    actionsOf(scenario).some((action) => action.do === "inner call" && action.updates !== undefined),
};

function marked({ tools }: Scenario): boolean {
  return tools?.some((tool) => tool.sequential) ?? false;
}

/** A cut or failed answer runs none of its calls. */
function runsSeveral({ answers }: Scenario): boolean {
  return answers.some(({ parts, stop }) => stop === undefined && parts.filter((part) => typeof part !== "string").length > 1);
}

function actionsOf({ tools = [], reactions = [] }: Scenario): readonly Action[] {
  return [...tools.flatMap(({ before = [], after = [] }) => [...before, ...after]), ...reactions.flatMap(({ does = [] }) => does)];
}

function acts(scenario: Scenario, ...names: string[]): boolean {
  return actionsOf(scenario).some((action) => names.includes(action.do));
}

function steps(scenario: Scenario, ...names: string[]): boolean {
  return scenario.steps?.some(({ step }) => names.includes(step)) ?? false;
}

function listens(scenario: Scenario, name: string): boolean {
  return scenario.listeners?.some((listener) => listener.listens === name) ?? false;
}
