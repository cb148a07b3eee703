/** `npm run try s05`: a copy of the lesson in `my_s05/`, which git does not look at, to be changed and run there. */

import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findLesson, loadCourse, type Course, type Lesson } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { requireFolder } from "../shared/load-fault.ts";
import { choose, loadDemo, runLesson } from "../shared/run-lesson.ts";
import { oneLine } from "../shared/trace.ts";
import { typedLines } from "../shared/typed-lines.ts";

/** Runs a lesson's folder with the words of the command line. */
export type RunLesson = (folder: string, args: readonly string[], io: Io) => Promise<number>;

/** Reads the words as the lesson in this folder would. @throws UsageError for a word that it refuses. */
export type ReadWords = (folder: string, words: readonly string[], io: Io) => Promise<{ help?: true }>;

export async function run(args: readonly string[], io: Io): Promise<number> {
  return tryLesson(loadCourse(), args, io, runLesson, readWords);
}

const readWords: ReadWords = async (folder, words, io) => choose(await loadDemo(folder), words, io);

/**
 * `s05 [words]` makes the copy when there is none and runs it with the words; a copy that is there is never touched, and
 * words that the lesson refuses, or that ask for help, make none.
 * `s05 reset` replaces the copy by the lesson as it is now, after a yes: typed at a terminal, else as the word `yes`.
 */
export async function tryLesson(
  course: Course,
  args: readonly string[],
  io: Io,
  runCopy: RunLesson,
  read: ReadWords,
): Promise<number> {
  const [spelled, ...words] = args;
  const lessons = course.lessons.map((lesson) => lesson.id).join(", ");
  if (spelled === undefined)
    throw new UsageError(
      `npm run try needs a lesson (${lessons}), and takes the words of that lesson, or reset`,
    );
  const lesson = findLesson(course, spelled.replace(/(^|[\\/])my_(s\d\d[\\/]?)$/i, "$1$2"));
  const copy = `my_${lesson.id}`;

  if (words[0]?.toLowerCase() === "reset") return reset(course, lesson, copy, words.slice(1), io);
  if (!existsSync(join(course.root, copy))) {
    requireFolder(course.root, lesson.folder);
    const { help } = await read(lesson.folder, words, io);
    if (help) return runCopy(lesson.folder, words, io);
    copyLesson(course, lesson, copy);
    io.stdout.write(
      [
        `Made ${copy}/, a copy of ${lesson.folder}/. It is yours: change it, and run it with npm run try ${lesson.id}.`,
        `Its tests: npm test ${copy}. Back to the beginning: npm run try ${lesson.id} reset`,
        "",
        "",
      ].join("\n"),
    );
  }
  return runCopy(copy, words, io);
}

async function reset(
  course: Course,
  lesson: Lesson,
  copy: string,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const command = `npm run try ${lesson.id} reset`;
  const extra = words.find((word) => word.toLowerCase() !== "yes");
  if (extra !== undefined) throw new UsageError(`reset takes nothing but yes, not "${oneLine(extra)}": ${command} yes`);
  if (!existsSync(join(course.root, copy)))
    throw new UsageError(`there is no ${copy} yet; this makes it: npm run try ${lesson.id}`);

  requireFolder(course.root, lesson.folder);
  if (words.length === 0 && !(await agreed(copy, command, io))) {
    io.stdout.write(`Nothing was changed.\n`);
    return 1;
  }
  rmSync(join(course.root, copy), { recursive: true, maxRetries: 3 });
  copyLesson(course, lesson, copy);
  io.stdout.write(`${copy}/ is again a copy of ${lesson.folder}/.\n`);
  return 0;
}

async function agreed(copy: string, command: string, io: Io): Promise<boolean> {
  if (!io.stdinIsTTY || !io.stdout.isTTY) {
    throw new UsageError(`reset throws away what you changed in ${copy}; when you mean it: ${command} yes`);
  }
  io.stdout.write(`This throws away everything in ${copy}/ and copies the lesson again.\n`);
  const lines = typedLines(io, "Type yes to go on: ");
  const answer = await lines.next();
  await lines.close();
  return answer?.trim().toLowerCase() === "yes";
}

function copyLesson(course: Course, lesson: Lesson, copy: string): void {
  cpSync(join(course.root, lesson.folder), join(course.root, copy), {
    recursive: true,
    errorOnExist: true,
    force: false,
  });
}
