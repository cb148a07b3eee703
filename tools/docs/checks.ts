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

/** Checks everything, or the pages of one lesson only, or some topics only. */
export async function checkAll(
  sources: Sources,
  only?: Lesson,
  wanted: readonly Topic[] = topics,
): Promise<Findings> {
  const pages = pagesOf(sources.course, only);
  const reports = wanted.includes("blocks") ? await refreshAll(pages, sources) : [];
  const problems = Object.fromEntries(topics.map((topic) => [topic, [] as Problem[]])) as Findings["problems"];
  problems.blocks = reports.flatMap(({ report }) => report.problems);

  const wholeCourse: Partial<Record<Topic, () => Problem[] | Promise<Problem[]>>> = {
    failures: () => failureProblems(sources),
    links: () => otherPages(sources).flatMap((path) => linksIn({ path }, sources)),
  };
  for (const topic of only ? [] : wanted) problems[topic].push(...((await wholeCourse[topic]?.()) ?? []));

  for (const page of pages) {
    const source = readText(sources.course, page.path);
    if (source === undefined) continue;
    for (const topic of wanted) problems[topic].push(...((await onePage[topic]?.(page, source, sources)) ?? []));
  }
  return { problems, tally: addTallies(reports.map(({ report }) => report.tally)) };
}

type PageCheck = (page: Page, source: string, sources: Sources) => Problem[] | Promise<Problem[]>;

const onePage: Partial<Record<Topic, PageCheck>> = {
  sections: (page, source, sources) => [
    ...sectionProblems(page, source),
    ...missingMarkers(page, source, sources),
  ],
  questions: questionProblems,
  parity: (page, source, sources) => {
    const other = readText(sources.course, page.pair);
    if (page.language !== "en" || other === undefined) return [];
    const pair: Page = { ...page, path: page.pair, pair: page.path, language: "zh" };
    return parityProblems({ page, source }, { page: pair, source: other }, sources);
  },
  links: (page, _source, sources) => linksIn(page, sources),
  identifiers: identifierProblems,
};

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
