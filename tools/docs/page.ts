/** The pages that the text machinery looks after, and what it says about them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { languages, type Course, type Language, type Lesson } from "../../shared/course.ts";

export type Page = {
  /** From the root of the course, with `/`. */
  path: string;
  language: Language;
  /** The lesson whose tutorial it is; none for the root README and the pages in docs/. */
  lesson?: Lesson;
  /** Path of the same page in the other language. */
  pair: string;
};

export type Problem = {
  /** Path of the page from the root. */
  page: string;
  /** Counted from 1. */
  line?: number;
  /** The marker, section, link or name it is about. */
  about?: string;
  /** What is wrong and what to do. */
  message: string;
  /** A few more lines, such as a small difference. */
  detail?: readonly string[];
};

/** All pages that should exist, each English one followed by its Chinese one: root README, lessons, docs/. */
export function pagesOf(course: Course, only?: Lesson): Page[] {
  const lessons = only ? [only] : course.lessons;
  const pages = lessons.flatMap((lesson) => bothLanguages(`${lesson.folder}/README`, lesson));
  if (only) return pages;
  return [
    ...bothLanguages("README"),
    ...pages,
    ...docsNames(course).flatMap((name) => bothLanguages(`docs/${name}`)),
  ];
}

function bothLanguages(stem: string, lesson?: Lesson): Page[] {
  const path = { en: `${stem}.md`, zh: `${stem}.zh.md` };
  return languages.map((language) => ({
    path: path[language],
    language,
    pair: path[language === "en" ? "zh" : "en"],
    ...(lesson ? { lesson } : {}),
  }));
}

/**
 * Names in docs/ without `.md` or `.zh.md`; one language is enough for a name to count, so that a missing
 * pair is seen.
 */
function docsNames(course: Course): string[] {
  const folder = join(course.root, "docs");
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return [...new Set(names.map((name) => name.replace(/(\.zh)?\.md$/, "")))].sort();
}

/** The text of a file of the course, or undefined when there is none. `path` is from the root, with `/`. */
export function readText(course: Course, path: string): string | undefined {
  const file = join(course.root, ...path.split("/"));
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** One problem as lines for a terminal: where, what it is about, what to do, then the details, indented. */
export function formatProblem({ page, line, about, message, detail = [] }: Problem): string {
  const place = line === undefined ? page : `${page}:${line}`;
  return [`${place}: ${about ? `${about}: ` : ""}${message}`, ...detail.map((each) => `    ${each}`)].join("\n");
}
