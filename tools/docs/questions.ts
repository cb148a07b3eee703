/** The questions of "Check yourself", their folded answers, and the case or test that each answer names. */

import type { Language, Lesson } from "../../shared/course.ts";
import { mask } from "../mask.ts";
import type { Page, Problem } from "./page.ts";
import { sectionsOf, titles } from "./sections.ts";
import type { Sources } from "./sources.ts";

export type Question = {
  question: string;
  /** Everything between `<details>` and `</details>`. */
  answer: string;
  /** Line number of the answer, from 0. */
  line: number;
};

/** The questions of a tutorial: each is the first paragraph or heading since the answer before. */
export function questionsOf(source: string, language: Language): Question[] {
  const section = sectionsOf(source).find((each) => each.title === titles.check[language]);
  if (!section) return [];
  const questions: Question[] = [];
  let before: string[] = [];
  let answer: { lines: string[]; line: number } | undefined;
  section.lines.slice(1).forEach((text, index) => {
    if (/^\s*<details\b/.test(text)) answer = { lines: [], line: section.from + 1 + index };
    answer?.lines.push(text);
    if (answer === undefined) before.push(text);
    if (answer === undefined || !text.includes("</details>")) return;
    questions.push({ question: firstParagraph(before), answer: answer.lines.join("\n"), line: answer.line });
    before = [];
    answer = undefined;
  });
  return questions;
}

function firstParagraph(lines: readonly string[]): string {
  const from = lines.findIndex((line) => line.trim() !== "" && !line.trim().startsWith("<!--"));
  if (from === -1) return "";
  const rest = lines.slice(from);
  const to = rest.findIndex((line, index) => line.trim() === "" || (index > 0 && /^\s*(<!--|```)/.test(line)));
  const text = rest
    .slice(0, to === -1 ? rest.length : to)
    .map((line) => line.trim())
    .join(" ");
  return text
    .replace(/^(#+\s+|[-*]\s+|\d+[.)、]\s*)/, "")
    .replace(/^\*\*(?:\d+[.)、]\s*)?(.*?)\*\*/, "$1")
    .trim();
}

/** Fewer than three questions, an answer without a proof, or a proof that does not exist. */
export async function questionProblems(page: Page, source: string, sources: Sources): Promise<Problem[]> {
  if (!page.lesson) return [];
  const about = titles.check[page.language];
  const questions = questionsOf(source, page.language);
  const problems: Problem[] = [];
  if (questions.length < 3) {
    const message = `${questions.length} questions with a folded answer (<details>…</details>), and three are needed`;
    problems.push({ page: page.path, about, message });
  }
  for (const { question, answer, line } of questions) {
    const message =
      question === "" ? "an answer without a question above it" : await proofFault(answer, page.lesson, sources);
    if (message) problems.push({ page: page.path, line: line + 1, about, message });
  }
  return problems;
}

const proof = /^\W*(case|用例|test|测试)\**\s*[:：]\**\s*(.+?)\s*$/gim;

async function proofFault(answer: string, lesson: Lesson, sources: Sources): Promise<string | undefined> {
  const proofs = [...answer.matchAll(proof)].map(([, kind = "", text = ""]) => ({ kind, text: named(text) }));
  if (proofs.length === 0)
    return "the answer names no proof: add a line `case: s05 blocked` or `test: file › name`";
  for (const { kind, text } of proofs) {
    const fault = /case|用例/i.test(kind) ? await caseFault(text, sources) : testFault(text, lesson, sources);
    if (fault) return fault;
  }
  return undefined;
}

/** What stands in backticks, or else the whole line. */
function named(text: string): string {
  return /`([^`]+)`/.exec(text)?.[1] ?? text.replaceAll("*", "").replace(/[.。]$/, "");
}

/** What is wrong with `s05 blocked`, or undefined. */
export async function caseFault(text: string, sources: Sources): Promise<string | undefined> {
  const [id, name] = text.replace(/^npm run (-s )?/, "").split(/\s+/);
  const lesson = sources.course.lessons.find((each) => each.id === id);
  if (!lesson) return `case "${text}": unknown lesson "${id}"`;
  const cases = await sources.casesOf(lesson);
  return cases.includes(name ?? "") ? undefined : `case "${text}": ${lesson.id} has the cases ${cases.join(", ")}`;
}

/**
 * What is wrong with `execute.test.ts › name of the test`, or undefined. The file is of the lesson, or
 * named from the root.
 */
function testFault(text: string, lesson: Lesson, sources: Sources): string | undefined {
  const [file = "", ...names] = text.split(/\s*›\s*/);
  const name = names.at(-1);
  if (name === undefined) return `test "${text}": write it as: file › name`;
  return missingTest(file.includes("/") ? file : `${lesson.folder}/${file}`, name, sources);
}

/** Says so when a test file (path from the root) or a test in it does not exist. */
export function missingTest(path: string, name: string, sources: Sources): string | undefined {
  const source = sources.text(path);
  if (source === undefined) return `there is no test file ${path}`;
  const names = testNames(source);
  if (names.some((title) => fits(title, name))) return undefined;
  return `${path} has no test "${name}"; it has: ${names.map(readable).join(" | ")}`;
}

const placeholder = /%[sdifjoO#$]|\$\{?[\w.]+\}?/g;

/** A title with what `test.each` fills in as `…`: the name under which a text speaks of the test. */
function readable(title: string): string {
  return title.replace(placeholder, "…");
}

/** `a limit of %i` is meant by `a limit of …`, and by `a limit of 3` as vitest prints it. */
function fits(title: string, name: string): boolean {
  if (title === name || readable(title) === name) return true;
  const parts = title.split(placeholder).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return parts.length > 1 && new RegExp(`^${parts.join(".+")}$`).test(name);
}

/** The titles of `test(…)`, `it(…)` and `describe(…)`, `.each(…)` included, as they stand in the file. */
export function testNames(source: string): string[] {
  const bare = mask(source);
  const names: string[] = [];
  for (const found of bare.matchAll(/\b(?:test|it|describe)(?:\.\w+)*\s*(?=[<(])/g)) {
    const start = titleStart(bare, found);
    const quote = bare[start] ?? "";
    if (!"\"'`".includes(quote) || quote === "") continue;
    const end = bare.indexOf(quote, start + 1);
    names.push(source.slice(start + 1, end).replace(/\\(.)/g, "$1"));
  }
  return names;
}

/** The place of the title: after `(`, or for `test.each(…)(` and `test.skipIf(…)(` after the second one. Type arguments are passed over. */
function titleStart(bare: string, found: RegExpExecArray | RegExpMatchArray): number {
  const after = found.index! + found[0].length;
  const open = bare[after] === "<" ? closing(bare, after, "<", ">") : after;
  const at = /\.(each|skipIf|runIf)\s*$/.test(found[0]) ? closing(bare, open, "(", ")") + 1 : open + 1;
  return at + bare.slice(at).search(/\S|$/);
}

/** The place behind the bracket that closes the one at `from`. The arrow of a function type closes nothing. */
function closing(bare: string, from: number, opens: string, closes: string): number {
  let depth = 0;
  for (let at = from; at < bare.length; at++) {
    if (bare[at] === opens) depth++;
    if (bare[at] === closes && bare[at - 1] !== "=") depth--;
    if (depth === 0) return at + 1;
  }
  return bare.length;
}
