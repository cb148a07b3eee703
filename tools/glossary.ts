/** Reads GLOSSARY.md: one table, one row per term, with the lesson from which a term may be used. */

import type { Course } from "../shared/course.ts";
import { codeFilesOf, textOf } from "./lesson-files.ts";
import type { Problem } from "./problems.ts";

export type Term = {
  term: string;
  zh: string;
  /** Names in code that stand for it; may be empty. */
  identifiers: string[];
  meaning: string;
  meaningZh: string;
  /** The lesson that brings it, `s05`. */
  from: string;
  /** Whether lessons before `from` must do without it. */
  fenced: boolean;
  /** Line in the file, from 1. */
  line: number;
};

export const glossaryFile = "GLOSSARY.md";
const columns = ["term", "中文", "identifiers", "meaning", "含义", "from", "fenced"];

/** The terms, in the order of the table; rows that are not well formed are left out (glossaryProblems names them). */
export function readGlossary(course: Course): Term[] {
  return rowsOf(course).flatMap(({ cells, line }) => (flawOf(cells) ? [] : [termOf(cells, line)]));
}

/**
 * The form of the table; each term, translation and identifier stands once; and each identifier really is in the code of
 * its lesson, as far as the course has that lesson.
 */
export function glossaryProblems(course: Course): Problem[] {
  if (textOf(course.root, glossaryFile) === undefined) return [problem(0, "is not there", "write it; CONTRIBUTING.md says how")];
  const flaws = rowsOf(course).flatMap(({ cells, line }) => {
    const flaw = flawOf(cells);
    return flaw ? [problem(line, flaw, `write the columns ${columns.join(" | ")}`)] : [];
  });
  const terms = readGlossary(course);
  if (terms.length === 0) return [...flaws, problem(0, "holds no term", `write a table with the columns ${columns.join(" | ")}`)];
  return [
    ...flaws,
    ...repeated(terms, "term", ({ term }) => [term.toLowerCase()]),
    ...repeated(terms, "translation", ({ zh }) => [zh.toLowerCase()]),
    ...repeated(terms, "identifier", ({ identifiers }) => identifiers),
    ...terms.flatMap((term) => missingIn(course, term)),
  ];
}

type Row = { cells: string[]; line: number };

function rowsOf(course: Course): Row[] {
  const lines = (textOf(course.root, glossaryFile) ?? "").split("\n");
  const head = lines.findIndex((line) => cellsOf(line).join() === columns.join());
  if (head === -1) return [];
  const end = lines.findIndex((line, at) => at > head && !line.startsWith("|"));
  return lines.slice(head + 2, end === -1 ? undefined : end).map((line, at) => ({ cells: cellsOf(line), line: head + 3 + at }));
}

function cellsOf(line: string): string[] {
  return line.split("|").slice(1, -1).map((cell) => cell.trim());
}

function termOf(cells: readonly string[], line: number): Term {
  const [term = "", zh = "", identifiers = "", meaning = "", meaningZh = "", from = "", fenced = ""] = cells;
  return { term, zh, identifiers: namesIn(identifiers), meaning, meaningZh, from, fenced: fenced === "yes", line };
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((found) => found[1]!);
}

function flawOf(cells: readonly string[]): string | undefined {
  if (cells.length !== columns.length) return `has a row with ${cells.length} columns instead of ${columns.length}`;
  const empty = columns.find((name, at) => name !== "identifiers" && cells[at] === "");
  if (empty) return `has a row without ${empty}`;
  if (!/^(`[\w$.]+`(, `[\w$.]+`)*)?$/.test(cells[2]!)) return `names identifiers in another form than \`one\`, \`two\`: ${cells[2]}`;
  if (!/^s\d\d$/.test(cells[5]!)) return `says from "${cells[5]}" instead of a lesson such as s05`;
  if (cells[6] !== "yes" && cells[6] !== "no") return `says fenced "${cells[6]}" instead of yes or no`;
  return undefined;
}

function repeated(terms: readonly Term[], what: string, keysOf: (term: Term) => readonly string[]): Problem[] {
  const first = new Map<string, number>();
  return terms.flatMap((term) =>
    keysOf(term).flatMap((key) => {
      const line = first.get(key);
      first.set(key, line ?? term.line);
      return line === undefined ? [] : [problem(term.line, `has the ${what} ${key} a second time (first in line ${line})`, "keep one")];
    }),
  );
}

function missingIn(course: Course, { identifiers, from, line }: Term): Problem[] {
  const lesson = course.lessons.find((each) => each.id === from);
  const names = lesson ? codeFilesOf(course, lesson) : [];
  if (!lesson || names.length === 0) return [];
  const code = [...names, "main.ts"].map((name) => textOf(course.root, `${lesson.folder}/${name}`) ?? "").join("\n");
  return identifiers
    .filter((identifier) => !wordPattern(identifier).test(code))
    .map((identifier) => problem(line, `says that ${identifier} comes with ${from}, and ${lesson.folder} does not use it`, "correct the name or the lesson"));
}

/** Finds an identifier as a whole word. */
export function wordPattern(identifier: string): RegExp {
  return new RegExp(`(?<![\\w$])${identifier.replaceAll("$", "\\$").replaceAll(".", "\\.")}(?![\\w$])`, "g");
}

function problem(line: number, message: string, remedy: string): Problem {
  return { file: line ? `${glossaryFile}:${line}` : glossaryFile, message, remedy };
}
