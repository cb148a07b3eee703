/** Whether the lessons' copies of a file are in step, whether they stand alone, and whether lessons.json, folders and npm scripts agree. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lessonBefore, type Course, type Lesson } from "../shared/course.ts";
import { codeFilesOf, filesOf, isTest, textOf, toLf } from "./lesson-files.ts";
import { mask } from "./mask.ts";
import type { Problem } from "./problems.ts";

export type { Problem } from "./problems.ts";

/** Everything below, lists first. Each lesson is compared with the one before only, so one early edit is one problem. */
export function drift(course: Course): Problem[] {
  return [...manifestProblems(course), ...standaloneProblems(course), ...copyProblems(course)];
}

/** lessons.json against the folders and the npm scripts. */
export function manifestProblems(course: Course): Problem[] {
  return [...orderProblems(course), ...folderProblems(course), ...scriptProblems(course)];
}

/** What each lesson says it adds and changes, against the bytes. */
export function copyProblems(course: Course): Problem[] {
  return course.lessons.flatMap((lesson) => (folderExists(course, lesson) ? copiesOf(course, lesson) : []));
}

/** A lesson is a flat folder whose code is in .ts files, and imports nothing but itself and the project's shared/. */
export function standaloneProblems(course: Course): Problem[] {
  return course.lessons.flatMap((lesson) => [...layoutProblems(course, lesson), ...importProblems(course, lesson)]);
}

