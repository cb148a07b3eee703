/** `docs/pi-facts.md` and its Chinese side: every observed fact, with the versions and the lessons that use it. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { languages, loadCourse, type Language, type Text } from "../../shared/course.ts";
import { renewParity } from "../../tools/docs/parity.ts";
import { createSources } from "../../tools/docs/sources.ts";
import { seamLessons, seamTable, type TitledTable } from "../../tools/seams.ts";
import { facts } from "../facts.ts";
import { versions } from "../pi/load.ts";
import { scenarioNamed } from "../scenarios.ts";
import { piTables } from "../seams.ts";
import type { Fact } from "./kinds.ts";
import { markers } from "./markers.ts";

export const paths: Text = { en: "docs/pi-facts.md", zh: "docs/pi-facts.zh.md" };

const groups: Record<string, string> = {
  "plain flow": "顺利的运行",
  beforeToolCall: "beforeToolCall",
  afterToolCall: "afterToolCall",
  "tool outcomes": "工具的结果",
  finishTurn: "finishTurn",
  "before the request": "请求之前",
  "the next turn": "下一个回合",
  "how an answer ends": "回答怎样结束",
  abort: "中止",
  subscribers: "订阅者",
  queues: "队列",
  "a tool that calls a tool": "调用工具的工具",
  "ways in": "入口",
  "below the agent": "agent 之下",
};

const words = {
  title: { en: "What was observed on Pi", zh: "在 Pi 上实测到的事实" },
  other: { en: "[中文](pi-facts.zh.md) · [All lessons](../README.md)", zh: "[English](pi-facts.md) · [全部课程](../README.zh.md)" },
  intro: {
    en: `Each sentence here was seen by running Pi (@earendil-works/pi-agent-core) ${versions.join(" and ")}, each with its own pi-ai and a fake model. The name
beside it is that of a scenario in the folder conformance. Its test plays the scenario again and asks whether the outcome is what the
sentence says. Where the two versions differ, the sentence says so. The page is made by that package, and so is not to be edited.`,
    zh: `这里的每一句都来自实际运行 Pi（@earendil-works/pi-agent-core）${versions.join(" 和 ")}，两个版本各配自己的 pi-ai，模型是假的。旁边的名字
是 conformance 目录里的一个场景，它的测试会重新运行这个场景，核对结果是不是如这句话所说。两个版本不同时，句子里会写明。
本页由那个包生成，不要手工修改。`,
  },
  run: { en: "To see one of them played on the last lesson and on both versions:", zh: "想看其中一个场景在最后一课和两个版本上怎样运行：" },
  seams: { en: "The seams, measured", zh: "实测接缝" },
  seamsIntro: {
    en: `One row per hook, first of a lesson, then of Pi. *Observed* cells come from probes that run each hook once as it is, once throwing, once editing what it was
given, and once for each answer that might change something. *Declared* cells are held against the types of each version. No field is not the
same as impossible: what a throw or an edit does stands beside it. In Pi most hooks get a signal behind the object whose fields are listed.`,
    zh: `每个 hook 一行，先是课程，后是 Pi。*实测* 的格子来自探针：让每个 hook 照常运行一次、抛出异常一次、就地改动拿到的东西一次，再把每种
可能有作用的返回值各试一次。*声明* 的格子用各版本的类型核对。没有这样的字段，不等于做不到：抛出异常和就地改动会怎样，旁边写着。
在 Pi 里，多数 hook 除了列出字段的那个对象，后面还会拿到一个 signal。`,
  },
  head: { en: ["observed", "scenario", "versions", "used in"], zh: ["实测", "场景", "版本", "用到它的课"] },
} as const;

/** The page without its parity marks. */
async function body(language: Language): Promise<string> {
  const lines = [`# ${words.title[language]}`, "", ...words.intro[language].split("\n"), "", words.run[language], "", "```sh", "npm run conformance tool-one", "```", "", words.other[language]];
  for (const group of Object.keys(groups)) {
    const title = language === "en" ? `${group[0]?.toUpperCase()}${group.slice(1)}` : (groups[group] ?? group);
    lines.push("", `## ${isName(group) ? group : title}`, "", ...table(language, facts.filter(({ scenario }) => scenarioNamed(scenario).group === group)));
  }
  lines.push("", `## ${words.seams[language]}`, "", ...words.seamsIntro[language].split("\n"), "", "```sh", "npm run seams pi", "```");
  for (const { title, table: rows } of [await lessonTable(language), ...(await piTables(language))]) lines.push("", `### ${title}`, "", rows);
  return `${lines.join("\n")}\n`;
}

async function lessonTable(language: Language): Promise<TitledTable> {
  const lesson = seamLessons.at(-1) ?? "s10";
  return { title: lesson, table: await seamTable(lesson, language) };
}

const isName = (group: string) => /[a-z][A-Z]/.test(group);

function table(language: Language, rows: readonly Fact[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const { [language]: head } = words.head;
  return [
    line(head),
    line(head.map(() => "---")),
    ...rows.map(({ scenario, says }) => line([says[language], scenario, versions.join(", "), lessonsOf(scenario, language)])),
  ];
}

/** The lessons that name it in both languages: while a translation is under way, neither side has a link. */
function lessonsOf(scenario: string, language: Language): string {
  const named = markers().filter((marker) => marker.scenario === scenario);
  const used = named.filter(({ lesson }) => named.filter((each) => each.lesson === lesson).length === languages.length);
  return used.filter((marker) => marker.language === language).map(({ lesson, file }) => `[${lesson}](../${file})`).join(" ");
}

/** Both pages as they should be. */
export async function pages(): Promise<Text> {
  const { root } = loadCourse();
  const sources = createSources(loadCourse());
  const side = async (language: Language) => ({
    page: { path: paths[language], language, pair: paths[language === "en" ? "zh" : "en"] },
    source: await body(language),
  });
  const renewed = renewParity(await side("en"), await side("zh"), sources);
  if (Array.isArray(renewed)) throw new Error(`${root}: ${renewed.map(({ message, about }) => `${about ?? ""} ${message}`).join("; ")}`);
  return { en: renewed.en, zh: renewed.zh };
}

/** What stands there now, with LF. */
export function written(language: Language): string {
  return readFileSync(join(loadCourse().root, paths[language]), "utf8").replaceAll("\r\n", "\n");
}

export async function writePages(): Promise<void> {
  const fresh = await pages();
  for (const language of ["en", "zh"] as const) writeFileSync(join(loadCourse().root, paths[language]), fresh[language]);
}
