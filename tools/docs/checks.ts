/** All that is checked about the texts, by topic. Nothing here writes. */

import { readdirSync } from "node:fs";
import type { Lesson } from "../../shared/course.ts";
import { forms } from "./blocks/index.ts";
import { failureProblems } from "./failures.ts";
import { identifierProblems } from "./identifiers.ts";
import { linkProblems } from "./links.ts";
import { parsePage } from "./markers.ts";
import { pagesOf, readText, type Page, type Problem } from "./page.ts";
import { parityProblems } from "./parity.ts";
import { questionProblems } from "./questions.ts";
import { addTallies, refreshAll, type Tally } from "./refresh.ts";
import { sectionProblems, sectionsOf, titles } from "./sections.ts";
import type { Sources } from "./sources.ts";

export const topics = ["blocks", "sections", "questions", "failures", "parity", "links", "identifiers"] as const;
export type Topic = (typeof topics)[number];

export type Findings = { problems: Record<Topic, Problem[]>; tally: Tally };

/** Checks everything, or the pages of one lesson only. */
export async function checkAll(sources: Sources, only?: Lesson): Promise<Findings> {
  const pages = pagesOf(sources.course, only);
  const reports = await refreshAll(pages, sources);
  const read = reports.filter(({ source }) => source !== "");
  const problems: Record<Topic, Problem[]> = {
    blocks: reports.flatMap(({ report }) => report.problems),
    sections: read.flatMap(({ page, source }) => [...sectionProblems(page, source), ...missingMarkers(page, source, sources)]),
    questions: [],
    failures: only ? [] : await failureProblems(sources),
    parity: [],
    links: only ? [] : otherPages(sources).flatMap((path) => linksIn({ path }, sources)),
    identifiers: [],
  };
  for (const { page, source } of read) {
    problems.questions.push(...(await questionProblems(page, source, sources)));
    problems.links.push(...linksIn(page, sources));
    problems.identifiers.push(...(await identifierProblems(page, source, sources)));
    const pair = read.find((each) => each.page.path === page.pair);
    if (page.language === "en" && pair) problems.parity.push(...parityProblems({ page, source }, pair, sources));
  }
  return { problems, tally: addTallies(reports.map(({ report }) => report.tally)) };
}

function linksIn(page: Pick<Page, "path"> & Partial<Page>, sources: Sources): Problem[] {
  return linkProblems(page, parsePage(readText(sources.course, page.path) ?? "", forms), sources);
}

/** GLOSSARY.md and the like: only their links are checked. */
function otherPages({ course }: Sources): string[] {
  return readdirSync(course.root).filter((name) => name.endsWith(".md") && !/^README(\.zh)?\.md$/.test(name));
}

/** Blocks that a page must have: what is generated may not be written by hand instead. */
function missingMarkers(page: Page, source: string, sources: Sources): Problem[] {
  const { blocks } = parsePage(source, forms);
  const has = (kind: string, from = 0, to = Number.MAX_SAFE_INTEGER) =>
    blocks.some(({ marker }) => marker.kind === kind && marker.line >= from && marker.line < to);
  const lacking = wantedMarkers(page, sources).filter(({ kind, section }) => {
    const place = sectionsOf(source).find((each) => each.title === section);
    return !(section === undefined ? has(kind) : place && has(kind, place.from, place.to));
  });
  return lacking.map(({ kind, section }) => ({
    page: page.path,
    ...(section === undefined ? {} : { about: section }),
    message: `needs <!-- ${kind} --> and <!-- /${kind} -->, each on a line of its own`,
  }));
}

function wantedMarkers({ lesson, path, language }: Page, sources: Sources): { kind: string; section?: string }[] {
  if (!lesson) return /^README(\.zh)?\.md$/.test(path) ? [{ kind: "lessons" }, { kind: "teachers" }] : [];
  const hasRows = sources.failures.some((row) => row.lesson === lesson.id);
  return [
    { kind: "nav" },
    { kind: "changes", section: titles.changed[language] },
    ...(hasRows ? [{ kind: "failures", section: titles.fails[language] }] : []),
  ];
}
