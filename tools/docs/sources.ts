/**
 * Everything that blocks are made of: files, declarations, outputs of commands, differences. Each is read
 * or run once.
 */

import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Course, Language, Lesson } from "../../shared/course.ts";
import { memoryIo, type Io } from "../../shared/io.ts";
import { runGit } from "../git.ts";
import { filesOf, isCode } from "../lesson-files.ts";
import { declarations, type Declaration } from "../symbols.ts";
import { readText } from "./page.ts";

/** What a command printed (standard output and error, as they came) and its exit status. */
export type Printed = { text: string; status: number };

/** A lesson in which the text of one file is another. */
export type Change = { lesson: Lesson; file: string; changed: string };

export type Failure = {
  /** Unique, never shown. */
  id: string;
  /** The lesson whose table has this row. */
  lesson: string;
  en: { what: string; happens: string };
  zh: { what: string; happens: string };
  /** What shows it: `{ "case": "s05 throws" }` or `{ "test": "s05_…/execute.test.ts", "name": "…" }`. */
  shown: ({ case: string } | { test: string; name: string })[];
};

export type Sources = {
  course: Course;
  /** LF only. `path` is from the root. */
  text(path: string): string | undefined;
  declarations(path: string): readonly Declaration[] | undefined;
  /** Runs a command in this process; `words` start with a lesson or a command. */
  print(words: readonly string[], language: Language, stdin?: string): Promise<Printed>;
  /** Runs a copy of a lesson in which one file is changed; `words` are the lesson's. The copy is removed. */
  tryOut(change: Change, words: readonly string[], language: Language, stdin?: string): Promise<Printed>;
  casesOf(lesson: Lesson): Promise<readonly string[]>;
  /**
   * Git's difference of two files, as lines without the header. @throws when git
   * is missing
   */
  diff(before: string, after: string, context: number): string[];
  /** npm script → first word for the dispatcher. */
  scripts: ReadonlyMap<string, string>;
  failures: readonly Failure[];
};

/** What a toy course has to bring itself, because the real dispatcher only knows the real lessons. */
export type Runner = {
  run(words: readonly string[], io: Io): Promise<number>;
  /** Runs the lesson in a folder (from the root) that is no lesson of lessons.json. */
  runFolder(folder: string, words: readonly string[], io: Io): Promise<number>;
  casesOf(lesson: Lesson): Promise<readonly string[]>;
};

export const failuresFile = "tools/docs/failures.json";

export function createSources(course: Course, runner: Runner = realRunner(course)): Sources {
  const text = remember((path: string) => readText(course, path)?.replaceAll("\r\n", "\n"));
  const run = remember(async (key: string) => {
    const { words, language, stdin } = JSON.parse(key) as { words: string[]; language: Language; stdin?: string };
    return printed((io) => runner.run(words, io), language, stdin);
  });
  const tryOut = remember(async (key: string) => {
    const { change, words, language, stdin } = JSON.parse(key) as Tried;
    return inCopy(course, change, (folder) =>
      printed((io) => runner.runFolder(folder, words, io), language, stdin),
    );
  });
  const diff = remember((key: string) => {
    const [before, after, context] = JSON.parse(key) as [string, string, number];
    if (text(before) === text(after)) return [];
    return gitDiff(course.root, before, after, context);
  });
  const cases = remember(async (id: string) => runner.casesOf(course.lessons.find((lesson) => lesson.id === id)!));
  return {
    course,
    text,
    declarations: remember((path: string) => {
      const source = text(path);
      return source === undefined ? undefined : declarations(source);
    }),
    print: (words, language, stdin) => run(JSON.stringify({ words, language, stdin })),
    tryOut: (change, words, language, stdin) =>
      tryOut(JSON.stringify({ change, words, language, stdin } satisfies Tried)),
    casesOf: (lesson) => cases(lesson.id),
    diff: (before, after, context) => diff(JSON.stringify([before, after, context])),
    scripts: scriptsOf(text("package.json") ?? "{}"),
    failures: JSON.parse(text(failuresFile) ?? "[]") as Failure[],
  };
}

/** Paths of the code files in the project's shared/, from the root. */
export function sharedFiles(course: Course): string[] {
  const folder = join(course.root, "shared");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => `shared/${name}`);
}

function remember<Result>(make: (key: string) => Result): (key: string) => Result {
  const known = new Map<string, Result>();
  return (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key)!;
  };
}

type Tried = { change: Change; words: readonly string[]; language: Language; stdin?: string | undefined };

/**
 * Gives `use` a copy of a lesson with the change in it. It lies at the root, where `../shared/` is found,
 * and is ignored by git.
 */
async function inCopy<Result>(
  course: Course,
  { lesson, file, changed }: Change,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const copy = mkdtempSync(join(course.root, "my_s_docs_"));
  try {
    for (const name of filesOf(course, lesson).filter((each) => isCode(each) || each === "main.ts")) {
      if (name !== file) copyFileSync(join(course.root, lesson.folder, name), join(copy, name));
    }
    writeFileSync(join(copy, file), changed);
    return await use(basename(copy));
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 3 });
  }
}

function realRunner(course: Course): Runner {
  return {
    run: async (words, io) => (await import("../dispatch.ts")).dispatch(words, io),
    runFolder: async (folder, words, io) =>
      (await import("../../shared/run-lesson.ts")).runLesson(folder, words, io),
    casesOf: async (lesson) => {
      const { loadDemo } = await import("../../shared/run-lesson.ts");
      return Object.keys((await loadDemo(lesson.folder, course.root)).cases);
    },
  };
}

async function printed(run: (io: Io) => Promise<number>, language: Language, stdin?: string): Promise<Printed> {
  const env = { LANG: language === "zh" ? "zh_CN.UTF-8" : "en_US.UTF-8", NO_COLOR: "1" };
  const io = memoryIo({ env, ...(stdin === undefined ? {} : { input: stdin }) });
  let text = "";
  const sink = { write: (part: string) => (text += part), isTTY: false };
  const status = await run({ ...io, stdout: sink, stderr: sink });
  return { text: text.replaceAll("\r\n", "\n"), status };
}

/** `start` and `s05` of package.json, with the word that tools/start.cjs is given. */
function scriptsOf(manifest: string): Map<string, string> {
  const { scripts = {} } = JSON.parse(manifest) as { scripts?: Record<string, string> };
  const words = Object.entries(scripts).map(([name, line]) => [name, line.split(" ").at(-1) ?? name] as const);
  return new Map(words);
}

const shape = ["--no-color", "--diff-algorithm=myers", "--indent-heuristic", "--ignore-cr-at-eol"];

function gitDiff(root: string, before: string, after: string, context: number): string[] {
  const files = [before, after].map((path) => join(...path.split("/")));
  const args = ["diff", "--no-index", ...shape, `-U${context}`, "--", ...files];
  const { status, stdout, stderr } = runGit(args, { cwd: root, plain: true });
  if (status > 1) throw new Error(`git diff failed: ${stderr.trim()}`);
  const lines = stdout.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return first === -1 ? [] : lines.slice(first);
}
