/** `npm run bench [lesson] [turns…]`: what the loop costs per turn with one tool call. Prints figures, asserts nothing. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { findLesson, loadCourse, type Course, type Lesson } from "../shared/course.ts";
import { ask, call, FakeProvider, type FakeEvent } from "../shared/fake-provider.ts";
import type { WireRequest } from "../shared/history.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { oneLine, type Output } from "../shared/trace.ts";

/** A provider that asks for one tool in every answer, and never stops. */
type Endless = { stream(request: WireRequest): AsyncIterable<FakeEvent> };

/** Runs the lesson's loop for exactly `turns` turns. Resolves to what must stay alive until the heap was measured. */
type RunTurns = (turns: number, provider: Endless) => Promise<unknown>;

/** How often a number of turns is run; the median of the runs is shown. */
type RunsOf = (turns: number) => number;

/** Short runs often, the longest ones once. */
export const usualRuns: RunsOf = (turns) => Math.max(1, Math.min(15, Math.floor(5_000 / turns)));

export type Row = {
  provider: string;
  turns: number;
  runs: number;
  microsecondsPerTurn: number;
  heapMb: number;
};

export async function run(args: readonly string[], io: Io, runsOf: RunsOf = usualRuns): Promise<number> {
  const course = loadCourse();
  const { lesson, turns } = choose(course, args);
  const runTurns = await loopOf(course, lesson);
  io.stdout.write(`${lesson.id}, one tool call per turn, Node ${process.versions.node}, recording off\n\n`);
  io.stdout.write(`${["provider", "turns", "runs", "µs per turn", "heap MB"].map(cell).join("")}\n`);
  await measure(runTurns, turns, ({ provider, turns: count, runs, microsecondsPerTurn, heapMb }) => {
    const figures = [provider, count, runs, microsecondsPerTurn.toFixed(1), heapMb.toFixed(1)];
    io.stdout.write(`${figures.map(cell).join("")}\n`);
  }, runsOf);
  io.stdout.write(
    [
      "",
      "Median of the runs; heap: what is alive at the end of a run, the transcript included.",
      "Each request takes one pass over the transcript, so a turn costs more when there are more before it.",
      "The fake provider also checks the whole history of each request.",
      "",
    ].join("\n"),
  );
  return 0;
}

function cell(value: string | number, index: number): string {
  return index === 0 ? String(value).padEnd(10) : String(value).padStart(13);
}

/** A lesson (the last one when none is named) and numbers of turns. @throws UsageError */
export function choose(course: Course, args: readonly string[]): { lesson: Lesson; turns: number[] } {
  const numbers = args.filter((arg) => /^\d{3,6}$/.test(arg));
  const others = args.filter((arg) => !numbers.includes(arg));
  const [spelled, extra] = others;
  if (spelled?.startsWith("-") || extra !== undefined) {
    throw new UsageError(
      `npm run bench takes one lesson and numbers of turns (100 to 999999), not "${oneLine(others.join(" "))}"`,
    );
  }
  const lesson = spelled === undefined ? course.lessons.at(-1) : findLesson(course, spelled);
  if (!lesson) throw new UsageError("lessons.json lists no lesson");
  return { lesson, turns: numbers.length === 0 ? [100, 1_000, 10_000] : numbers.map(Number) };
}

/** Measures both providers for each number of turns, the short ones first, and hands out each row when it is known. */
export async function measure(
  runTurns: RunTurns,
  turns: readonly number[],
  onRow: (row: Row) => void,
  runsOf: RunsOf = usualRuns,
): Promise<void> {
  for (const count of turns) {
    for (const [name, make] of Object.entries(providers)) {
      const runs = runsOf(count);
      await runTurns(Math.min(count, 200), make());
      const times: number[] = [];
      const heaps: number[] = [];
      for (let index = 0; index < runs; index++) {
        const started = performance.now();
        const alive = await runTurns(count, make());
        times.push(((performance.now() - started) * 1_000) / count);
        heaps.push(heapWith(alive) / 1024 / 1024);
      }
      onRow({ provider: name, turns: count, runs, microsecondsPerTurn: median(times), heapMb: median(heaps) });
    }
  }
}

const providers: Record<string, () => Endless> = {
  plain: () => {
    let id = 0;
    return {
      async *stream() {
        yield* answer(++id);
      },
    };
  },
  fake: () => {
    let id = 0;
    return new FakeProvider<WireRequest, FakeEvent>({ forever: () => answer(++id) }, { record: false });
  },
};

const answer = (id: number) => ask(call(`c${id}`, "echo", { text: "hi" }));

type LessonModules = {
  createState(given: { turnLimit: number }): { messages: readonly unknown[] };
  ToolRegistry: new () => {
    /** From s11 on a tool declares what it touches; the lessons before ignore these options. */
    register(
      spec: { name: string; description: string },
      handler: () => string,
      options: { effects: string[]; paths: () => string[] },
    ): void;
  };
  runEventedToolLoop(...given: unknown[]): Promise<{ outcome: string }>;
  /** From s07 on. */
  createEvents?(): { subscribe(listener: () => void): unknown };
};

/** Files that hold these names; a lesson need not have all of them. */
const moduleFiles = ["messages.ts", "tools.ts", "events.ts", "loop.ts"];

/**
 * The loop of any lesson from s04 on: it takes positions in s04 and s05, and one object of options later. A lesson that
 * needs a further option gets it here. Hooks and subscribers are there, and do nothing.
 */
export async function loopOf(course: Course, lesson: Lesson): Promise<RunTurns> {
  const folder = join(course.root, lesson.folder);
  const load = (file: string) => import(pathToFileURL(join(folder, file)).href) as Promise<object>;
  if (lesson.id < "s04")
    throw new UsageError(`${lesson.id} has no tools to call; npm run bench takes a lesson from s04 on`);
  const present = moduleFiles.filter((file) => existsSync(join(folder, file)));
  const modules = Object.assign({}, ...(await Promise.all(present.map(load)))) as LessonModules;
  const output: Output = { log: () => {} };

  return async (turns, provider) => {
    const state = modules.createState({ turnLimit: turns });
    const registry = new modules.ToolRegistry();
    registry.register({ name: "echo", description: "repeats a text" }, () => "hi", {
      effects: [],
      paths: () => [],
    });
    const loop = modules.runEventedToolLoop;
    const [userInput, hooks] = ["go", {}];
    const events = modules.createEvents?.();
    events?.subscribe(() => {});
    const positions = [state, provider, registry, ...(loop.length === 6 ? [hooks] : []), userInput, output];
    const { outcome } = await (loop.length === 1
      ? loop({ state, provider, registry, hooks, userInput, output, events })
      : loop(...positions));
    if (outcome === "turn_limit" && state.messages.length >= 2 * turns) return state;
    throw new Error(
      `the run ended with ${outcome} after ${state.messages.length} messages, not with ${turns} turns`,
    );
  };
}

/** Bytes in use after a collection, with `alive` still reachable. */
function heapWith(alive: unknown): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed } = process.memoryUsage();
  return alive === undefined ? 0 : heapUsed;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
