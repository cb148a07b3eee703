/** How much each lesson adds and changes, and the limits of the course. Code only: no demo, no tests, no text. */

import type { Course } from "../shared/course.ts";
import { comparing, type Count } from "./compare.ts";
import { codeFilesOf, isCode, textOf } from "./lesson-files.ts";
import type { Problem } from "./problems.ts";

/** Lines between a lesson and the one before. `added` and `deleted` hold all files, `inNew` and `inOld` split their sum. */
export type GrowthRow = {
  id: string;
  added: number;
  deleted: number;
  /** Lines added in files that the lesson before does not have. */
  inNew: number;
  /** Lines added and deleted in files that the lesson before has (a file that disappears counts as deleted). */
  inOld: number;
  /** Lines of the lesson's code, all together. */
  core: number;
  /** The part of loop.ts. */
  loop: { added: number; deleted: number };
};

export type Growth = {
  /** From the second lesson on. */
  rows: GrowthRow[];
  median: { lines: number; inOld: number };
  largest: { lines: number; inOld: number };
  /** Deleted of all added and deleted lines, 0 to 1. */
  deletedShare: number;
};

/** Shown beside the figures, and not enforced. */
export const targets = { lines: 90, inOld: 30, deletedShare: 0.08 };
/** Enforced by `growthProblems`. */
export const limits = { inOldWithoutWhy: 80, deletedShare: 0.12 };

/** Measures the course; a lesson without code is left out. @throws UsageError when git is missing. */
export function growth(course: Course, git?: string): Growth {
  const lessons = course.lessons.filter((lesson) => codeFilesOf(course, lesson).length > 0);
  const rows = comparing(
    course,
    lessons,
    isCode,
    (copies) =>
      lessons.slice(1).map((lesson, at) => rowOf(course, lesson, copies.counts(lessons[at]!, lesson, false))),
    git,
  );
  const lines = rows.map((row) => row.added + row.deleted);
  const inOld = rows.map((row) => row.inOld);
  return {
    rows,
    median: { lines: median(lines), inOld: median(inOld) },
    largest: { lines: Math.max(0, ...lines), inOld: Math.max(0, ...inOld) },
    deletedShare: share(sum(rows.map((row) => row.deleted)), sum(lines)),
  };
}

/** The two limits: too much deleted over the course, and a large change in old files without a reason. */
export function growthProblems(course: Course, measured: Growth = growth(course)): Problem[] {
  const large = measured.rows.flatMap(({ id, inOld }) => {
    const lesson = course.lessons.find((each) => each.id === id)!;
    if (inOld <= limits.inOldWithoutWhy || lesson.why) return [];
    const message = `changes ${inOld} lines in old files, more than ${limits.inOldWithoutWhy}, and gives no reason`;
    return [{ file: `${lesson.folder}/`, message, remedy: `make the step smaller, or write "why" for ${id} in lessons.json` }];
  });
  if (measured.deletedShare <= limits.deletedShare) return large;
  const message = `${percent(measured.deletedShare)} of all changed lines are deletions, more than ${percent(limits.deletedShare)}`;
  const remedy = "find the lessons that rewrite instead of adding: npm run diff stats";
  return [...large, { file: "lessons.json", message, remedy }];
}

/** The table that `npm run diff stats` prints, ended by a line break. */
export function growthTable({ rows, median, largest, deletedShare }: Growth): string {
  const head = ["lesson", "new files", "old files", "together", "added", "deleted", "code lines", "loop.ts"];
  const body = rows.map((row) => [
    row.id,
    row.inNew,
    row.inOld,
    row.added + row.deleted,
    row.added,
    row.deleted,
    row.core,
    `+${row.loop.added} -${row.loop.deleted}`,
  ]);
  const summary = [
    "",
    `median     ${median.lines} lines (target: at most ${targets.lines}), ${median.inOld} in old files (target: at most ${targets.inOld})`,
    `largest    ${largest.lines} lines, ${largest.inOld} in old files (above ${limits.inOldWithoutWhy} a lesson says why)`,
    `deleted    ${percent(deletedShare)} of all changed lines (target: at most ${percent(targets.deletedShare)}, limit ${percent(limits.deletedShare)})`,
    "",
    "Lines of lesson code between neighbours, added and deleted; demos, tests and texts do not count.",
  ];
  return [...columns([head, ...body]), ...summary, ""].join("\n");
}

function rowOf(course: Course, lesson: Course["lessons"][number], counts: readonly Count[]): GrowthRow {
  const old = counts.filter((count) => count.from !== undefined);
  const fresh = counts.filter((count) => count.from === undefined);
  const loop = counts.find((count) => (count.to ?? count.from) === "loop.ts");
  const texts = codeFilesOf(course, lesson).map((name) => textOf(course.root, `${lesson.folder}/${name}`) ?? "");
  return {
    id: lesson.id,
    added: sum(counts.map((count) => count.added)),
    deleted: sum(counts.map((count) => count.deleted)),
    inNew: sum(fresh.map((count) => count.added)),
    inOld: sum(old.map((count) => count.added + count.deleted)),
    core: sum(texts.map((text) => text.split("\n").length - 1)),
    loop: { added: loop?.added ?? 0, deleted: loop?.deleted ?? 0 },
  };
}

function columns(table: readonly (readonly (string | number)[])[]): string[] {
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((row) => String(row[at]).length)));
  return table.map((row) => row.map((cell, at) => pad(String(cell), widths[at] ?? 0, at === 0)).join("  "));
}

function pad(cell: string, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width);
}

/** Between the two middle values when their number is even; 0 of nothing. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
