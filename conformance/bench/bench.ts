/** `npm run bench` in this folder: the last lesson and Pi side by side. Figures to read, nothing that fails. */

import { cpus } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { processIo } from "../../shared/io.ts";
import { compileLessons } from "./compile.ts";
import { measure, rows, type Measured } from "./measure.ts";
import { lessonSide, piSide, type Side } from "./players.ts";

const { stdout } = processIo();
const print = (line: string) => void stdout.write(`${line}\n`);
const cell = (text: string, index: number) => (index === 0 ? text.padEnd(26) : text.padStart(14));
const line = (cells: readonly string[]) => cells.map(cell).join("").trimEnd();

/** Lesson divided by Pi: below 1 the lesson needs less. */
const ratio = (lesson: number, pi: number) => (pi === 0 ? "-" : (lesson / pi).toFixed(2));

function figuresOf({ row, figures: [lesson, pi] }: Measured): string[] {
  if (!lesson || !pi) return [row.name];
  const time = (value: number) => value.toFixed(value < 100 ? 1 : 0);
  return [
    row.name,
    time(lesson.microseconds),
    time(pi.microseconds),
    ratio(lesson.microseconds, pi.microseconds),
    time(lesson.kilobytes),
    time(pi.kilobytes),
    ratio(lesson.kilobytes, pi.kilobytes),
  ];
}

/** How a turn gets dearer when the transcript grows: cost per turn in the longest row by cost per turn in the shortest. */
function growthOf(measured: readonly Measured[], side: number): string {
  const perTurn = ({ row, figures }: Measured) => (figures[side]?.microseconds ?? 0) / row.units;
  const growing = measured.filter(({ row }) => row.name.endsWith(" turns"));
  const [first, last] = [growing[0], growing.at(-1)];
  return first && last ? `${perTurn(first).toFixed(1)} µs at ${first.row.units}, ${perTurn(last).toFixed(1)} µs at ${last.row.units}: times ${(perTurn(last) / perTurn(first)).toFixed(2)}` : "";
}

const onlyOneSide = [
  "",
  "What the lesson does and Pi does not: counts turns against a limit; freezes and copies the arguments that a gate judges, and copies what a hook is given",
  "when it looks; copies every result; takes a snapshot of the tools per turn; looks whether a call id was used before; tells events one at a time.",
  "What Pi does and the lesson does not: keeps the tools in system messages and replays them before each request; hands the whole message so far to",
  "each update; reduces each event into a state; coerces arguments by a compiled schema; keeps usage, times and the identity of the application.",
  "Both providers are the barest that the side takes, and both have one subscriber that does nothing. Bytes come from samples of the heap profiler.",
];

async function same(sides: readonly Side[], measured: Measured["row"]): Promise<void> {
  const played = await Promise.all(sides.map(({ play }) => play(measured.script)));
  const [first, ...others] = played.map((each) => JSON.stringify(each));
  if (others.some((other) => other !== first)) throw new Error(`${measured.name}: not the same was played: ${first}, ${others.join(", ")}`);
}

async function main(): Promise<void> {
  setFlagsFromString("--expose-gc");
  (globalThis as { gc?: () => void }).gc = runInNewContext("gc") as () => void;
  const sides = [await lessonSide(compileLessons()), await piSide()];
  const [lesson, pi] = sides.map(({ name }) => name);
  print(`${lesson} and ${pi}, in turn in one process; Node ${process.versions.node}, ${cpus()[0]?.model ?? "unknown processor"}; medians of 9, per play`);
  print("");
  print(line(["", `${lesson} µs`, `${pi} µs`, "ratio", `${lesson} kB`, `${pi} kB`, "ratio"]));
  const all: Measured[] = [];
  for (const row of rows()) {
    await same(sides, row);
    const measured = await measure(row, sides, row.units >= 4_000 ? 5 : 9);
    all.push(measured);
    print(line(figuresOf(measured)));
  }
  print("");
  for (const [index, { name }] of sides.entries()) print(`growth of a turn, ${name}: ${growthOf(all, index)}`);
  onlyOneSide.forEach(print);
}

await main();
