/** The rows of the When-it-fails tables: each must name a case or a test that exists. */

import { missingTest, caseFault } from "./questions.ts";
import type { Problem } from "./page.ts";
import { failuresFile, type Failure, type Sources } from "./sources.ts";

export async function failureProblems(sources: Sources): Promise<Problem[]> {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const row of sources.failures) {
    const message = seen.has(row.id) ? "this id is used twice" : await rowFault(row, sources);
    seen.add(row.id);
    if (message) problems.push({ page: failuresFile, about: row.id, message });
  }
  return problems;
}

async function rowFault(row: Failure, sources: Sources): Promise<string | undefined> {
  if (!sources.course.lessons.some((lesson) => lesson.id === row.lesson)) return `unknown lesson "${row.lesson}"`;
  const texts = [row.en?.what, row.en?.happens, row.zh?.what, row.zh?.happens];
  if (texts.some((text) => !text)) return "en and zh both need what and happens";
  if (!row.shown?.length) return "names neither a case nor a test";
  for (const proof of row.shown) {
    const fault =
      "case" in proof ? await caseFault(proof.case, sources) : missingTest(proof.test, proof.name, sources);
    if (fault) return fault;
  }
  return undefined;
}
