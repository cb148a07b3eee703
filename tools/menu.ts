/** `npm start`: every lesson, its one sentence, its cases, and how to run it. `npm start list` prints one case per line. */

import { parseArgs } from "node:util";
import pc from "picocolors";
import { languages, loadCourse, type Course, type Language, type Lesson, type Text } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { detectLanguage } from "../shared/language.ts";
import { loadDemo } from "../shared/run-lesson.ts";
import { oneLine, wantsColor } from "../shared/trace.ts";

/** The names of a lesson's cases, the first one first. Rejects when its main.ts cannot be loaded. */
export type CasesOf = (lesson: Lesson) => Promise<string[]>;

/** The exit status that a case promises. */
export type StatusOf = (lesson: Lesson, name: string) => Promise<number>;

const texts = {
  title: {
    en: "How an agent harness works inside: one lesson, one concept.",
    zh: "智能体 harness 的内部原理：一课一个概念。",
  },
  cases: { en: "cases: ", zh: "案例：" },
  broken: { en: "main.ts does not load: ", zh: "main.ts 加载失败：" },
} satisfies Record<string, Text>;

export async function run(args: readonly string[], io: Io): Promise<number> {
  const course = loadCourse();
  const casesOf: CasesOf = async (lesson) => Object.keys((await loadDemo(lesson.folder, course.root)).cases);
  const choice = choose(args, io);
  const statusOf: StatusOf = async (lesson, name) => (await loadDemo(lesson.folder, course.root)).cases[name]?.exit ?? 0;
  return choice.list ? list(course, casesOf, statusOf, io) : menu(course, casesOf, choice.language, io);
}

function choose(args: readonly string[], io: Io): { list: boolean; language: Language } {
  const valid = `npm start takes a language (${languages.join(", ")}), or list`;
  const given = parse(args, valid);
  const words = given.map((word) => word.toLowerCase());
  const unknown = given.find((_, at) => words[at] !== "list" && !languages.some((each) => each === words[at]));
  if (unknown !== undefined) throw new UsageError(`unknown word "${oneLine(unknown)}"; ${valid}`);
  return {
    list: words.includes("list"),
    language: languages.find((each) => words.includes(each)) ?? detectLanguage(io.env),
  };
}

/** All words, the language after `--lang` among them. */
function parse(args: readonly string[], valid: string): string[] {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { lang: { type: "string" } },
    });
    return values.lang === undefined ? positionals : [...positionals, values.lang];
  } catch {
    throw new UsageError(`"${oneLine(args.join(" "))}" is not understood; ${valid}`);
  }
}

/** Prints the menu. A lesson that does not load is shown with the reason, and the status is 1 then. */
export async function menu(course: Course, casesOf: CasesOf, language: Language, io: Io): Promise<number> {
  const { bold, cyan, dim, red } = pc.createColors(wantsColor(io));
  const print = (line = "") => void io.stdout.write(`${line}\n`);
  let status = 0;

  print(texts.title[language]);
  for (const lesson of course.lessons) {
    print();
    print(`${bold(lesson.id)}  ${bold(lesson.title[language])} ${dim(minutes(lesson)[language])}`);
    print(`     ${lesson.goal[language]}`);
    try {
      print(
        `     ${cyan(`npm run ${lesson.id}`)}   ${texts.cases[language]}${(await casesOf(lesson)).join(", ")}`,
      );
    } catch (error) {
      status = 1;
      print(
        `     ${red(`${texts.broken[language]}${oneLine(error instanceof Error ? error.message : String(error))}`)}`,
      );
    }
  }
  print();
  for (const [command, what] of await howTo(course, casesOf))
    print(`  ${cyan(command.padEnd(24))}${what[language]}`);
  return status;
}

function minutes({ minutes: count }: Lesson): Text {
  return { en: `(${count} min)`, zh: `（${count} 分钟）` };
}

/** Prints `s05 blocked 0`, one case per line with the exit status that it promises, for scripts. */
export async function list(course: Course, casesOf: CasesOf, statusOf: StatusOf, io: Io): Promise<number> {
  for (const lesson of course.lessons) {
    for (const name of await casesOf(lesson)) io.stdout.write(`${lesson.id} ${name} ${await statusOf(lesson, name)}\n`);
  }
  return 0;
}

async function howTo(course: Course, casesOf: CasesOf): Promise<[command: string, what: Text][]> {
  const lesson = course.lessons.find((each) => each.id === "s05") ?? course.lessons.at(-1);
  if (!lesson) return [];
  const [, second] = await casesOf(lesson).catch(() => []);
  return [
    [`npm run ${lesson.id}`, { en: "run a lesson", zh: "运行一课" }],
    ...(second === undefined
      ? []
      : [
          [`npm run ${lesson.id} ${second}`, { en: "another case of it", zh: "运行另一个案例" }] as [
            string,
            Text,
          ],
        ]),
    [`npm run ${lesson.id} play`, { en: "be the model yourself", zh: "自己来当模型" }],
    [`npm run ${lesson.id} zh`, { en: "in Chinese (en: in English)", zh: "用中文运行（en：用英文）" }],
    [`npm run diff ${lesson.id}`, { en: "what the lesson added", zh: "这一课加了什么" }],
    [`npm run try ${lesson.id}`, { en: "a copy of your own, to change", zh: "复制一份，随便改" }],
    [
      `npm test ${lesson.id}`,
      { en: "the tests of a lesson (npm test: all of them)", zh: "一课的测试（npm test：全部测试）" },
    ],
    ["npm run doctor", { en: "when something does not work", zh: "出了问题，先运行它" }],
  ];
}
