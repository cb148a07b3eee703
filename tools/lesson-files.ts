/** Which files of a lesson folder are code, tests, demo and text. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Course, Lesson } from "../shared/course.ts";

/** The lesson's code: what the course teaches. No demo, no tests, no text. */
export function isCode(name: string): boolean {
  return name.endsWith(".ts") && !isTest(name) && name !== "main.ts";
}

export function isTest(name: string): boolean {
  return name.endsWith(".test.ts");
}

/** Names of the files in a lesson's folder, sorted; none when there is no such folder. */
export function filesOf(course: Course, lesson: Pick<Lesson, "folder">): string[] {
  const folder = join(course.root, lesson.folder);
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name).sort();
}

export function codeFilesOf(course: Course, lesson: Pick<Lesson, "folder">): string[] {
  return filesOf(course, lesson).filter(isCode);
}

/** The text of a file with LF line endings, or undefined when it is not there. */
export function textOf(root: string, path: string): string | undefined {
  const file = join(root, path);
  return existsSync(file) ? toLf(readFileSync(file, "utf8")) : undefined;
}

export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
