/**
 * Are both languages of a page in step? Compared by structure, and by a hash per section that a person
 * renews.
 */

import { createHash } from "node:crypto";
import { forms, kinds } from "./blocks/index.ts";
import { linksOf, targetInBoth } from "./links.ts";
import { parsePage, type Marker, type Parsed } from "./markers.ts";
import type { Page, Problem } from "./page.ts";
import { headingsOf, sectionsOf, type Section } from "./sections.ts";
import type { Sources } from "./sources.ts";

/** A page that was read. */
export type Side = { page: Page; source: string };

/** One section of one page: what a person wrote in it, and its marks. */
type Part = {
  title: string;
  line: number;
  hash: string;
  /** The hashes of both languages when they were last declared equal. */
  mark: { en?: string | undefined; zh?: string | undefined } | undefined;
  headings: string[];
  markers: string[];
  commands: string[];
  links: string[];
  folds: number;
};

/** Differences in structure first; the hashes are only compared when there is none. */
export function parityProblems(en: Side, zh: Side, sources: Sources): Problem[] {
  const structure = structureProblems(en, zh, sources);
  return structure.length > 0 ? structure : hashProblems(en, zh, sources);
}

function structureProblems(en: Side, zh: Side, sources: Sources): Problem[] {
  const [english, chinese] = [partsOf(en, sources), partsOf(zh, sources)];
  if (english.length !== chinese.length) {
    const message = `${chinese.length - 1} sections, and ${en.page.path} has ${english.length - 1}`;
    return [{ page: zh.page.path, message }];
  }
  const compare = (faultsOf: (en: Part, zh: Part) => (Fault | undefined)[]) =>
    english.flatMap((part, index) => {
      const other = chinese[index]!;
      const at = { page: zh.page.path, line: other.line + 1, about: nameOf(part, other) };
      return faultsOf(part, other).flatMap((fault) => (fault ? [{ ...at, ...fault }] : []));
    });
  // An anchor is compared by the number of its heading, so headings come first.
  const headings = compare((part, other) => [listFault("headings", part.headings, other.headings)]);
  if (headings.length > 0) return headings;
  return compare((part, other) => [
    listFault("markers", part.markers, other.markers),
    listFault("commands", part.commands, other.commands),
    listFault("links", [...part.links].sort(), [...other.links].sort()),
    listFault("folded answers", [`${part.folds} <details>`], [`${other.folds} <details>`]),
  ]);
}

type Fault = Pick<Problem, "message" | "detail">;

function listFault(what: string, en: readonly string[], zh: readonly string[]): Fault | undefined {
  const at = Array.from({ length: Math.max(en.length, zh.length) }, (_, index) => index).find(
    (index) => en[index] !== zh[index],
  );
  if (at === undefined) return undefined;
  const detail = [`en: ${en[at] ?? "(no more)"}`, `zh: ${zh[at] ?? "(no more)"}`];
  return { message: `the ${what} differ between the languages`, detail };
}

function nameOf(en: Part, zh: Part): string {
  return en.title === "" ? "the part before the first section" : `${en.title} / ${zh.title}`;
}

function hashProblems(en: Side, zh: Side, sources: Sources): Problem[] {
  const chinese = partsOf(zh, sources);
  const renew = `npm run docs parity${en.page.lesson ? ` ${en.page.lesson.id}` : ""}`;
  return partsOf(en, sources).flatMap((part, index) => {
    const other = chinese[index]!;
    const found = hashFault(part, other, en.page, zh.page);
    if (!found) return [];
    const { page, line, says } = found;
    return [{ page, line: line + 1, about: nameOf(part, other), message: `${says}, then: ${renew}` }];
  });
}

function hashFault(
  en: Part,
  zh: Part,
  enPage: Page,
  zhPage: Page,
): { page: string; line: number; says: string } | undefined {
  const mark = en.mark;
  if (!mark?.en || !mark.zh)
    return { page: enPage.path, line: en.line, says: "has no parity mark; compare both languages" };
  if (zh.mark?.en !== mark.en || zh.mark.zh !== mark.zh) {
    return {
      page: zhPage.path,
      line: zh.line,
      says: `has another parity mark than ${enPage.path}; compare both languages`,
    };
  }
  const changed = { en: en.hash !== mark.en, zh: zh.hash !== mark.zh };
  if (changed.en && changed.zh)
    return { page: enPage.path, line: en.line, says: "changed in both languages; compare them" };
  if (changed.en)
    return { page: enPage.path, line: en.line, says: `changed in English only; bring ${zhPage.path} in step` };
  if (changed.zh)
    return { page: zhPage.path, line: zh.line, says: `changed in Chinese only; bring ${enPage.path} in step` };
  return undefined;
}

