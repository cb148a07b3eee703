/** Finds the command behind an npm script, runs it, and turns a typing mistake into one line and status 2. */

import { findLesson, loadCourse } from "../shared/course.ts";
import { processIo, UsageError, type Io } from "../shared/io.ts";

/** Runs a command with its words; resolves to the exit status. May throw UsageError. */
export type Command = (args: readonly string[], io: Io) => Promise<number>;

type CommandModule = { run: Command };

const commands: Record<string, () => Promise<CommandModule>> = {
  menu: () => import("./menu.ts"),
  diff: () => import("./diff.ts"),
  try: () => import("./try.ts"),
  test: () => import("./test.ts"),
  check: () => import("./check.ts"),
  docs: () => import("./docs.ts"),
  carry: () => import("./carry.ts"),
  doctor: () => import("./doctor.ts"),
  bench: () => import("./bench.ts"),
  seams: () => import("./seams.ts"),
  conformance: () => import("./conformance.ts"),
};

/** Runs `words[0]` (a command or a lesson) with the rest. Resolves to the exit status and never throws a UsageError. */
export async function dispatch(words: readonly string[], io: Io): Promise<number> {
  const [name = "menu", ...args] = words;
  try {
    if (Object.hasOwn(commands, name)) {
      const { run } = await commands[name]!();
      return await run(args, io);
    }
    const lesson = findLesson(loadCourse(), name);
    const { runLesson } = await import("../shared/run-lesson.ts");
    return await runLesson(lesson.folder, args, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`${error.message}\n`);
    return 2;
  }
}

export async function main(words: readonly string[]): Promise<void> {
  process.exitCode = await dispatch(words, processIo());
}
