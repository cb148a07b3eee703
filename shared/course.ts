/** Reading `lessons.json`, the one list of lessons. Every other list is generated from it or checked against it. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "./io.ts";
import { oneLine } from "./trace.ts";

/** The same text in both languages. */
export type Text = { en: string; zh: string };
export type Language = keyof Text;
export const languages: readonly Language[] = ["en", "zh"];

/** A name that a lesson takes away or whose signature it changes, with the reason its README shows. */
export type Upgrade = { from: string; to: string; why: Text };

export type Lesson = {
  /** `s05` */
  id: string;
  /** `s05_tool_hook_boundary` */
  folder: string;
  title: Text;
  /** One sentence: the concept. */
  goal: Text;
  /** Minutes to study it. */
  minutes: number;
  /** Code files new in this lesson, and code files of the lesson before that it changes. No main.ts, tests or texts. */
  added: string[];
  changed: string[];
  /** Needed when more than 80 lines change in files that already existed. */
  why?: Text;
  upgrades?: Upgrade[];
};

export type Course = {
  /** Absolute path of the folder that holds lessons.json. */
  root: string;
  lessons: Lesson[];
};

export const courseRoot = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Reads the course at `root`. Throws an Error that names the file when it cannot be read or is no JSON. */
export function loadCourse(root: string = courseRoot): Course {
  const file = join(root, "lessons.json");
  const { lessons } = JSON.parse(readFileSync(file, "utf8")) as { lessons: Lesson[] };
  return { root, lessons };
}

/**
 * Finds a lesson by id or folder, however the path is spelled (`s05`, `5`, `./s05_tool_hook_boundary/`, with `\` too).
 * @throws UsageError that lists the lessons.
 */
export function findLesson(course: Course, spelled: string): Lesson {
  const word = spelled.replaceAll("\\", "/").replace(/\/+$/, "").split("/").at(-1)?.toLowerCase() ?? "";
  const id = /^\d{1,2}$/.test(word) ? `s${word.padStart(2, "0")}` : word;
  const lesson = course.lessons.find((each) => each.id === id || each.folder === id);
  if (lesson) return lesson;
  throw new UsageError(`unknown lesson "${oneLine(spelled)}"; lessons: ${course.lessons.map((each) => each.id).join(", ")}`);
}

/** The lesson before, or undefined for the first one. */
export function lessonBefore(course: Course, lesson: Lesson): Lesson | undefined {
  return course.lessons[course.lessons.indexOf(lesson) - 1];
}
