/** Whether a lesson uses a word before the lesson that explains it. GLOSSARY.md says which words are fenced, and until when. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Course, Lesson } from "../shared/course.ts";
import { glossaryProblems, readGlossary, wordPattern, type Term } from "./glossary.ts";
import { filesOf, textOf } from "./lesson-files.ts";
import type { Problem } from "./problems.ts";

/**
 * The glossary itself, then every lesson before a fenced term's own: its TypeScript files (comments, strings and tests included)
 * hold none of the identifiers; its two tutorials hold them neither in code spans and code blocks, nor the term in their
 * prose (the Chinese one neither the English nor the Chinese term). Not looked at: links, HTML comments, and the sections
 * *Still missing* and *In Pi*.
 */
export function fenceProblems(course: Course): Problem[] {
  const fenced = readGlossary(course).filter((term) => term.fenced);
  return [...glossaryProblems(course), ...course.lessons.flatMap((lesson) => usesIn(course, lesson, fenced))];
}

const openSections = new Set(["Still missing", "还缺什么", "In Pi", "Pi 里的样子"]);

function usesIn(course: Course, lesson: Lesson, fenced: readonly Term[]): Problem[] {
  const later = fenced.filter((term) => term.from > lesson.id);
  const code = filesOf(course, lesson).filter((name) => name.endsWith(".ts"));
  const texts = ["README.md", "README.zh.md"].filter((name) => existsSync(join(course.root, lesson.folder, name)));
  const read = (name: string) => textOf(course.root, `${lesson.folder}/${name}`) ?? "";
  return [
    ...code.flatMap((name) => identifierUses(`${lesson.folder}/${name}`, read(name), later)),
    ...texts.flatMap((name) => {
      const parts = splitText(read(name));
      const file = `${lesson.folder}/${name}`;
      return [...identifierUses(file, parts.code, later), ...termUses(file, parts.prose, later, name.endsWith(".zh.md"))];
    }),
  ];
}

function identifierUses(file: string, text: string, later: readonly Term[]): Problem[] {
  return later.flatMap(({ identifiers, from }) =>
    identifiers.flatMap((identifier) => found(file, text, wordPattern(identifier), identifier, from)),
  );
}

function termUses(file: string, prose: string, later: readonly Term[], isChinese: boolean): Problem[] {
  return later.flatMap(({ term, zh, from }) => {
    const phrases = isChinese ? new Set([term, zh]) : [term];
    return [...phrases].flatMap((phrase) => found(file, prose, phrasePattern(phrase), phrase, from));
  });
}

function found(file: string, text: string, pattern: RegExp, word: string, from: string): Problem[] {
  const lines = [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split("\n").length);
  if (lines.length === 0) return [];
  const place = `line ${[...new Set(lines)].join(", ")}`;
  const remedy = file.endsWith(".md")
    ? "say it in other words, make it a link, or move it to Still missing or In Pi; or change GLOSSARY.md"
    : "use another name or plain words; or change GLOSSARY.md";
  return [{ file, message: `uses "${word}" (${place}), which is fenced until ${from}`, remedy }];
}

/** A term in prose: any case, any white space between its words, with or without a plural ending. Chinese has no word borders. */
function phrasePattern(phrase: string): RegExp {
  const words = phrase.split(/[\s-]+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const isLatin = /^[\x20-\x7e]+$/.test(phrase);
  if (isLatin) return new RegExp(`(?<![\\w-])${words.join("[\\s-]+")}(?:s|es)?(?![\\w-])`, "gi");
  return new RegExp(words.join("\\s*"), "gi");
}

/** The two halves of a text, each with the other half blanked, so that a place in a half is the same place in the text. */
type Halves = { code: string; prose: string };

function splitText(markdown: string): Halves {
  const text = withoutLinks(markdown.replace(/<!--[^]*?-->/g, blank));
  const halves: Halves = { code: "", prose: "" };
  let fence: string | undefined;
  let openLevel = 0;
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const isFenceLine = fence === undefined ? mark !== undefined : mark?.startsWith(fence) === true;
    const heading = fence === undefined && !isFenceLine ? /^(#{1,6})\s+(.*?)\s*#*$/.exec(line) : null;
    if (heading) openLevel = levelOf(heading, openLevel);

    const inBlock = fence !== undefined && !isFenceLine;
    if (isFenceLine) fence = fence === undefined ? mark : undefined;
    if (openLevel > 0 || isFenceLine) add(halves, blank(line), blank(line));
    else if (inBlock) add(halves, line, blank(line));
    else add(halves, codeSpansOf(line), line.replace(codeSpan, blank));
  }
  return halves;
}

/** The level of the open section that the heading begins or goes on with; 0 outside of any. */
function levelOf([, marks = "", title = ""]: RegExpExecArray, openLevel: number): number {
  const level = marks.length;
  if (openLevel > 0 && level > openLevel) return openLevel;
  return openSections.has(title) ? level : 0;
}

const codeSpan = /(`+)(?!`).*?(?<!`)\1(?!`)/g;

function codeSpansOf(line: string): string {
  let end = 0;
  let kept = "";
  for (const { 0: span, index } of line.matchAll(codeSpan)) {
    kept += blank(line.slice(end, index)) + span;
    end = index + span.length;
  }
  return kept + blank(line.slice(end));
}

function withoutLinks(text: string): string {
  const links = [/!?\[[^\]]*\]\([^)]*\)/g, /!?\[[^\]]*\]\[[^\]]*\]/g, /^\[[^\]]+\]:.*$/gm, /<https?:[^>]*>|https?:\/\/[^\s)>]+/g];
  return links.reduce((left, link) => left.replace(link, blank), text);
}

function add(halves: Halves, code: string, prose: string): void {
  halves.code += `${code}\n`;
  halves.prose += `${prose}\n`;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
