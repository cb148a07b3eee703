/**
 * The toy course with complete texts in both languages, made current once, for the tests of the text
 * machinery.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Language, Lesson } from "../../shared/course.ts";
import { memoryIo, type Io } from "../../shared/io.ts";
import { runDocs } from "../docs.ts";
import { toyCourse, type ToyCourse } from "../toy-course.ts";
import { checkAll, type Topic } from "./checks.ts";
import { formatProblem, readText } from "./page.ts";
import { createSources, failuresFile, type Runner, type Sources } from "./sources.ts";

export type ToyTexts = ToyCourse & {
  /** Fresh sources, so that a changed file is read again. `ran` gets a line per command that was really run. */
  sources(ran?: string[]): Sources;
  text(path: string): string;
  /** Replaces one piece of a file; throws when it is not there. `path` is from the root. */
  edit(path: string, from: string, to: string): void;
  /** Puts every file back. */
  reset(): void;
  /** What the checks say, one text per problem, of all topics or of one. */
  problems(topic?: Topic): Promise<string[]>;
  /** Runs `npm run docs …`. */
  docs(...words: string[]): Promise<{ status: number; out: string; err: string }>;
};

const cases: Record<string, string[]> = { s01: ["normal"], s02: ["normal", "broken"], s03: ["normal", "blocked"] };

/** Stands for the real commands: prints its words, in the language it is asked for, and what is typed. */
function toyRunner(root: string, ran: string[]): Runner {
  return {
    run: async (words, io) => {
      const language = io.env.LANG?.startsWith("zh") ? "zh" : "en";
      ran.push(`${words.join(" ")} ${language}`);
      if (words.includes("silent")) return 0;
      io.stdout.write(`${language === "zh" ? "课程" : "lesson"}: ${words[0]}\n`);
      if (words.includes("play")) for await (const typed of io.stdin) io.stdout.write(`typed ${typed}`);
      else for (const line of ["start", "middle", "end"]) io.stdout.write(`${line}\n`);
      if (!words.includes("broken")) return 0;
      io.stderr.write("it broke\n");
      return 2;
    },
    runFolder: async (folder, words, io) => {
      const source = readFileSync(join(root, folder, "loop.ts"), "utf8");
      io.stdout.write(`${words.join(" ")}\n${/content[^;]*;/.exec(source)?.[0]}\nend\n`);
      return 0;
    },
    casesOf: async (lesson: Lesson) => cases[lesson.id] ?? [],
  };
}

/** Makes the course, runs `npm run docs` and `npm run docs parity` on it. Call `remove` in the end. */
export async function toyTexts(ending: "\n" | "\r\n" = "\n"): Promise<ToyTexts> {
  const paths: string[] = [];
  const toy = toyCourse((files) => {
    for (const path of Object.keys(files)) if (path.endsWith(".md")) delete files[path];
    Object.assign(files, texts());
    const scripts = {
      start: "menu",
      s01: "s01",
      s02: "s02",
      s03: "s03",
      diff: "diff",
      try: "try",
      docs: "docs",
      test: "test",
    };
    const lines = Object.entries(scripts).map(([name, word]) => [name, `node tools/start.cjs ${word}`]);
    files["package.json"] = JSON.stringify({ type: "module", scripts: Object.fromEntries(lines) });
    for (const path of Object.keys(files)) files[path] = files[path]!.replaceAll("\n", ending);
    paths.push(...Object.keys(files));
  });
  const sources = (ran: string[] = []) => createSources(toy.course, toyRunner(toy.root, ran));
  const text = (path: string) => readText(toy.course, path) ?? "";
  const docs: ToyTexts["docs"] = async (...words) => {
    const io = memoryIo() satisfies Io;
    const status = await runDocs(words, io, sources());
    return { status, out: io.out(), err: io.err() };
  };
  await docs();
  await docs("parity");
  const files = Object.fromEntries(paths.map((path) => [path, text(path)]));
  return {
    ...toy,
    sources,
    text,
    docs,
    edit(path, from, to) {
      if (!text(path).includes(from)) throw new Error(`${path} does not contain: ${from}`);
      toy.write({ [path]: text(path).replace(from, () => to) });
    },
    reset: () => toy.write(files),
    async problems(topic) {
      const { problems } = await checkAll(sources(), undefined, topic && [topic]);
      return Object.values(problems).flat().map(formatProblem);
    },
  };
}

