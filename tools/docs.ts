/**
 * `npm run docs`: makes the blocks of all pages anew. `docs check` only compares; `docs parity` says that a
 * translation is done.
 */

import { findLesson, loadCourse, type Lesson } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { oneLine } from "../shared/trace.ts";
import { checkAll } from "./docs/checks.ts";
import { formatProblem, pagesOf, readText, type Page, type Problem } from "./docs/page.ts";
import { renewParity } from "./docs/parity.ts";
import { addTallies, refreshAll, writePage, type Tally } from "./docs/refresh.ts";
import { createSources, type Sources } from "./docs/sources.ts";

const usage = "npm run docs [check | parity] [lesson | page.md]";

export async function run(args: readonly string[], io: Io): Promise<number> {
  return runDocs(args, io, createSources(loadCourse()));
}

/** The command on any course. Resolves to 0 when nothing is left to do. */
export async function runDocs(args: readonly string[], io: Io, sources: Sources): Promise<number> {
  const { task, lesson, page } = read(args, sources);
  if (task === "check") return check(sources, lesson, io);
  const pages = pagesOf(sources.course, lesson).filter((each) => page === undefined || each.path === page || each.pair === page);
  if (pages.length === 0) throw new UsageError(`no page is named ${oneLine(page ?? "")}; write: ${usage}`);
  return task === "parity" ? parity(sources, pages, io) : write(sources, pages, io);
}

type Task = "write" | "check" | "parity";

function read(args: readonly string[], { course }: Sources): { task: Task; lesson?: Lesson; page?: string } {
  const [first, ...rest] = args;
  const named = first === "check" || first === "parity";
  const words = named ? rest : args;
  if (words.length > 1 || words[0]?.startsWith("-"))
    throw new UsageError(`too many words or flags; write: ${usage}`);
  const task = named ? first : "write";
  const [word] = words;
  if (word === undefined) return { task };
  return word.endsWith(".md") && task !== "check" ? { task, page: word.replaceAll("\\", "/") } : { task, lesson: findLesson(course, word) };
}

async function write(sources: Sources, pages: readonly Page[], io: Io): Promise<number> {
  const reports = await refreshAll(pages, sources);
  for (const { page, source, report } of reports) {
    if (source !== "" && writePage(sources.course.root, page, report.fresh))
      io.stdout.write(`${page.path}: rewritten\n`);
  }
  const after = await refreshAll(pages, sources);
  const problems = after.flatMap(({ report }) => report.problems);
  return report(problems, addTallies(after.map((each) => each.report.tally)), io);
}

async function check(sources: Sources, lesson: Lesson | undefined, io: Io): Promise<number> {
  const { problems, tally } = await checkAll(sources, lesson);
  return report(Object.values(problems).flat(), tally, io);
}

/**
 * Declares both languages of every page equal, section by section. Pages whose structure differs are left
 * alone.
 */
function parity(sources: Sources, pages: readonly Page[], io: Io): number {
  const problems = pages
    .filter((page) => page.language === "en")
    .flatMap((page) => renew(page, sources, io));
  for (const problem of problems) io.stderr.write(`${formatProblem(problem)}\n`);
  return problems.length === 0 ? 0 : 1;
}

function renew(page: Page, sources: Sources, io: Io): Problem[] {
  const pages = { en: page, zh: { ...page, path: page.pair, pair: page.path, language: "zh" as const } };
  const texts = { en: readText(sources.course, page.path), zh: readText(sources.course, page.pair) };
  if (texts.en === undefined || texts.zh === undefined) {
    return [{ page: texts.en === undefined ? page.path : page.pair, message: "this page is missing" }];
  }
  const renewed = renewParity({ page: pages.en, source: texts.en }, { page: pages.zh, source: texts.zh }, sources);
  if (Array.isArray(renewed)) return renewed;
  writePage(sources.course.root, pages.en, renewed.en);
  writePage(sources.course.root, pages.zh, renewed.zh);
  const names = renewed.sections.join(", ") || "nothing to renew";
  io.stdout.write(`${page.path}, ${page.pair}: ${names}\n`);
  return [];
}

function report(problems: readonly Problem[], tally: Tally, io: Io): number {
  for (const problem of problems) io.stderr.write(`${formatProblem(problem)}\n`);
  for (const line of tallyLines(tally)) io.stdout.write(`${line}\n`);
  if (problems.length > 0)
    io.stderr.write(`${problems.length} ${problems.length === 1 ? "problem" : "problems"}\n`);
  return problems.length === 0 ? 0 : 1;
}

function tallyLines(tally: Tally): string[] {
  const kinds = [...tally].sort(([a], [b]) => a.localeCompare(b, "en"));
  const current = kinds.reduce((sum, [, each]) => sum + each.current, 0);
  const all = kinds.reduce((sum, [, each]) => sum + each.all, 0);
  return [
    ...kinds.map(([kind, each]) => `${kind}: ${each.current} of ${each.all} blocks current`),
    `${current} of ${all} blocks current`,
  ];
}
