/** `npm run diff s04 s05`: what one lesson adds to another, one line per file and then the difference itself. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import picocolors from "picocolors";
import { findLesson, lessonBefore, loadCourse, type Course } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { oneLine, wantsColor } from "../shared/trace.ts";
import { comparing, pathsBelow, type Selection, type Side } from "./compare.ts";
import { growth, growthTable } from "./growth.ts";
import { isCode } from "./lesson-files.ts";

export type DiffRow = {
  status: "added" | "changed" | "renamed" | "removed" | "same";
  /** The path inside the lesson's folder; of a renamed file the new one. */
  path: string;
  /** The old path of a renamed file. */
  from?: string;
  added: number;
  deleted: number;
};

export type LessonDiff = { rows: DiffRow[]; patch: string };

export type DiffOptions = {
  /** Which files take part; without it the lesson code. */
  wanted?: Selection;
  color?: boolean;
  git?: string | undefined;
};

/** Compares two lessons, in the given direction. @throws UsageError when git is missing. */
export function diffLessons(course: Course, before: Side, after: Side, options: DiffOptions = {}): LessonDiff {
  const { wanted = isCode, color = false, git } = options;
  return comparing(
    course,
    [before, after],
    wanted,
    (copies) => {
      const differing = copies.counts(before, after, true).map(({ from, to, added, deleted }): DiffRow => {
        if (from === undefined) return { status: "added", path: to ?? "", added, deleted };
        if (to === undefined) return { status: "removed", path: from, added, deleted };
        if (from !== to) return { status: "renamed", path: to, from, added, deleted };
        return { status: "changed", path: to, added, deleted };
      });
      const named = new Set(differing.flatMap(({ path, from }) => [path, from]));
      const same = pathsBelow(join(course.root, after.folder))
        .filter((path) => wanted(path) && !named.has(path))
        .map((path): DiffRow => ({ status: "same", path, added: 0, deleted: 0 }));
      return { rows: [...differing, ...same].sort(byStatus), patch: copies.patch(before, after, color) };
    },
    git,
  );
}

/** Resolves to 0, also when the lessons differ. @throws UsageError for a mistyped word and for a missing git. */
export async function run(
  args: readonly string[],
  io: Io,
  { course = loadCourse(), git }: { course?: Course; git?: string } = {},
): Promise<number> {
  const { sides, all, stats } = read(args, course);
  if (stats) {
    io.stdout.write(growthTable(growth(course, git)));
    return 0;
  }
  const [first, second] = sides;
  if (!first) throw new UsageError(`which lessons? ${usage(course)}`);
  const before = second ? first : sideBefore(course, first);
  if (!before) {
    const next = course.lessons[1]?.id ?? first.id;
    io.stdout.write(`${first.folder} is the first lesson, so there is none before it. Compare two: npm run diff ${first.id} ${next}\n`);
    return 0;
  }
  const after = second ?? first;
  const color = wantsColor(io);
  const wanted = all ? () => true : isCode;
  io.stdout.write(shown(before, after, diffLessons(course, before, after, { wanted, color, git }), { all, color }));
  return 0;
}

const order: readonly DiffRow["status"][] = ["added", "renamed", "changed", "removed", "same"];

function byStatus(a: DiffRow, b: DiffRow): number {
  return order.indexOf(a.status) - order.indexOf(b.status) || (a.path < b.path ? -1 : 1);
}

type Words = { sides: Side[]; all: boolean; stats: boolean };

/** `all` and `stats` may be bare words, because PowerShell's npm swallows the `--` in front of a flag. */
function read(args: readonly string[], course: Course): Words {
  const words: Words = { sides: [], all: false, stats: false };
  for (const word of args) {
    if (word === "all" || word === "--all") words.all = true;
    else if (word === "stats" || word === "--stats") words.stats = true;
    else words.sides.push(sideOf(course, word));
  }
  if (words.sides.length > 2) throw new UsageError(`that is more than two lessons; ${usage(course)}`);
  if (words.stats && (words.all || words.sides.length > 0)) {
    throw new UsageError("stats shows the whole course and takes nothing else: npm run diff stats");
  }
  return words;
}

function sideOf(course: Course, word: string): Side {
  const side = ownCopy(course, word) ?? lessonNamed(course, word);
  if (!side) throw new UsageError(`unknown ${word.startsWith("-") ? "flag" : "lesson or word"} "${oneLine(word)}"; ${usage(course)}`);
  if (existsSync(join(course.root, side.folder))) return side;
  throw new UsageError(`the folder ${side.folder} is not there; put it back with: git restore ${side.folder}`);
}

function lessonNamed(course: Course, word: string): Side | undefined {
  try {
    return findLesson(course, word);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** A student's own copy, made by `npm run try`, can be compared too. */
function ownCopy(course: Course, word: string): Side | undefined {
  const folder = word.replaceAll("\\", "/").replace(/\/+$/, "").split("/").at(-1)?.toLowerCase() ?? "";
  if (!/^my_s\d\d$/.test(folder) || !existsSync(join(course.root, folder))) return undefined;
  return { id: folder, folder };
}

function sideBefore(course: Course, side: Side): Side | undefined {
  if (side.id.startsWith("my_")) return findLesson(course, side.id.slice("my_".length));
  return lessonBefore(course, findLesson(course, side.id));
}

function usage(course: Course): string {
  const copies = readdirSync(course.root).filter((name) => /^my_s\d\d$/.test(name));
  const names = [...course.lessons.map((lesson) => lesson.id), ...copies];
  return `npm run diff takes one lesson (against the one before) or two of ${names.join(", ")}, and all; or only stats`;
}

function shown(before: Side, after: Side, { rows, patch }: LessonDiff, { all, color }: { all: boolean; color: boolean }): string {
  const paint = picocolors.createColors(color);
  const painted = { added: paint.green, renamed: paint.cyan, changed: paint.yellow, removed: paint.red, same: paint.dim };
  const names = rows.map(({ path, from }) => (from ? `${from} => ${path}` : path));
  const width = Math.max(0, ...names.map((name) => name.length));
  const lines = rows.map(({ status, added, deleted }, at) => {
    const line = `${status.padEnd(7)}  ${names[at]!.padEnd(width)}  ${signed("+", added)} ${signed("-", deleted)}`;
    return painted[status](line.trimEnd());
  });
  const total = (of: "added" | "deleted") => rows.reduce((sum, row) => sum + row[of], 0);
  const what = all ? "all files" : "lesson code";
  const sum = `${what}: +${total("added")} -${total("deleted")}`;
  const more = all ? "" : `; tests, demo and texts too: npm run diff ${before.id} ${after.id} all`;
  const head = [paint.bold(`${before.folder} -> ${after.folder}`), ...lines, sum + more];
  return `${head.join("\n")}\n${patch ? `\n${patch}` : ""}`;
}

function signed(sign: string, count: number): string {
  return (count ? sign + count : "").padStart(4);
}
