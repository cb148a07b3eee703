/**
 * Names in backticks must exist: in the code of the lesson or an earlier one, or in the list of names from
 * elsewhere.
 */

import type { Lesson } from "../../shared/course.ts";
import { filesOf } from "../lesson-files.ts";
import { mask } from "../mask.ts";
import { forms } from "./blocks/index.ts";
import { faultOfCommand } from "./commands.ts";
import { parsePage, type Parsed } from "./markers.ts";
import { allowedNames, namesOutsideLessons } from "./names.ts";
import type { Page, Problem } from "./page.ts";
import { sectionsOf, titles } from "./sections.ts";
import { sharedFiles, type Sources } from "./sources.ts";

const identifier = /[A-Za-z_$][\w$]*/g;

/** Names that exist nowhere, and commands that do not run, in the inline code of a page. */
export async function identifierProblems(page: Page, source: string, sources: Sources): Promise<Problem[]> {
  const parsed = parsePage(source, forms);
  const known = await knownWords(page, parsed, sources);
  const later = new Set(linesAboutLater(page, source));
  const problems: Problem[] = [];
  for (const { text, line } of codeSpans(parsed)) {
    const at = { page: page.path, line: line + 1, about: `\`${text}\`` };
    if (/^npm\s/.test(text)) {
      const fault = await faultOfCommand(text, sources);
      if (fault) problems.push({ ...at, message: fault });
      continue;
    }
    if (/^(git|node|npx|cd)\s/.test(text) || isFile(page, text, sources)) continue;
    const unknown = namesIn(text).find(
      (name) => !known.has(name) && !(later.has(line) && everyWord(sources).has(name)),
    );
    if (unknown !== undefined) problems.push({ ...at, message: explain(unknown, page, sources) });
  }
  return problems;
}

function explain(name: string, page: Page, sources: Sources): string {
  const first = sources.course.lessons.find((lesson) => wordsOfLesson(lesson, sources).has(name));
  if (first) return `"${name}" arrives in ${first.id} only; say it under "${titles.missing[page.language]}"`;
  const where = page.lesson ? `in ${page.lesson.id} nor in an earlier lesson` : "in any lesson";
  const remedy = "correct it, or add it there with the reason";
  return `"${name}" exists neither ${where}, nor in tools/docs/names.ts (Node, Pi): ${remedy}`;
}

/** Inline code of the text that a person wrote. */
function codeSpans(parsed: Parsed): { text: string; line: number }[] {
  return parsed.lines.flatMap((text, line) => {
    if (!parsed.isProse[line]) return [];
    return [...text.matchAll(/(`+)(?!`)(.*?[^`])\1(?!`)/g)].map((found) => ({ text: found[2]!.trim(), line }));
  });
}

/** Identifiers of a piece of code, without placeholders such as `<reason>`. */
function namesIn(text: string): string[] {
  const bare = text.replace(/(^|[^\w$])<[a-z][a-z -]*>/g, "$1").replace(/\\[nrt]/g, " ");
  return bare.match(identifier) ?? [];
}

/** Lines of the two sections that may speak of later lessons. */
function linesAboutLater(page: Page, source: string): number[] {
  const allowed = [titles.missing, titles.pi].map((title) => title[page.language]);
  const sections = page.lesson ? sectionsOf(source).filter((section) => allowed.includes(section.title)) : [];
  return sections.flatMap(({ from, lines }) => lines.map((_, index) => from + index));
}

function isFile(page: Page, text: string, sources: Sources): boolean {
  if (!/^[\w./-]+$/.test(text) || !text.includes(".")) return false;
  return (
    sources.text(text) !== undefined ||
    (page.lesson !== undefined && sources.text(`${page.lesson.folder}/${text}`) !== undefined)
  );
}

async function knownWords(page: Page, parsed: Parsed, sources: Sources): Promise<Set<string>> {
  const { lessons } = sources.course;
  const last = page.lesson ? lessons.indexOf(page.lesson) : lessons.length - 1;
  const taught = lessons.slice(0, last + 1);
  const cases = await Promise.all(taught.map((lesson) => sources.casesOf(lesson)));
  const shown = parsed.blocks.filter(({ marker }) => marker.kind === "output").map(({ content }) => content);
  return new Set([
    ...Object.keys(allowedNames),
    ...(page.lesson ? [] : Object.keys(namesOutsideLessons)),
    ...sources.scripts.keys(),
    ...sharedWords(sources),
    ...taught.flatMap((lesson) => [...wordsOfLesson(lesson, sources)]),
    ...cases.flat(),
    ...taught.map((lesson) => `my_${lesson.id}`),
    ...shown.flatMap((text) => text.match(identifier) ?? []),
  ]);
}

const caches = new WeakMap<Sources, Map<string, Set<string>>>();

function cached(sources: Sources, key: string, make: () => Iterable<string>): Set<string> {
  const known = caches.get(sources) ?? new Map<string, Set<string>>();
  caches.set(sources, known);
  const found = known.get(key) ?? new Set(make());
  known.set(key, found);
  return found;
}

function sharedWords(sources: Sources): Set<string> {
  return cached(sources, "shared", () => [
    "shared",
    ...sharedFiles(sources.course).flatMap((path) => wordsOfFile(path, sources)),
  ]);
}

/** Words of code, demo and tests (strings included, comments not), and of the lesson's file names. */
function wordsOfLesson(lesson: Lesson, sources: Sources): Set<string> {
  return cached(sources, lesson.id, () => [
    lesson.id,
    lesson.folder,
    ...filesOf(sources.course, lesson).flatMap((name) => wordsOfFile(`${lesson.folder}/${name}`, sources)),
  ]);
}

function everyWord(sources: Sources): Set<string> {
  return cached(sources, "every", () =>
    sources.course.lessons.flatMap((lesson) => [...wordsOfLesson(lesson, sources)]),
  );
}

function wordsOfFile(path: string, sources: Sources): string[] {
  const fromName = path.split("/").at(-1)!.match(identifier) ?? [];
  if (!path.endsWith(".ts")) return fromName;
  return [...fromName, ...(mask(sources.text(path) ?? "", "comments").match(identifier) ?? [])];
}
