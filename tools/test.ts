/** `npm test`: does the code work, and, in a part of its own, does the repository still keep its promises? */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { findLesson, loadCourse, type Course, type Lesson } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { requireFolder } from "../shared/load-fault.ts";
import { oneLine } from "../shared/trace.ts";
import { childEnvironment, runNode, type ChildOptions } from "./child.ts";
import { pathsBelow } from "./compare.ts";
import { countsVariable, type Counts } from "./count-reporter.ts";
import { runGit } from "./git.ts";
import { isTest } from "./lesson-files.ts";

export type Project = "tests" | "checks";

/** One start of vitest. Without filters it runs the whole project, the student's own copies left out. */
export type Part = { project: Project; filters: string[] };

/** What came of a part. A part that ran nothing, or that never finished, has failed. */
export type Result = Counts & { ok: boolean };
export type RunPart = (course: Course, part: Part, io: Io) => Promise<Result>;

export async function run(args: readonly string[], io: Io): Promise<number> {
  const course = loadCourse();
  return runTests(course, partsFor(course, args, io.env.INIT_CWD ?? course.root), io);
}

/**
 * What the words ask for: nothing means everything; else lessons, copies such as `my_s05`, test files or folders,
 * the last two as seen from `cwd` or from the root of the course.
 * @throws UsageError for a word that is none of them.
 */
export function partsFor(course: Course, words: readonly string[], cwd: string): Part[] {
  if (words.length === 0) return everything;
  const filters = words.map((word) => filterFor(course, word, cwd));
  const [checks, tests] = [filters.filter(isCheck), filters.filter((filter) => !isCheck(filter))];
  const parts: Part[] = [
    { project: "tests", filters: tests },
    { project: "checks", filters: checks },
  ];
  return parts.filter((part) => part.filters.length > 0);
}

export const everything: Part[] = [
  { project: "tests", filters: [] },
  { project: "checks", filters: [] },
];

const isCheck = (filter: string) => filter.endsWith(".check.ts");

function filterFor(course: Course, word: string, cwd: string): string {
  if (word.startsWith("-")) throw new UsageError(`${oneLine(word)} is not understood; ${valid(course)}`);
  const spelled = word.replaceAll("\\", "/");
  const path = [cwd, course.root].map((folder) => resolve(folder, spelled)).find((each) => existsSync(each));
  if (path !== undefined) return filterOf(course, path, word);

  const copy = /^(?:\.\/)?(my_s\d\d)\/?$/.exec(spelled)?.[1];
  if (copy) throw new UsageError(`there is no ${copy} yet; make it first: npm run try ${copy.slice(3)}`);
  const { folder } = lessonOf(course, word);
  requireFolder(course.root, folder);
  return `${folder}/`;
}

function lessonOf(course: Course, word: string): Lesson {
  try {
    return findLesson(course, word);
  } catch {
    throw new UsageError(`unknown lesson or file "${oneLine(word)}"; ${valid(course)}`);
  }
}

/** Vitest compares a filter with the path from the root, written with `/`. */
function filterOf(course: Course, path: string, word: string): string {
  const inside = relative(course.root, path).replaceAll("\\", "/");
  if (inside === "" || /^\.\.(\/|$)/.test(inside) || isAbsolute(inside)) {
    throw new UsageError(`"${oneLine(word)}" holds no tests of this course; ${valid(course)}`);
  }
  if (!statSync(path).isDirectory()) return inside;
  // Vitest finds a filter anywhere in a path: "docs/" alone would run the tests of tools/docs.
  if (!pathsBelow(path).some(isTest)) throw new UsageError(`"${oneLine(word)}" holds no tests of this course; ${valid(course)}`);
  return `${inside}/`;
}

function valid(course: Course): string {
  const ids = course.lessons.map((lesson) => lesson.id).join(", ");
  return `npm test takes lessons (${ids}), a copy such as my_${course.lessons.at(-1)?.id}, or test files; nothing means all`;
}

/** Runs the parts in order, all of them, and ends with the line `N passed, N failed`. Status 1 when one of them failed. */
export async function runTests(
  course: Course,
  parts: readonly Part[],
  io: Io,
  runPart: RunPart = vitest,
): Promise<number> {
  const print = (line: string) => void io.stdout.write(`${line}\n`);
  const total: Counts = { passed: 0, failed: 0 };
  const hints = new Map<Project, string[]>();

  for (const part of parts) {
    headings[part.project].forEach(print);
    const { passed, failed, ok } = await runPart(course, part, io);
    total.passed += passed;
    total.failed += failed;
    if (ok) continue;
    hints.set(part.project, part.project === "checks" ? remedies(course) : putBackTested(course, part));
    if (passed + failed === 0)
      print("No test was run, and that is a failure: nothing was found, or vitest did not finish.");
  }
  // The checks' hint names every changed lesson, those of failed tests among them.
  (hints.get("checks") ?? hints.get("tests") ?? []).forEach(print);
  print(`${total.passed} passed, ${total.failed} failed`);
  return hints.size === 0 ? 0 : 1;
}

