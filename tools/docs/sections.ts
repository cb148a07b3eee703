/** The sections of a page, and the nine that every tutorial has, in this order, in both languages. */

import type { Text } from "../../shared/course.ts";
import type { Page, Problem } from "./page.ts";

export const titles = {
  problem: { en: "Problem", zh: "问题" },
  idea: { en: "Idea", zh: "思路" },
  how: { en: "How it works", zh: "工作原理" },
  try: { en: "Try it", zh: "试一试" },
  changed: { en: "What changed", zh: "改了什么" },
  fails: { en: "When it fails", zh: "出错时" },
  check: { en: "Check yourself", zh: "自测" },
  missing: { en: "Still missing", zh: "还缺什么" },
  pi: { en: "In Pi", zh: "Pi 里的样子" },
} satisfies Record<string, Text>;

export type Heading = { level: number; title: string; line: number };

export type Section = {
  /** Empty for what stands before the first `##`. */
  title: string;
  /** Line numbers from 0; `to` is the line after the last one. */
  from: number;
  to: number;
  lines: string[];
};

/** Headings written with `#`, outside of fences, in order. */
export function headingsOf(source: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  source.split(/\r?\n/).forEach((text, line) => {
    const ticks = /^\s*(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence === undefined) fence = ticks;
    else if (ticks?.startsWith(fence) && text.trim() === ticks) fence = undefined;
    const found = fence === undefined ? /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(text) : null;
    if (found) headings.push({ level: found[1]!.length, title: found[2]!, line });
  });
  return headings;
}

/** The page cut at its `##` headings; the first section has no title and may hold no line. */
export function sectionsOf(source: string): Section[] {
  const lines = source.split(/\r?\n/);
  const starts = headingsOf(source).filter((heading) => heading.level === 2);
  const cuts = [{ title: "", line: 0 }, ...starts];
  return cuts.map(({ title, line }, index) => {
    const to = cuts[index + 1]?.line ?? lines.length;
    return { title, from: line, to, lines: lines.slice(line, to) };
  });
}

/** What the first line of a tutorial must read. */
export function titleLine({ lesson, language }: Page): string | undefined {
  return lesson && `# ${lesson.id}${language === "zh" ? "：" : ": "}${lesson.title[language]}`;
}

/**
 * A wrong title, a section that is missing, superfluous or in the wrong place. Only tutorials have fixed
 * sections.
 */
export function sectionProblems(page: Page, source: string): Problem[] {
  if (!page.lesson) return [];
  const problems: Problem[] = [];
  const title = titleLine(page)!;
  if (source.split(/\r?\n/, 1)[0] !== title) {
    problems.push({ page: page.path, line: 1, message: `the first line must be: ${title}` });
  }
  const wanted = Object.values(titles).map((each) => each[page.language]);
  const found = headingsOf(source).filter((heading) => heading.level === 2);
  const missing = wanted.filter((each) => !found.some((heading) => heading.title === each));
  const extra = found.filter((heading) => !wanted.includes(heading.title));
  problems.push(...missing.map((each) => ({ page: page.path, about: each, message: "this section is missing" })));
  problems.push(
    ...extra.map(({ title: about, line }) => ({
      page: page.path,
      line: line + 1,
      about,
      message: `not one of the nine sections: ${wanted.join(", ")}`,
    })),
  );
  const inOrder = found.map((heading) => heading.title).join("\n") === wanted.join("\n");
  if (!inOrder && missing.length + extra.length === 0) {
    problems.push({ page: page.path, message: `each section once, in this order: ${wanted.join(", ")}` });
  }
  return problems;
}
