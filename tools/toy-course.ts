/** A toy course of three tiny lessons in a temporary folder, so that a tool can be tested without the real lessons. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadCourse, type Course } from "../shared/course.ts";

/** Paths relative to the root of the course, with `/`, and the text of each file. */
export type Files = Record<string, string>;

export type ToyCourse = {
  course: Course;
  /** Absolute, links resolved. */
  root: string;
  /** Writes files (and deletes those given as undefined) after the course was made, then reads lessons.json again. */
  write(files: Readonly<Record<string, string | undefined>>): void;
  /** Deletes the folder. Call it in `afterEach` or `finally`. */
  remove(): void;
};

/**
 * Makes the course; every check of this repository passes on it as it is. `edit` may change, add and delete files
 * before they are written. Throws what loadCourse throws when `edit` leaves no readable lessons.json.
 */
export function toyCourse(edit: (files: Files) => void = () => {}): ToyCourse {
  const files = toyFiles();
  edit(files);
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toy-course-")));
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  try {
    writeFiles(root, files);
    const course = loadCourse(root);
    const write: ToyCourse["write"] = (given) => {
      writeFiles(root, given);
      course.lessons = loadCourse(root).lessons;
    };
    return { course, root, write, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Replaces one piece of one file; throws when the piece is not there, so that a test cannot silently test nothing. */
export function replaceIn(files: Files, path: string, from: string, to: string): void {
  const text = files[path];
  if (text === undefined) throw new Error(`the toy course has no ${path}`);
  if (!text.includes(from)) throw new Error(`${path} of the toy course does not contain: ${from}`);
  files[path] = text.replace(from, () => to);
}

/** Changes the manifest of the toy course. */
export function editLessons(files: Files, edit: (lessons: ToyLesson[]) => void): void {
  const manifest = JSON.parse(files["lessons.json"]!) as { lessons: ToyLesson[] };
  edit(manifest.lessons);
  files["lessons.json"] = json(manifest);
}

export type ToyLesson = Course["lessons"][number];

function writeFiles(root: string, files: Readonly<Record<string, string | undefined>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, ...path.split("/"));
    if (text === undefined) {
      rmSync(file, { force: true });
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function toyFiles(): Files {
  const scripts = Object.fromEntries(["s01", "s02", "s03"].map((id) => [id, `node tools/start.cjs ${id}`]));
  return {
    "package.json": json({ name: "toy-course", private: true, type: "module", scripts }),
    "lessons.json": json({ lessons: toyLessons() }),
    "GLOSSARY.md": glossary,

    "s01_one/messages.ts": messages,
    "s01_one/loop.ts": loopOne,
    "s01_one/main.ts": mainOne,
    "s01_one/loop.test.ts": loopTest,
    "s01_one/README.md": readme("s01: One", "A loop that asks.", "It cannot use a tool; s02 mends that."),
    "s01_one/README.zh.md": readmeZh("s01：一", "一个会提问的循环。", "还不会用工具，s02 补上。"),

    "s02_two/messages.ts": messages,
    "s02_two/loop.ts": loopTwo,
    "s02_two/tools.ts": tools,
    "s02_two/main.ts": mainTwo,
    "s02_two/loop.test.ts": loopTest,
    "s02_two/tools.test.ts": toolsTest,
    "s02_two/README.md": readme("s02: Two", "A loop with a tool, kept in `ToolBox`.", "Nobody can step in; s03 mends that."),
    "s02_two/README.zh.md": readmeZh("s02：二", "带工具的循环，工具放在 `ToolBox` 里。", "谁也插不上手，s03 补上。"),

    "s03_three/messages.ts": messages,
    "s03_three/loop.ts": loopThree,
    "s03_three/tools.ts": tools,
    "s03_three/hooks.ts": hooks,
    "s03_three/main.ts": mainThree,
    "s03_three/loop.test.ts": loopTest,
    "s03_three/tools.test.ts": toolsTest,
    "s03_three/README.md": readme("s03: Three", "A gate before the tool: `askGate`.", "Nothing."),
    "s03_three/README.zh.md": readmeZh("s03：三", "工具前面的一道关口：`askGate`。", "没有了。"),
  };
}

function toyLessons(): ToyLesson[] {
  return [
    {
      id: "s01",
      folder: "s01_one",
      title: { en: "One", zh: "一" },
      goal: { en: "A loop that asks.", zh: "一个会提问的循环。" },
      minutes: 5,
      added: ["loop.ts", "messages.ts"],
      changed: [],
    },
    {
      id: "s02",
      folder: "s02_two",
      title: { en: "Two", zh: "二" },
      goal: { en: "A loop with a tool.", zh: "带工具的循环。" },
      minutes: 10,
      added: ["tools.ts"],
      changed: ["loop.ts"],
    },
    {
      id: "s03",
      folder: "s03_three",
      title: { en: "Three", zh: "三" },
      goal: { en: "A gate before the tool.", zh: "工具前面的一道关口。" },
      minutes: 15,
      added: ["hooks.ts"],
      changed: ["loop.ts"],
    },
  ];
}

const messages = `/** What is said. */

/** One message of the transcript. */
export type Message = {
  role: "user" | "assistant";
  content: string;
};

/** A message of the person. */
export function userMessage(content: string): Message {
  return { role: "user", content };
}
`;

const loopOne = `/** The loop: asks the provider and keeps what was said. */

import { userMessage, type Message } from "./messages.ts";

/** Who answers. */
export type Provider = {
  complete(messages: readonly Message[]): string;
};

/** Asks once. Returns the transcript. */
export function runLoop(provider: Provider, input: string): Message[] {
  const transcript = [userMessage(input)];
  const content = provider.complete(transcript);
  transcript.push({ role: "assistant", content });
  return transcript;
}
`;

const loopTwo = `/** The loop: asks the provider, uses a tool and keeps what was said. */

import { userMessage, type Message } from "./messages.ts";
import { ToolBox } from "./tools.ts";

/** Who answers. */
export type Provider = {
  complete(messages: readonly Message[]): string;
};

/** Asks once. Returns the transcript. */
export function runLoop(provider: Provider, input: string, tools = new ToolBox()): Message[] {
  const transcript = [userMessage(input)];
  const content = tools.use(provider.complete(transcript));
  transcript.push({ role: "assistant", content });
  return transcript;
}
`;

const loopThree = `/** The loop: asks the provider, uses a tool behind a gate and keeps what was said. */

import { askGate, type Gate } from "./hooks.ts";
import { userMessage, type Message } from "./messages.ts";
import { ToolBox } from "./tools.ts";

/** Who answers. */
export type Provider = {
  complete(messages: readonly Message[]): string;
};

/** Asks once. Returns the transcript. */
export function runLoop(provider: Provider, input: string, tools = new ToolBox(), gate?: Gate): Message[] {
  const transcript = [userMessage(input)];
  const answer = provider.complete(transcript);
  const content = askGate(gate, answer) ? tools.use(answer) : "blocked";
  transcript.push({ role: "assistant", content });
  return transcript;
}
`;

const tools = `/** Tools by name. */

/** A name, and what it does with a text. */
export class ToolBox {
  #tools = new Map<string, (text: string) => string>();

  add(name: string, tool: (text: string) => string): void {
    this.#tools.set(name, tool);
  }

  /** Runs the tool whose name starts the text; without one the text stays as it is. */
  use(text: string): string {
    const [name = "", ...rest] = text.split(" ");
    return this.#tools.get(name)?.(rest.join(" ")) ?? text;
  }
}
`;

const hooks = `/** The gate in front of a tool. */

/** Says whether an answer may reach a tool. */
export type Gate = (answer: string) => boolean;

/** Without a gate everything may pass. */
export function askGate(gate: Gate | undefined, answer: string): boolean {
  return gate?.(answer) ?? true;
}
`;

const mainOne = `/** The demo of s01. */

import { runLoop } from "./loop.ts";

for (const message of runLoop({ complete: () => "hello" }, "hi")) console.log(\`\${message.role}: \${message.content}\`);
`;

const mainTwo = `/** The demo of s02. */

import { runLoop } from "./loop.ts";
import { ToolBox } from "./tools.ts";

const tools = new ToolBox();
tools.add("echo", (text) => text);

for (const message of runLoop({ complete: () => "echo hello" }, "hi", tools)) {
  console.log(\`\${message.role}: \${message.content}\`);
}
`;

const mainThree = `/** The demo of s03. */

import { runLoop } from "./loop.ts";
import { ToolBox } from "./tools.ts";

const tools = new ToolBox();
tools.add("echo", (text) => text);

for (const message of runLoop({ complete: () => "echo hello" }, "hi", tools, () => false)) {
  console.log(\`\${message.role}: \${message.content}\`);
}
`;

const loopTest = `import { expect, test } from "vitest";
import { runLoop } from "./loop.ts";

test("the answer is kept", () => {
  expect(runLoop({ complete: () => "hello" }, "hi")).toEqual([
    { role: "user", content: "hi" },
    { role: "assistant", content: "hello" },
  ]);
});
`;

const toolsTest = `import { expect, test } from "vitest";
import { ToolBox } from "./tools.ts";

test("a tool gets the rest of the text", () => {
  const tools = new ToolBox();
  tools.add("echo", (text) => text);
  expect(tools.use("echo hello")).toBe("hello");
});
`;

const glossary = `# Glossary

| term | 中文 | identifiers | meaning | 含义 | from | fenced |
| --- | --- | --- | --- | --- | --- | --- |
| transcript | 对话记录 |  | the messages that are kept | 保存下来的消息 | s01 | no |
| tool box | 工具箱 | \`ToolBox\` | tools by name | 按名字存放的工具 | s02 | yes |
| gate | 关口 | \`askGate\`, \`Gate\` | says whether an answer may reach a tool | 决定回答能否到达工具 | s03 | yes |
`;

/** All sections of a tutorial, with the two given sentences under Idea and Still missing. */
function readme(title: string, idea: string, missing: string): string {
  return `# ${title}

## Problem

The lesson before leaves something open.

## Idea

${idea}

## How it works

See \`loop.ts\`.

## Try it

\`\`\`
npm run ${title.slice(0, 3)}
\`\`\`

## What changed

\`loop.ts\`.

## When it fails

It says so.

## Check yourself

What does it print?

## Still missing

${missing}

## In Pi

Pi has more.
`;
}

function readmeZh(title: string, idea: string, missing: string): string {
  return `# ${title}

## 问题

上一课留下了一个缺口。

## 思路

${idea}

## 工作原理

见 \`loop.ts\`。

## 试一试

\`\`\`
npm run ${title.slice(0, 3)}
\`\`\`

## 改了什么

\`loop.ts\`。

## 出错时

它会说出来。

## 自测

它会打印什么？

## 还缺什么

${missing}

## Pi 里的样子

Pi 里还有更多。
`;
}