const headings: Record<Project, string[]> = {
  tests: ["", "== Does the code work? =="],
  checks: [
    "",
    "== Does the repository still keep its promises? ==",
    "Copies in step, growth, texts. A change of your own in a lesson turns this part red, and only says that the",
    "text and the copies no longer match it. (npm run try makes a copy that nothing here looks at.)",
  ],
};

function remedies(course: Course): string[] {
  return [
    "Each message above names the file and the command that mends it (npm run docs, npm run carry …).",
    putBack(course),
    "",
  ];
}

/** For failed tests: nothing unless git sees a change in a lesson whose tests ran. */
function putBackTested(course: Course, { filters }: Part): string[] {
  const tested = (path: string) => filters.length === 0 || filters.some((filter) => filter.split("/")[0] === path.split("/")[0]);
  const changed = restorable(course, (changedFiles(course.root) ?? []).filter(tested)).filter((name) => !name.endsWith(".md"));
  return changed.length === 0 ? [] : [restoreLine(course, changed), ""];
}

/** The command that undoes a student's change. What was staged needs more words; without git's help it is an example. */
function putBack(course: Course): string {
  const files = changedFiles(course.root);
  if (files === undefined) {
    return `To put a lesson's files back as they were: git restore ${course.lessons.at(-1)?.folder ?? ""}`;
  }
  const changed = restorable(course, files);
  if (changed.length === 0) return "Git sees no changed file in the lessons; git status also shows new ones.";
  return restoreLine(course, changed);
}

function restoreLine(course: Course, changed: readonly string[]): string {
  const staged = restorable(course, changedFiles(course.root, "--cached") ?? []).some((name) => changed.includes(name));
  return `To put the changed lessons back as they were: git restore ${staged ? "--staged --worktree " : ""}${changed.join(" ")}`;
}

/** The folders of lessons among these paths, and the pages at the root that `npm run docs` writes. */
function restorable(course: Course, files: readonly string[]): string[] {
  const tops = new Set(files.map((path) => path.split("/")[0]));
  const all = [...course.lessons.map((lesson) => lesson.folder), "README.md", "README.zh.md"];
  return all.filter((name) => tops.has(name));
}

/** Files that git knows and that were changed or deleted since the last commit. Undefined when git cannot say. */
function changedFiles(root: string, ...options: string[]): string[] | undefined {
  try {
    const { status, stdout } = runGit(["diff", "--name-only", "--relative", ...options, "HEAD"], { cwd: root });
    return status === 0 ? stdout.split("\n") : undefined;
  } catch {
    return undefined;
  }
}

/** Runs vitest as a process of its own: at a terminal on this process's own streams, else through `io`. */
export async function vitest(
  course: Course,
  part: Part,
  io: Io,
  output: ChildOptions["output"] = io.stdout.isTTY ? "inherit" : io,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "course-test-"));
  const countsFile = join(folder, "counts.json");
  try {
    const env = { ...childEnvironment(io), [countsVariable]: countsFile };
    const { status } = await runNode(vitestArguments(course, part), { cwd: course.root, env, output });
    const counts = existsSync(countsFile)
      ? (JSON.parse(readFileSync(countsFile, "utf8")) as Counts)
      : { passed: 0, failed: 0 };
    return { ...counts, ok: status === 0 && counts.failed === 0 && counts.passed > 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Vitest leaves one core free unless it is told, which on two cores means half of them. */
export function vitestArguments(course: Course, { project, filters }: Part): string[] {
  return [
    join(course.root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    "--project",
    project,
    "--maxWorkers=100%",
    "--reporter=default",
    "--reporter=./tools/count-reporter.ts",
    ...(filters.length === 0 ? wholeProject(course, project) : filters),
  ];
}

/** Named folder by folder, because the student's own copies (my_s05) are no part of it. */
function wholeProject(course: Course, project: Project): string[] {
  if (project === "checks") return [];
  return [...course.lessons.map((lesson) => `${lesson.folder}/`), "shared/", "tools/"];
}