function texts(): Record<string, string> {
  const lessons = [
    { id: "s01", folder: "s01_one", title: { en: "One", zh: "一" } },
    { id: "s02", folder: "s02_two", title: { en: "Two", zh: "二" } },
    { id: "s03", folder: "s03_three", title: { en: "Three", zh: "三" } },
  ];
  const pages = lessons.flatMap(({ id, folder, title }) => [
    [`${folder}/README.md`, english(id, `# ${id}: ${title.en}`)] as const,
    [`${folder}/README.zh.md`, chinese(id, `# ${id}：${title.zh}`)] as const,
  ]);
  return {
    ...Object.fromEntries(pages),
    "README.md": root("en"),
    "README.zh.md": root("zh"),
    "docs/extra.md": "# Extra page\n\n## First part\n\nBack to [the start](../README.md#how-to-read).\n",
    "docs/extra.zh.md": "# 另一页\n\n## 第一部分\n\n回到[开头](../README.zh.md#怎样读)。\n",
    "GLOSSARY.md": "# Glossary\n\n[start](README.md)\n",
    [failuresFile]: JSON.stringify([
      {
        id: "tool-broken",
        lesson: "s02",
        en: { what: "a tool | breaks", happens: "it says so" },
        zh: { what: "工具坏了", happens: "它会说出来" },
        shown: [
          { case: "s02 broken" },
          { test: "s02_two/tools.test.ts", name: "a tool gets the rest of the text" },
        ],
      },
    ]),
  };
}

const fence = "```\n```";

function root(language: Language): string {
  const [heading, link] =
    language === "en" ? ["How to read", "docs/extra.md#first-part"] : ["怎样读", "docs/extra.zh.md#第一部分"];
  const commands = "```sh\nnpm install && npm run s01   # once\nnpm test\n```";
  const tables = "<!-- lessons -->\n<!-- /lessons -->\n\n<!-- teachers -->\n<!-- /teachers -->";
  return `# Toy\n\n${commands}\n\n## ${heading}\n\n[x](${link}) \`npm run s02 broken\`\n\n${tables}\n`;
}

function question(text: string, answer: string, proof: string): string {
  return `**${text}**\n\n<details>\n<summary>…</summary>\n\n${answer}\n\n${proof}\n\n</details>`;
}

function english(id: string, title: string): string {
  const before = id === "s03" ? "s02" : "s01";
  return `${title}

<!-- nav -->
<!-- /nav -->

## Problem

The loop of \`runLoop\` is too small. See [the code](loop.ts) and [below](#try-it).

<!-- output: npm run ${before} -->
${fence}

## Idea

Keep it small.

<!-- free: a picture -->
\`\`\`text
in -> out
\`\`\`

## How it works

<!-- excerpt: loop.ts#runLoop from="const transcript" to="return" -->
${fence}

- And the type, in a list:

  <!-- excerpt: messages.ts#Message -->
  \`\`\`
  \`\`\`

## Try it

\`\`\`sh
npm run ${id}
npm run ${id} -- --case normal
printf 'say hi\\nend\\n' | npm run -s ${id} play
\`\`\`

<!-- output: npm run ${id} from="start" to="middle" -->
${fence}

<!-- output: npm run ${id} play stdin='say "hi"\\nend\\n' -->
${fence}

<!-- output: npm run s02 broken exit=2 -->
${fence}

${
  id === "s02"
    ? `<!-- experiment: npm run try s02 normal file=loop.ts old='role: "assistant", content' new='role: "user", content' to="content" -->
${fence}

`
    : ""
}## What changed
${id === "s01" ? "" : `\n<!-- hunk: ${before} ${id} loop.ts with="transcript" -->\n${fence}\n`}
<!-- changes -->
<!-- /changes -->

## When it fails
${id === "s02" ? "\n<!-- failures -->\n<!-- /failures -->\n" : "\nNothing fails here.\n"}
## Check yourself

${question("1. What does it print?", "A line.", `case: \`${id} normal\``)}

${question("2. And then?", "No more.", "test: loop.test.ts › the answer is kept")}

${question("3. Why?", "Because.", "test: `s01_one/loop.test.ts › the answer is kept`")}

## Still missing

\`askGate\` comes later.

## In Pi

\`beforeToolCall\` is asked first.
`;
}

function chinese(id: string, title: string): string {
  const pieces: [string, string][] = [
    ["## Problem", "## 问题"],
    [
      "The loop of `runLoop` is too small. See [the code](loop.ts) and [below](#try-it).",
      "`runLoop` 太小。见[下文](#试一试)和[代码](loop.ts)。",
    ],
    ["## Idea", "## 思路"],
    ["Keep it small.", "保持小巧。"],
    ["<!-- free: a picture -->", "<!-- free: 一张图 -->"],
    ["## How it works", "## 工作原理"],
    ["And the type, in a list:", "列表里的类型："],
    ["## Try it", "## 试一试"],
    ["## What changed", "## 改了什么"],
    ["## When it fails", "## 出错时"],
    ["Nothing fails here.", "这里不会出错。"],
    ["## Check yourself", "## 自测"],
    ["1. What does it print?", "1. 它打印什么？"],
    ["2. And then?", "2. 然后呢？"],
    ["3. Why?", "3. 为什么？"],
    ["## Still missing", "## 还缺什么"],
    ["`askGate` comes later.", "`askGate` 以后才有。"],
    ["## In Pi", "## Pi 里的样子"],
    ["`beforeToolCall` is asked first.", "先问 `beforeToolCall`。"],
  ];
  const [, ...rest] = english(id, title).split("\n");
  return pieces.reduce((text, [from, to]) => text.replace(from, () => to), [title, ...rest].join("\n"));
}
