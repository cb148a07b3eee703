/**
 * `npm run seams`: the hook table of a lesson, each cell observed by running the lesson, or declared and held by a type test.
 * With the word `pi` the same table of the real Pi stands below it, when conformance/ is installed.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { courseRoot, languages, type Language, type Text } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { detectLanguage } from "../shared/language.ts";
import { oneLine } from "../shared/trace.ts";
import { driveS05, driveS08, driveS10, type Driver } from "./seams/drivers.ts";
import { observe, type Observation, type Place, type Subject } from "./seams/probes.ts";
import { declared, subjects, type Group } from "./seams/subjects.ts";

export type SeamLesson = keyof typeof subjects;
export const seamLessons = Object.keys(subjects) as SeamLesson[];

const drivers: Record<SeamLesson, Driver> = { s05: driveS05, s08: driveS08, s10: driveS10 };

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { lesson, language, pi } = choose(args, io);
  const piTables = pi ? await loadPiTables() : undefined;
  io.stdout.write(`${pi ? `${lesson}\n\n` : ""}${await seamTable(lesson, language)}\n`);
  for (const { title, table } of (await piTables?.(language)) ?? []) io.stdout.write(`\n${title}\n\n${table}\n`);
  return 0;
}

export type TitledTable = { title: string; table: string };
type PiTables = (language: Language) => Promise<TitledTable[]>;

/** By address, so that the course neither needs nor knows what is installed there. @throws UsageError when nothing is */
export async function loadPiTables(folder = join(courseRoot, "conformance")): Promise<PiTables> {
  if (!existsSync(join(folder, "node_modules"))) {
    throw new UsageError("the real Pi is not installed; npm run conformance does that, in a folder of its own (about 160 MB)");
  }
  const { piTables } = (await import(pathToFileURL(join(folder, "seams.ts")).href)) as { piTables: PiTables };
  return piTables;
}

function choose(args: readonly string[], io: Io): { lesson: SeamLesson; language: Language; pi: boolean } {
  const valid = `npm run seams takes a lesson (${seamLessons.join(", ")}), a language (${languages.join(", ")}), and the word pi`;
  const words = wordsOf(args, valid);
  const unknown = words.find((word) => ![...seamLessons, ...languages, "pi"].some((each) => each === word));
  if (unknown !== undefined) throw new UsageError(`unknown word "${oneLine(unknown)}"; ${valid}`);
  return {
    lesson: seamLessons.findLast((each) => words.includes(each)) ?? "s10",
    language: languages.find((each) => words.includes(each)) ?? detectLanguage(io.env),
    pi: words.includes("pi"),
  };
}

function wordsOf(args: readonly string[], valid: string): string[] {
  try {
    const options = { lang: { type: "string" }, pi: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return [...positionals, ...(values.lang === undefined ? [] : [values.lang]), ...(values.pi ? ["pi"] : [])];
  } catch {
    throw new UsageError(`"${oneLine(args.join(" "))}" is not understood; ${valid}`);
  }
}

/** The table as Markdown. Two calls give the same text. */
export function seamTable(lesson: SeamLesson, language: Language): Promise<string> {
  return tableOf(drivers[lesson], subjects[lesson], language);
}

/** The table of whatever the driver runs. */
export async function tableOf(drive: Driver, all: readonly Subject[], language: Language): Promise<string> {
  const rows: string[][] = [];
  for (const subject of all) rows.push(rowOf(subject.name, await observe(drive, subject, all), language));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const titles = head.map((title) => title[language]);
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}

const head: Text[] = [
  { en: "what has happened", zh: "到这一刻" },
  { en: "hook", zh: "hook" },
  { en: "when it runs (observed)", zh: "何时运行（observed）" },
  { en: "kind (declared)", zh: "种类（declared）" },
  { en: "sees (observed)", zh: "看得到什么（observed）" },
  { en: "which change lands (observed)", zh: "哪些改动会生效（observed）" },
  { en: "may it refuse (declared)", zh: "能否拒绝（declared）" },
  { en: "if it throws (observed)", zh: "抛出异常时（observed）" },
  { en: "if it edits in place (observed)", zh: "就地修改时（observed）" },
];

const groups: Record<Group, Text> = {
  unsent: { en: "nothing sent yet", zh: "请求还没发出" },
  unstarted: { en: "this tool has not started", zh: "这个工具还没开始执行" },
  effect: { en: "an effect may exist", zh: "可能已经有副作用" },
};

const kinds: Record<string, Text> = {
  interceptor: { en: "interceptor", zh: "拦截器" },
  transformer: { en: "transformer", zh: "变换器" },
  supplier: { en: "supplier", zh: "供给者" },
};

const scopes: Record<"request" | "run", Text> = {
  request: { en: "in this request only", zh: "只在这一次请求里" },
  run: { en: "in this and the later requests of the run", zh: "在这次请求和本次运行之后的请求里" },
};

const places: Record<Place, Text> = {
  tool: { en: "the tool", zh: "工具" },
  result: { en: "the result", zh: "结果" },
  request: { en: "the request", zh: "请求" },
  transcript: { en: "the transcript", zh: "对话记录" },
  outcome: { en: "the outcome", zh: "结束方式" },
};

function rowOf(name: string, observed: Observation, language: Language): string[] {
  const about = declared[name];
  if (!about) throw new Error(`nothing is declared about the hook ${name}`);
  return [
    groups[about.group][language],
    code(name),
    whenText(observed, language),
    kinds[about.kind]?.[language] ?? about.kind,
    observed.sees.map(code).join(comma[language]) || { en: "nothing", zh: "什么也看不到" }[language],
    landsText(observed, language),
    about.refuses[language],
    thrownText(observed, language),
    editText(observed, language),
  ];
}

const comma: Text = { en: ", ", zh: "、" };
const code = (text: string) => `\`${text}\``;

function whenText({ before, after }: Observation, language: Language): string {
  const words: Record<string, Text> = { request: { en: "the request", zh: "请求" }, tool: { en: "the tool", zh: "工具" } };
  const named = (what: string) => words[what]?.[language] ?? (language === "en" ? code(what) : `${code(what)} `);
  return language === "en" ? `after ${named(before)}, before ${named(after)}` : `${named(before)}之后，${named(after)}之前`;
}

function landsText({ lands, scope }: Observation, language: Language): string {
  const names = lands.map(code).join(comma[language]) || { en: "none", zh: "没有" }[language];
  if (!scope) return names;
  return language === "en" ? `${names}; ${scopes[scope].en}` : `${names}；${scopes[scope].zh}`;
}

function thrownText({ thrown }: Observation, language: Language): string {
  const { requests, runs, outcome } = thrown;
  return language === "en" ? `requests ${requests}, tool runs ${runs}, outcome \`${outcome}\`` : `请求 ${requests} 次，工具执行 ${runs} 次，结束方式 \`${outcome}\``;
}

function editText({ edit }: Observation, language: Language): string {
  if (edit === "refused") return { en: "the edit throws", zh: "修改会抛出异常" }[language];
  if (edit.length === 0) return { en: "changes nothing", zh: "不起作用" }[language];
  const reached = edit.map((place) => places[place][language]);
  return language === "en" ? `lands in ${reached.join(", ")}` : `${reached.join("、")}随之改变`;
}