/**
 * Both pages with marks that declare every section equal as it is now, and the names of the sections that
 * needed it.
 */
export type Renewed = { en: string; zh: string; sections: string[] };

/** Declares both pages equal. Returns the problems instead when their structure differs. */
export function renewParity(en: Side, zh: Side, sources: Sources): Renewed | Problem[] {
  const problems = structureProblems(en, zh, sources);
  if (problems.length > 0) return problems;
  const chinese = partsOf(zh, sources);
  const marks: string[] = [];
  const sections: string[] = [];
  partsOf(en, sources).forEach((part, index) => {
    const other = chinese[index]!;
    marks.push(`<!-- parity: en=${part.hash} zh=${other.hash} -->`);
    if (hashFault(part, other, en.page, zh.page)) sections.push(nameOf(part, other));
  });
  if (sections.length === 0) return { en: en.source, zh: zh.source, sections };
  return { en: withMarks(en.source, marks), zh: withMarks(zh.source, marks), sections };
}

function withMarks(source: string, marks: readonly string[]): string {
  const ending = source.includes("\r\n") ? "\r\n" : "\n";
  const parts = sectionsOf(source).map(({ lines }, index) => {
    const kept = lines.filter((line) => !isMark(line));
    while (kept.at(-1)?.trim() === "") kept.pop();
    return kept.length === 0 ? [] : [...kept, "", marks[index]!, ""];
  });
  return parts.flat().join(ending);
}

function isMark(line: string): boolean {
  return /^<!--\s*parity:.*-->\s*$/.test(line);
}

function partsOf({ page, source }: Side, sources: Sources): Part[] {
  const parsed = parsePage(source, forms);
  const links = linksOf(parsed).filter(({ line }) => parsed.isProse[line]);
  return sectionsOf(source).map((section) => {
    const inside = <Item extends { line: number }>(items: readonly Item[]) =>
      items.filter(({ line }) => line >= section.from && line < section.to);
    const text = writtenText(section, parsed);
    const mark = inside(parsed.notes).find((note) => note.kind === "parity")?.options;
    return {
      title: section.title,
      line: section.from,
      hash: hashOf(text),
      mark: mark && { en: mark.en, zh: mark.zh },
      headings: inside(headingsOf(source)).map((heading) => "#".repeat(heading.level)),
      markers: inside(parsed.blocks.map((block) => block.marker))
        .sort((a, b) => a.line - b.line)
        .map(comparable),
      commands: inside(parsed.fences)
        .flatMap((fence) => fence.lines.map(comparableCommand))
        .filter((line) => line !== ""),
      links: inside(links).map(({ target }) => targetInBoth(page, target, sources)),
      folds: inside(parsed.lines.map((line, index) => ({ line: index, text: line }))).filter(
        ({ text: line, line: at }) => parsed.isProse[at] && /<details\b/.test(line),
      ).length,
    };
  });
}

/** What a person wrote in a section, markers included; no block that is made by machine, no mark. */
function writtenText(section: Section, parsed: Parsed): string {
  const made = parsed.blocks.filter((block) => kinds[block.marker.kind]?.produce);
  const lines = section.lines.filter((line, index) => {
    const at = section.from + index;
    return !isMark(line) && !made.some(({ first, last }) => at >= first && at <= last);
  });
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/**
 * A marker without what may differ between languages: texts that are typed or looked for in an output,
 * reasons.
 */
function comparable({ kind, words, options, text }: Marker): string {
  if (kind === "free") return "<!-- free -->";
  if (kind !== "output" && kind !== "experiment") return text;
  const said = words.map((word, index) => (words[index - 1] === "--say" ? "…" : word));
  const free = ["from", "to", "stdin"];
  const given = Object.entries(options).map(([name, value]) => `${name}=${free.includes(name) ? "…" : value}`);
  return [`${kind}:`, ...said, ...given.sort()].join(" ");
}

function comparableCommand(line: string): string {
  return line
    .replace(/(^|\s)#.*$/, "")
    .replace(/"[^"]*"|'[^']*'/g, '"…"')
    .trim();
}
