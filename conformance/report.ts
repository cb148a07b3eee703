/** What the comparison says: three counts and three lists per lesson and version. */

import { judge, type Verdict } from "./compare.ts";
import { reasons } from "./differences.ts";
import { features } from "./lessons/features.ts";
import { lessonsThatPlay, loadLesson } from "./lessons/load.ts";
import { loadPi, reference, versions } from "./pi/load.ts";
import { scenarios } from "./scenarios.ts";

export type Row = { scenario: string; verdict: Verdict };
export type Report = { lesson: string; version: string; rows: Row[] };

/** The last lesson against a version, all scenarios. */
export async function compareAll(version: string, lessonId = lessonsThatPlay().at(-1) ?? ""): Promise<Report> {
  const [lesson, pi] = [await loadLesson(lessonId), await loadPi(version)];
  const rows: Row[] = [];
  for (const scenario of scenarios) rows.push({ scenario: scenario.name, verdict: await judge(lesson, pi, scenario) });
  return { lesson: lesson.id, version, rows };
}

export const rowsWith = <Result extends Verdict["result"]>({ rows }: Report, result: Result) =>
  rows.filter((row): row is Row & { verdict: Extract<Verdict, { result: Result }> } => row.verdict.result === result);

/** The report as lines for a terminal. */
export function reportLines(report: Report): string[] {
  const [same, declared, cannot, failed] = (["same", "declared", "cannot", "failed"] as const).map((result) => rowsWith(report, result).length);
  return [
    `${report.lesson} against Pi ${report.version}, ${report.rows.length} scenarios`,
    "",
    `the same: ${same}`,
    ...wrapped(rowsWith(report, "same").map(({ scenario }) => scenario)),
    "",
    `declared differences: ${declared}`,
    ...grouped(rowsWith(report, "declared"), ({ verdict }) => verdict.declared.why.map((why) => reasons[why].rule).join(" ")),
    "",
    `cannot be expressed by the lessons: ${cannot}`,
    ...grouped(rowsWith(report, "cannot"), ({ verdict }) => verdict.missing.map(missingText).join(" ")),
    ...(failed === 0 ? [] : ["", `failed: ${failed}`, ...rowsWith(report, "failed").map(({ scenario, verdict }) => `  ${scenario} ${verdict.problem}`)]),
  ];
}

function missingText(feature: keyof typeof features): string {
  const about = features[feature];
  return about.from === undefined ? `${feature}: ${about.why}.` : `${feature}: from ${about.from}.`;
}

function grouped<Each extends Row>(rows: readonly Each[], titleOf: (row: Each) => string): string[] {
  const groups = new Map<string, string[]>();
  for (const row of rows) groups.set(titleOf(row), [...(groups.get(titleOf(row)) ?? []), row.scenario]);
  return [...groups].flatMap(([title, names]) => [`  ${title}`, ...wrapped(names, "    ")]);
}

function wrapped(names: readonly string[], indent = "  "): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 108) lines[lines.length - 1] = `${last}, ${name}`;
    else lines.push(`${indent}${name}`);
  }
  return lines;
}

/** Prints the reports against the reference and the older versions. Resolves to 1 when something failed. */
export async function printReports(print: (line: string) => void): Promise<number> {
  let failed = 0;
  for (const version of [reference, ...versions.filter((each) => each !== reference)]) {
    const report = await compareAll(version);
    for (const line of ["", ...reportLines(report)]) print(line);
    failed += rowsWith(report, "failed").length;
  }
  return failed === 0 ? 0 : 1;
}