/** What the checks, which read TypeScript files directly in the folder, would not see. */
function layoutProblems(course: Course, lesson: Lesson): Problem[] {
  if (!folderExists(course, lesson)) return [];
  const entries = readdirSync(join(course.root, lesson.folder), { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  return entries.flatMap((entry) => {
    if (!entry.isDirectory() && !/\.([cm]?js|[cm]ts|[jt]sx|json)$/.test(entry.name)) return [];
    const file = `${lesson.folder}/${entry.name}${entry.isDirectory() ? "/" : ""}`;
    return [{ file, message: "no check looks at this", remedy: "a lesson is a flat folder, and its code is in .ts files: move it or remove it" }];
  });
}

function importProblems(course: Course, lesson: Lesson): Problem[] {
  const names = filesOf(course, lesson).filter((name) => name.endsWith(".ts"));
  return names.flatMap((name) => {
    const file = `${lesson.folder}/${name}`;
    const foreign = importedBy(textOf(course.root, file) ?? "").filter(
      (from) => !/^(\.\/[^/]+|\.\.\/shared\/.+|node:.+)$/.test(from) && !(isTest(name) && from === "vitest"),
    );
    return foreign.map((from) => ({ file, message: `imports "${from}"`, remedy: "a lesson imports its own files, ../shared/ and node: only; copy what it needs" }));
  });
}

function importedBy(source: string): string[] {
  const code = mask(source, "comments");
  const statements = [/^import\s[^;"']*["']([^"']+)["']/gm, /^export\s[^;"'=]*\sfrom\s*["']([^"']+)["']/gm, /\bimport\(\s*["']([^"']+)["']/g];
  return statements.flatMap((statement) => [...code.matchAll(statement)].map((found) => found[1]!));
}

const manifest = "lessons.json";

function orderProblems({ lessons }: Course): Problem[] {
  return lessons.flatMap(({ id, folder }, index) => {
    const problems: Problem[] = [];
    const expected = `s${String(index + 1).padStart(2, "0")}`;
    if (id !== expected) {
      problems.push({ file: manifest, message: `lesson ${index + 1} is called ${id}`, remedy: `number the lessons without a gap: ${expected}` });
    }
    if (!folder.startsWith(`${id}_`)) {
      problems.push({ file: manifest, message: `${id} has the folder ${folder}`, remedy: `name the folder ${id}_…` });
    }
    return problems;
  });
}

function folderProblems(course: Course): Problem[] {
  const listed = new Set(course.lessons.map((lesson) => lesson.folder));
  const present = readdirSync(course.root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^s\d\d_/.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  const unknown = present
    .filter((folder) => !listed.has(folder))
    .map((folder) => ({
      file: `${folder}/`,
      message: "this folder has no entry in lessons.json",
      remedy: "add the lesson to lessons.json, or remove the folder",
    }));
  const missing = course.lessons
    .filter((lesson) => !folderExists(course, lesson))
    .map(({ id, folder }) => ({
      file: `${folder}/`,
      message: `lessons.json lists ${id}, and its folder is not there`,
      remedy: "make the folder, or take the entry out of lessons.json",
    }));
  const silent = course.lessons
    .filter((lesson) => folderExists(course, lesson) && !existsSync(join(course.root, lesson.folder, "main.ts")))
    .map(({ folder }) => ({ file: `${folder}/main.ts`, message: "the lesson has no demo", remedy: "write one" }));
  return [...unknown, ...missing, ...silent];
}

function scriptProblems(course: Course): Problem[] {
  const file = "package.json";
  const { scripts = {} } = JSON.parse(readFileSync(join(course.root, file), "utf8")) as { scripts?: Record<string, string> };
  const ids = course.lessons.map((lesson) => lesson.id);
  const wrong = ids
    .filter((id) => scripts[id] !== `node tools/start.cjs ${id}`)
    .map((id) => ({
      file,
      message: scripts[id] === undefined ? `there is no script for ${id}` : `the script ${id} starts something else`,
      remedy: `write "${id}": "node tools/start.cjs ${id}"`,
    }));
  const extra = Object.keys(scripts)
    .filter((name) => /^s\d+$/.test(name) && !ids.includes(name))
    .map((name) => ({
      file,
      message: `the script ${name} belongs to no lesson`,
      remedy: `remove it, or add ${name} to lessons.json`,
    }));
  return [...wrong, ...extra];
}

function folderExists(course: Course, lesson: Lesson): boolean {
  return existsSync(join(course.root, lesson.folder));
}

function copiesOf(course: Course, lesson: Lesson): Problem[] {
  const before = lessonBefore(course, lesson);
  const here = codeFilesOf(course, lesson);
  const there = before ? codeFilesOf(course, before) : [];
  const names = new Set([...here, ...there, ...lesson.added, ...lesson.changed]);
  return [...names].sort().flatMap((name) => {
    const found = copyProblem(course, lesson, before, name, { here: here.includes(name), there: there.includes(name) });
    return found ? [{ file: `${lesson.folder}/${name}`, ...found }] : [];
  });
}

type Found = Omit<Problem, "file">;

function copyProblem(
  course: Course,
  lesson: Lesson,
  before: Lesson | undefined,
  name: string,
  is: { here: boolean; there: boolean },
): Found | undefined {
  const { id } = lesson;
  const added = lesson.added.includes(name);
  const changed = lesson.changed.includes(name);
  const list = (word: "added" | "changed") => `list it under "${word}" of ${id} in lessons.json`;

  if (added && changed) return { message: `${id} lists it as added and as changed`, remedy: "keep one of the two in lessons.json" };
  if (!is.here && before && is.there) {
    const remedy = `copy it from ${before.folder}/`;
    return { message: `${before.id} has this file and ${id} has not`, remedy };
  }
  if (!is.here) {
    const remedy = `write it, or take it out of ${id} in lessons.json (code files only: no main.ts, tests or texts)`;
    return { message: `${id} lists this file and has no such code file`, remedy };
  }
  if (!before || !is.there) {
    if (added) return undefined;
    const message = changed ? `${id} lists it as changed, and it is new` : `${id} does not list this file`;
    return { message, remedy: list("added") };
  }
  if (added) return { message: `${id} lists it as added, and ${before.id} has it already`, remedy: list("changed") };

  const difference = compare(join(course.root, before.folder, name), join(course.root, lesson.folder, name));
  if (difference === "line endings") {
    return { message: `differs from ${before.folder}/${name} only in line endings`, remedy: "save both with LF" };
  }
  if (changed && difference === "none") {
    const remedy = `change it, or take it out of "changed" of ${id} in lessons.json`;
    return { message: `${id} lists it as changed, and it is the same as in ${before.id}`, remedy };
  }
  if (!changed && difference === "text") {
    const undo = `git restore ${before.folder}/${name} ${lesson.folder}/${name}`;
    const remedy = `${list("changed")}; or, when ${before.id} is right, run: npm run carry ${before.id}; or undo: ${undo}`;
    return { message: `differs from ${before.folder}/${name}, and ${id} does not list it`, remedy };
  }
  return undefined;
}

/** The bytes count; that two files differ in nothing but CR LF is worth a sentence of its own. */
function compare(one: string, other: string): "none" | "line endings" | "text" {
  const [a, b] = [readFileSync(one), readFileSync(other)];
  if (a.equals(b)) return "none";
  return toLf(a.toString("utf8")) === toLf(b.toString("utf8")) ? "line endings" : "text";
}
