/** The fake model that a lesson is given: the scenario's answers as the events of the course's own provider. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../shared/clock.ts";
import { breakOff, call, delta, FakeProvider, messageStart, wait, type FakeEvent, type Step } from "../../shared/fake-provider.ts";
import type { WireRequest } from "../../shared/history.ts";
import type { Answer, Scenario } from "../scenarios/kinds.ts";

type End = { type: "message_end"; stopReason: string; errorMessage?: string };
type Event = FakeEvent | End;

/** The streams of a scenario with a pace arrive in real time, as they do from pi-ai. */
const realClock: Clock = { now: () => performance.now(), wait: async (ms, signal) => void (await sleep(ms, undefined, signal ? { signal } : {})) };

export type LessonModel = {
  stream(request: WireRequest, signal?: AbortSignal): AsyncIterable<Event>;
  /** Why the provider refused a history: the lesson is at fault. */
  refusals: readonly string[];
};

export function lessonModel(scenario: Scenario): LessonModel {
  const { answers } = scenario;
  let asked = 0;
  const script = { forever: () => stepsOf(answers[asked - 1] ?? exhausted, scenario) };
  const fake = new FakeProvider<WireRequest, Event>(script, { clock: realClock, record: false });
  return {
    refusals: fake.refusals,
    stream(request, signal) {
      const answer = answers[asked++];
      if (answer?.stream === "cannot be opened") throw new Error(answer.error);
      return fake.stream(request, signal);
    },
  };
}

/** What pi-ai's fake answers when it has nothing left. */
const exhausted: Answer = { parts: [], stop: "error", error: "No more faux responses queued", stream: "end only" };

function stepsOf({ parts, stop, error, stream }: Answer, scenario: Scenario): Step<Event>[] {
  const calls = parts.some((part) => typeof part !== "string");
  const end: End = { type: "message_end", stopReason: stop ?? (calls ? "toolUse" : "stop"), ...(error === undefined ? {} : { errorMessage: error }) };
  if (stream === "end only") return [end];
  const inside = parts.flatMap((part): Step<Event>[] =>
    typeof part === "string"
      ? pieces(part, scenario.delta ?? 400).flatMap((piece) => [...pause(piece, scenario), delta(piece)])
      : [...pause(JSON.stringify(part.args ?? {}), scenario), call(part.id, part.tool, part.argumentsError ?? part.args ?? {})],
  );
  return [messageStart, ...inside, stream === "never ends" ? breakOff : end];
}

function pause(piece: string, { pace }: Scenario): Step<Event>[] {
  return pace === undefined ? [] : [wait((Math.ceil(piece.length / 4) / pace) * 1000)];
}

function pieces(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_each, index) => text.slice(index * length, (index + 1) * length));
}
