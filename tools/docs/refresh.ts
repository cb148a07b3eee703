/** Makes every block anew, and says which are stale, cannot be made, or have no marker. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../shared/io.ts";
import { forms, kinds } from "./blocks/index.ts";
import { BlockError, type Kind } from "./blocks/kind.ts";
import { faultOfLine } from "./commands.ts";
import { parsePage, type Block, type Marker, type Parsed } from "./markers.ts";
import { readText, type Page, type Problem } from "./page.ts";
import type { Sources } from "./sources.ts";

/** Blocks of one kind: how many stand as they should, of how many. */
export type Tally = Map<string, { current: number; all: number }>;

export type PageReport = {
  problems: Problem[];
  tally: Tally;
  /** The page as it should read; the same text when nothing is stale. */
  fresh: string;
};

/** Compares the blocks of a page with their sources. Writes nothing. */
export async function refreshPage(page: Page, source: string, sources: Sources): Promise<PageReport> {
  const parsed = parsePage(source, forms);
  const tally: Tally = new Map();
  const problems: Problem[] = [
    ...parsed.faults.map(({ line, about, message }) => ({ page: page.path, line: line + 1, about, message })),
    ...(await fenceProblems(page, parsed, sources)),
    ...parsed.notes.flatMap((marker) => optionProblems(page, marker)),
  ];
  let fresh = source;
  for (const block of [...parsed.blocks].reverse()) {
    const { problem, content } = await refreshBlock(page, block, sources);
    count(tally, block.marker.kind, problem === undefined);
    if (problem) problems.push(problem);
    if (content !== undefined) fresh = splice(fresh, block, content);
  }
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { problems, tally, fresh };
}

/**
 * Writes a page when its blocks are stale. Keeps everything else, line endings included. Returns whether it
 * wrote.
 */
export function writePage(root: string, page: Page, fresh: string): boolean {
  const file = join(root, ...page.path.split("/"));
  if (readFileSync(file, "utf8") === fresh) return false;
  writeFileSync(file, fresh);
  return true;
}

/** Reports of all pages. A page that does not exist is a problem. */
export async function refreshAll(
  pages: readonly Page[],
  sources: Sources,
): Promise<{ page: Page; source: string; report: PageReport }[]> {
  const reports = [];
  for (const page of pages) {
    const source = readText(sources.course, page.path);
    const report = source === undefined ? missing(page) : await refreshPage(page, source, sources);
    reports.push({ page, source: source ?? "", report });
  }
  return reports;
}

function missing(page: Page): PageReport {
  return { problems: [{ page: page.path, message: "this page is missing" }], tally: new Map(), fresh: "" };
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const sum: Tally = new Map();
  for (const [kind, { current, all }] of tallies.flatMap((tally) => [...tally])) {
    const known = sum.get(kind) ?? { current: 0, all: 0 };
    sum.set(kind, { current: known.current + current, all: known.all + all });
  }
  return sum;
}

function count(tally: Tally, kind: string, isCurrent: boolean): void {
  const { current, all } = tally.get(kind) ?? { current: 0, all: 0 };
  tally.set(kind, { current: current + (isCurrent ? 1 : 0), all: all + 1 });
}

/** `content`: what should stand there, when it is known and differs. */
type Refreshed = { problem?: Problem; content?: string };

async function refreshBlock(page: Page, block: Block, sources: Sources): Promise<Refreshed> {
  const { marker } = block;
  const kind = kinds[marker.kind]!;
  const at = { page: page.path, line: marker.line + 1, about: marker.text };
  const [fault] = optionProblems(page, marker);
  if (fault) return { problem: fault };
  if (!kind.produce) return freeBlock(page, block);
  try {
    const text = (await kind.produce({ sources, page, marker })).replace(/\s+$/, "");
    if (text.trim() === "") return { problem: { ...at, message: "the block would be empty" } };
    const content = framed(block, kind, text);
    if (content === block.content) return {};
    const message = `stale; run: npm run docs${page.lesson ? ` ${page.lesson.id}` : ""}`;
    return { problem: { ...at, message, detail: difference(block.content, content) }, content };
  } catch (error) {
    if (!(error instanceof BlockError || error instanceof UsageError)) throw error;
    return { problem: { ...at, message: error.message } };
  }
}

function freeBlock(page: Page, { marker, content }: Block): Refreshed {
  const at = { page: page.path, line: marker.line + 1, about: marker.text };
  if (marker.words.length === 0)
    return { problem: { ...at, message: "say why the block is free: <!-- free: reason -->" } };
  const inside = content.split("\n").slice(1, -1);
  return inside.join("").trim() === "" ? { problem: { ...at, message: "the block is empty" } } : {};
}

function optionProblems(page: Page, marker: Marker): Problem[] {
  const kind = kinds[marker.kind]!;
  if (marker.kind === "free") return [];
  const unknown = Object.keys(marker.options).find((name) => !kind.options?.includes(name));
  if (unknown === undefined) return [];
  const message = `unknown option "${unknown}"; write it as: ${kind.usage}`;
  return [{ page: page.path, line: marker.line + 1, about: marker.text, message }];
}

/** The block with its frame: a fence that is longer than any inside it, or empty lines. */
function framed(block: Block, kind: Kind, text: string): string {
  if (block.form === "section") return `\n${text}\n\n`;
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map((found) => found[1]!.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${kind.fence ?? ""}\n${text}\n${ticks}`;
}

/** Puts `content` in the place of a block, with the indentation and the line endings of the page. */
function splice(source: string, block: Block, content: string): string {
  const ending = source.includes("\r\n") ? "\r\n" : "\n";
  const lines = content.split("\n").map((line) => (line === "" ? line : block.indent + line));
  return source.slice(0, block.start) + lines.join(ending) + source.slice(block.end);
}

/** The first lines that differ: what stands there (-) and what should (+). */
export function difference(found: string, wanted: string, limit = 3): string[] {
  const [old, now] = [found.split("\n"), wanted.split("\n")];
  const first = now.findIndex((line, index) => line !== old[index]);
  const at = first === -1 ? now.length : first;
  const show = (sign: string, lines: readonly string[]) =>
    lines.slice(at, at + limit).map((line) => `${sign} ${line}`);
  return [`line ${at + 1} of the block:`, ...show("-", old), ...show("+", now)];
}

/** Blocks without a marker: commands must exist, anything else needs a marker. */
async function fenceProblems(page: Page, parsed: Parsed, sources: Sources): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { line, language, lines } of parsed.fences) {
    if (language !== "sh") {
      const message =
        "a code block without a marker: name its source, or say <!-- free: why -->; commands are ```sh";
      problems.push({ page: page.path, line: line + 1, message, detail: lines.slice(0, 2) });
      continue;
    }
    if (lines.join("").trim() === "")
      problems.push({ page: page.path, line: line + 1, message: "an empty block of commands" });
    for (const [index, text] of lines.entries()) {
      const fault = await faultOfLine(text, sources, page.lesson === undefined);
      if (fault) problems.push({ page: page.path, line: line + 2 + index, about: text.trim(), message: fault });
    }
  }
  return problems;
}
