/** The text machinery on a toy course: what it writes, what it leaves alone, and every way to fail. */

import { readdirSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { UsageError } from "../shared/io.ts";
import { toyTexts, type ToyTexts } from "./docs/toy-texts.ts";

const page = "s02_two/README.md";
const chinese = "s02_two/README.zh.md";

describe.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
] as const)("a course with %s", (_, ending) => {
  let toy: ToyTexts;
  beforeAll(async () => {
    toy = await toyTexts(ending);
  });
  afterEach(() => toy.reset());
  afterAll(() => toy.remove());
  const lines = (...each: string[]) => each.join(ending);

  test("made current once, has no problem, and a second run writes nothing", async () => {
    expect(await toy.problems()).toEqual([]);
    expect(await toy.docs()).toMatchObject({ status: 0, err: "", out: expect.not.stringContaining("rewritten") });
    expect(await toy.docs("parity")).toMatchObject({ status: 0, out: expect.not.stringContaining("Problem") });
  });

  test("keeps its line endings in every file", () => {
    for (const path of [page, chinese, "README.md", "docs/extra.md"]) {
      expect(toy.text(path).replaceAll(ending, "")).not.toMatch(/[\r\n]/);
    }
  });

  test("F1-02 a stale block is named with its first different lines, and rewritten without touching the rest", async () => {
    const good = toy.text(page);
    toy.edit(page, "const transcript =", "const script =");
    const [problem, ...more] = await toy.problems("blocks");
    expect(more).toEqual([]);
    expect(problem).toBe(
      [
        `${page}:38: <!-- excerpt: loop.ts#runLoop from="const transcript" to="return" -->: stale; run: npm run docs s02`,
        "    line 2 of the block:",
        "    - const script = [userMessage(input)];",
        "    - const content = tools.use(provider.complete(transcript));",
        '    - transcript.push({ role: "assistant", content });',
        "    + const transcript = [userMessage(input)];",
        "    + const content = tools.use(provider.complete(transcript));",
        '    + transcript.push({ role: "assistant", content });',
      ].join("\n"),
    );
    toy.edit(page, "Keep it small.", "Keep  it small, please.  ");
    const { status, out } = await toy.docs("s02");
    expect(status).toBe(0);
    expect(out).toContain(`${page}: rewritten\n`);
    expect(toy.text(page)).toBe(good.replace("Keep it small.", "Keep  it small, please.  "));
  });

  test("blocks hold what their markers name", () => {
    const text = toy.text(page);
    expect(text).toContain(lines("```text", "…", "start", "middle", "…", "```"));
    expect(text).toContain(lines("```text", "lesson: s02", 'typed say "hi"', "end", "```"));
    expect(text).toContain(lines("```text", "lesson: s02", "start", "middle", "end", "it broke", "```"));
    expect(text).toContain(
      lines(
        "```diff",
        "@@ loop.ts @@",
        '-transcript.push({ role: "assistant", content });',
        '+transcript.push({ role: "user", content });',
        "",
        "normal",
        "content = tools.use(provider.complete(transcript));",
        "…",
        "```",
      ),
    );
    expect(toy.text(chinese)).toContain(lines("```text", "课程: s02", 'typed say "hi"', "end", "```"));
    expect(text).toContain(lines("  ```ts", "  /** One message of the transcript. */", "  export type Message = {"));
    expect(text).toContain(
      lines(
        "```diff",
        "@@ loop.ts @@ export type Provider = {",
        " ",
        " /** Asks once. Returns the transcript. */",
        "-export function runLoop(provider: Provider, input: string): Message[] {",
      ),
    );
  });

  test("F1-01 the generated tables", () => {
    expect(toy.text(page)).toContain(
      lines(
        "",
        "|  | s01 | s02 |",
        "| --- | --- | --- |",
        "| new class | – | `ToolBox` in `tools.ts` |",
        "| changed: `runLoop` | `runLoop(provider: Provider, input: string): Message[]` | " +
          "`runLoop(provider: Provider, input: string, tools = new ToolBox()): Message[]` |",
        "",
        "- unchanged in the files touched: `Provider` in `loop.ts`",
        "",
        "| file | lines |",
        "| --- | --- |",
        "| `loop.ts` | +4 −3 |",
        "| `tools.ts` | new, +16 |",
        "| `messages.ts` | same bytes |",
        "",
        "The whole difference:",
        "",
        "```sh",
        "npm run diff s01 s02",
        "```",
        "",
        "<!-- /changes -->",
      ),
    );
    expect(toy.text(page)).toContain(
      "| a tool \\| breaks | it says so | `npm run s02 broken`<br>[tools.test.ts](tools.test.ts): a tool gets the rest of the text |",
    );
    expect(toy.text(chinese)).toContain("[← s01 一](../s01_one/README.zh.md) · [全部课程](../README.zh.md) · [English](README.md) · [s03 三 →]");
    expect(toy.text("README.zh.md")).toContain("| [s02 二](s02_two/README.zh.md) | 带工具的循环。 | 10 | `npm run s02` |");
    expect(toy.text("README.md")).toContain("| 5 | 1. What does it print?<br>2. And then?<br>3. Why? |");
  });

  test("a translation that is finished is recorded by hand, never by the way", async () => {
    toy.edit(page, "Keep it small.", "Keep it tiny.");
    const before = toy.text(page);
    await toy.docs();
    expect(toy.text(page)).toBe(before);
    expect(await toy.problems()).toEqual([
      `${page}:25: Idea / 思路: changed in English only; bring ${chinese} in step, then: npm run docs parity s02`,
    ]);
    expect((await toy.docs("parity", "s02")).out).toBe(`${page}, ${chinese}: Idea / 思路\n`);
    expect(await toy.problems()).toEqual([]);
  });
});

describe("every way to fail", () => {
  let toy: ToyTexts;
  beforeAll(async () => {
    toy = await toyTexts();
  });
  afterEach(() => toy.reset());
  afterAll(() => toy.remove());

  /** The problems after one edit of the English page of s02. */
  async function after(from: string, to: string, topic: Parameters<ToyTexts["problems"]>[0] = "blocks") {
    toy.edit(page, from, to);
    return toy.problems(topic);
  }

  const excerptMarker = '<!-- excerpt: loop.ts#runLoop from="const transcript" to="return" -->';
  const outputMarker = '<!-- output: npm run s02 from="start" to="middle" -->';

  test.each([
    ["an unknown symbol", excerptMarker, "<!-- excerpt: loop.ts#runLop -->", 'no declaration "runLop" in s02_two/loop.ts; it declares: Provider, runLoop'],
    ["an unknown member", excerptMarker, "<!-- excerpt: tools.ts#ToolBox.drop -->", '"ToolBox" in s02_two/tools.ts has no "drop"; it has: #tools, add, use'],
    ["an unknown file", excerptMarker, "<!-- excerpt: lop.ts#runLoop -->", "there is no file s02_two/lop.ts"],
    ["neither symbol nor part", excerptMarker, "<!-- excerpt: loop.ts -->", "name a symbol (loop.ts#symbol)"],
    ["a part that is not there", excerptMarker, '<!-- excerpt: loop.ts#runLoop from="nowhere" -->', 'no line contains "nowhere"'],
    ["an excerpt that is too long", excerptMarker, '<!-- excerpt: tools.ts from="by name" -->', "17 lines, and 15 is the limit"],
    ["an unknown kind", excerptMarker, "<!-- exerpt: loop.ts#runLoop -->", 'unknown marker kind "exerpt"; kinds: excerpt, output'],
    ["a forgotten colon", excerptMarker, "<!-- excerpt loop.ts#runLoop -->", "not a marker"],
    ["an unknown option", excerptMarker, "<!-- excerpt: loop.ts#runLoop form=x -->", 'unknown option "form"'],
    ["an empty output", outputMarker, "<!-- output: npm run s02 silent -->", "the block would be empty"],
    ["a command that fails", outputMarker, "<!-- output: npm run s02 broken -->", "fails with status 2 (it broke); if it is meant to, say exit=2"],
    ["a command that does not fail", outputMarker, "<!-- output: npm run s02 exit=2 -->", "is marked exit=2, but ended with status 0"],
    ["an unknown command", outputMarker, "<!-- output: npm run s99 -->", '"npm run s99" is no command here'],
    ["a command that cannot be shown", outputMarker, "<!-- output: npm test -->", "cannot be shown"],
    ["a file that did not change", '<!-- hunk: s01 s02 loop.ts with="transcript" -->', "<!-- hunk: s01 s02 messages.ts -->", "is the same in s01 and s02"],
    ["a hunk of a new file", 'loop.ts with="transcript"', "tools.ts", "tools.ts is new in s02; show it as an excerpt"],
    ["a hunk that only shows such a line", 'loop.ts with="transcript"', 'loop.ts with="Asks once"', 'no hunk changes a line with "Asks once"'],
    ["a hunk that is not there", 'loop.ts with="transcript"', 'loop.ts with="nowhere"', 'no hunk changes a line with "nowhere"'],
    ["an experiment that changes nothing", 'old=\'role: "assistant"', "old='role: \"nobody\"", 'no line of loop.ts contains "role: "nobody", content"'],
    ["an experiment that is ambiguous", 'old=\'role: "assistant", content\'', "old=transcript", "lines of loop.ts contain"],
    ["an experiment without try", "<!-- experiment: npm run try s02", "<!-- experiment: npm run s02", "is run with npm run try"],
    ["a lesson that is not there", "<!-- hunk: s01 s02", "<!-- hunk: s01 s09", 'unknown lesson "s09"; lessons: s01, s02, s03'],
    ["a free block without a reason", "<!-- free: a picture -->", "<!-- free -->", "say why the block is free"],
    ["a closing marker alone", "<!-- nav -->\n", "\n", 'closes a marker "nav" that was not opened'],
    ["a list without its end", "<!-- /changes -->", "", "end it with <!-- /changes -->"],
    ["a comment that goes on", "Keep it small.", "<!-- a comment\nthat goes on -->", "a comment must end on its own line"],
  ])("%s", async (_, from, to, message) => {
    const problems = await after(from, to);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^s02_two\/README\.md:\d+: <!--/);
    expect(problems[0]).toContain(message);
  });

  test("an ambiguous symbol", async () => {
    toy.edit("s02_two/loop.ts", "/** Who answers. */", "export function runLoop(): void;\n\n/** Who answers. */");
    expect(await toy.problems("blocks")).toContainEqual(expect.stringContaining('ambiguous: s02_two/loop.ts declares "runLoop" 2 times'));
  });

  test("a marker without a block", async () => {
    const text = toy.text(page);
    const start = text.indexOf(excerptMarker) + excerptMarker.length;
    toy.write({ [page]: `${text.slice(0, start)}\n\nNo block here.\n` });
    const message = "a marker without a block: put an empty fenced block below it";
    expect(await toy.problems("blocks")).toContain(`${page}:38: ${excerptMarker}: ${message}`);
  });

  test("a code block without a marker", async () => {
    expect(await after("<!-- free: a picture -->\n", "")).toEqual([expect.stringMatching(/:29: a code block without a marker[^]*in -> out/)]);
  });

  test.each([
    ["npm run s09", '"npm run s09" is no command here'],
    ["npm run s02 oops", 's02 has no "oops"; it knows: play, help, en, zh, normal, broken'],
    ["npm run diff s02 s09", 'unknown lesson "s09"'],
    ["npm install && npm test", "never joined with &&"],
    ["node_modules/.bin/tsx loop.ts", "does not start with npm"],
  ])("a command for the reader that does not exist: %s", async (command, message) => {
    expect(await after("npm run s02\n", `${command}\n`)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ["in the text", "Keep it small.", "Keep `runLop` small.", '"runLop" exists neither in s02 nor in an earlier lesson, nor in tools/docs/names.ts'],
    ["of a later lesson", "Keep it small.", "Keep `askGate` small.", '"askGate" arrives in s03 only; say it under "Still missing"'],
    ["as a member", "Keep it small.", "`ToolBox.drop` is small.", '"drop" exists neither'],
    ["nowhere, under In Pi", "`beforeToolCall` is", "`beforeToolCal` is", '"beforeToolCal" exists neither'],
    ["of a command", "Keep it small.", "Try `npm run s02 oops`.", 's02 has no "oops"'],
  ])("a name in backticks that does not exist: %s", async (_, from, to, message) => {
    expect(await after(from, to, "identifiers")).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    "`ToolBox.use` `s01_one/loop.ts` `tools.test.ts` `npm run s02 play` `typeof x`".replace("x`", "name`"),
    "`git diff --no-index` `AbortSignal` `error: <reason>`",
  ])("names that exist are left alone: %s", async (text) => {
    expect(await after("Keep it small.", text, "identifiers")).toEqual([]);
  });

  test.each([
    ["[x](lop.ts)", "lop.ts: there is no s02_two/lop.ts"],
    ["[x](Loop.ts)", "there is no s02_two/Loop.ts (spelled exactly like this)"],
    ["[x](#try-that)", "s02_two/README.md has no heading #try-that; it has: #s02-two #problem"],
    ["[x](../docs/extra.md#first)", "docs/extra.md has no heading #first"],
    ["[x](../../etc/passwd)", "leads out of the repository"],
    ["[x](/README.md)", "start from the folder of this page"],
    ["[x](loop.ts#L10)", "only a page has anchors"],
    ["[x](../README.zh.md)", "leads to the other language; link README.md"],
    ["[x](ftp://example.com)", "only https:, http: and mailto:"],
    ["[x](https://exa%mple)", "no well-formed address"],
  ])("a link that leads nowhere: %s", async (link, message) => {
    expect(await after("Keep it small.", link, "links")).toEqual([expect.stringContaining(message)]);
  });

  test("names and links inside blocks are left alone", async () => {
    const block = "```sh\nnpm run s02 # `nowhere` [x](nowhere.md)\n```";
    toy.edit(page, "Keep it small.", block);
    expect([...(await toy.problems("links")), ...(await toy.problems("identifiers"))]).toEqual([]);
    toy.edit(page, "in -> out", "in -> `nowhere` [x](nowhere.md)");
    expect([...(await toy.problems("links")), ...(await toy.problems("identifiers"))]).toEqual([]);
  });

  test("links in other pages at the root are looked at too, links in code are not", async () => {
    toy.edit("GLOSSARY.md", "[start](README.md)", "[start](READ.md) `[x](nowhere)`");
    expect(await toy.problems("links")).toEqual(["GLOSSARY.md:3: READ.md: there is no READ.md (spelled exactly like this)"]);
  });

  test.each([
    ["a title", "# s02: Two", "# s02 Two", "the first line must be: # s02: Two"],
    ["a section that is missing", "## Idea", "### Idea", "Idea: this section is missing"],
    ["a table that must be there", "<!-- changes -->", "<!-- nav -->\n<!-- /nav -->\n", "What changed: needs <!-- changes -->"],
  ])("%s", async (_, from, to, message) => {
    expect(await after(from, to, "sections")).toEqual([expect.stringContaining(message)]);
  });

  test("the failure rows of a lesson must be shown", async () => {
    const text = toy.text(page);
    toy.write({ [page]: text.replace(/<!-- failures -->[^]*<!-- \/failures -->\n/, "") });
    const problem = "When it fails: needs <!-- failures --> and <!-- /failures -->, each on a line of its own";
    expect(await toy.problems("sections")).toEqual([`${page}: ${problem}`]);
  });

  test("sections in another order", async () => {
    toy.edit(page, "## Still missing", "## Now");
    toy.edit(page, "## In Pi", "## Still missing");
    toy.edit(page, "## Now", "## In Pi");
    expect(await toy.problems("sections")).toEqual([expect.stringContaining("each section once, in this order: Problem, Idea")]);
  });

  test("one more section", async () => {
    expect(await after("## In Pi", "## Extra\n\nMore.\n\n## In Pi", "sections")).toEqual([expect.stringContaining("Extra: not one of the nine sections")]);
  });

  test("a page that is missing", async () => {
    toy.write({ [chinese]: undefined });
    expect(await toy.problems("blocks")).toContain(`${chinese}: this page is missing`);
  });

  test.each([
    ["too few", "**2. And then?**\n\n<details>", "<div>", "2 questions with a folded answer"],
    ["without a proof", "case: `s02 normal`", "It is so.", "the answer names no proof"],
    ["an unknown case", "case: `s02 normal`", "case: `s02 odd`", 'case "s02 odd": s02 has the cases normal, broken'],
    ["an unknown test", "test: loop.test.ts › the answer is kept", "test: loop.test.ts › the answer is lost", 's02_two/loop.test.ts has no test "the answer is lost"; it has: the answer is kept'],
    ["an unknown test file", "test: loop.test.ts › the", "test: lop.test.ts › the", "there is no test file s02_two/lop.test.ts"],
  ])("questions: %s", async (_, from, to, message) => {
    expect(await after(from, to, "questions")).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ['"s02 broken"', '"s02 odd"', 'case "s02 odd": s02 has the cases normal, broken'],
    ['"a tool gets the rest of the text"', '"nothing"', 's02_two/tools.test.ts has no test "nothing"'],
    ['"lesson":"s02"', '"lesson":"s07"', 'unknown lesson "s07"'],
    ['"工具坏了"', '""', "en and zh both need what and happens"],
  ])("a failure row: %s → %s", async (from, to, message) => {
    toy.edit("tools/docs/failures.json", from, to);
    expect(await toy.problems("failures")).toEqual([
      expect.stringContaining(`tools/docs/failures.json: tool-broken: ${message}`),
    ]);
  });

  test.each([
    ["headings", "Keep it small.", "Keep it small.\n\n### More", "Idea / 思路: the headings differ between the languages\n    en: ###\n    zh: (no more)"],
    ["markers", 'from="start" to="middle"', 'from="start" lines=2', "Try it / 试一试: the markers differ between the languages"],
    ["commands", "npm run s02 -- --case normal", "npm run s02 normal", "Try it / 试一试: the commands differ between the languages\n    en: npm run s02 normal"],
    ["links", "[the code](loop.ts)", "[the code](tools.ts)", "Problem / 问题: the links differ between the languages\n    en: s02_two/tools.ts\n    zh: s02_two/loop.ts"],
    ["anchors", "[below](#try-it)", "[below](#idea)", "Problem / 问题: the links differ between the languages"],
    ["folds", "Keep it small.", "<details></details>", "Idea / 思路: the folded answers differ between the languages"],
  ])("the languages differ: %s", async (_, from, to, message) => {
    const problems = await after(from, to, "parity");
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toContain(chinese);
    const { status, err } = await toy.docs("parity", "s02");
    expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(message) });
  });

  test("an experiment leaves no copy behind, and no change", async () => {
    await toy.problems("blocks");
    expect(readdirSync(toy.root).filter((name) => name.startsWith("my_"))).toEqual([]);
    expect(toy.text("s02_two/loop.ts")).toContain('role: "assistant", content');
  });

  test("a part of an output may start at other words in the other language", async () => {
    toy.edit(chinese, 'from="start" to="middle"', 'from="课程" to="start"');
    expect((await toy.problems("parity")).join()).toContain("changed in Chinese only");
  });

  test("F1-06 a section changed in Chinese only, in both languages, and never declared equal", async () => {
    toy.edit(chinese, "保持小巧。", "越小越好。");
    expect(await toy.problems("parity")).toEqual([
      `${chinese}:25: Idea / 思路: changed in Chinese only; bring ${page} in step, then: npm run docs parity s02`,
    ]);
    toy.edit(page, "Keep it small.", "The smaller the better.");
    expect(await toy.problems("parity")).toEqual([expect.stringContaining("Idea / 思路: changed in both languages; compare them, then:")]);
    toy.write({ [page]: toy.text(page).replaceAll(/<!-- parity.*-->\n/g, "") });
    expect((await toy.problems("parity")).at(0)).toContain("the part before the first section: has no parity mark");
  });

  test("marks that one page has and the other has not", async () => {
    toy.write({ [chinese]: toy.text(chinese).replace(/<!-- parity: en=\w{8}/, "<!-- parity: en=00000000") });
    expect(await toy.problems("parity")).toEqual([
      expect.stringContaining(`has another parity mark than ${page}; compare both languages, then: npm run docs parity s02`),
    ]);
  });

  test("a block that is made by machine is no part of the translation", async () => {
    toy.edit("s02_two/loop.ts", "const transcript = [", "const transcript = /* now */ [");
    await toy.docs();
    expect(toy.text(page)).toContain("/* now */");
    expect(await toy.problems("parity")).toEqual([]);
  });
});

describe("the What-changed table", () => {
  let toy: ToyTexts;
  beforeAll(async () => {
    toy = await toyTexts();
  });
  afterAll(() => toy.remove());

  test("tells what is new, changed, changed inside, moved, gone and the same, and why", async () => {
    toy.edit("s03_three/loop.ts", "/** Who answers. */\nexport type Provider = {", "export type Provider = {\n  name?: string;");
    toy.edit("s03_three/loop.ts", "\n/** Asks once.", "\nconst limit = 1;\n\n/** Asks once.");
    toy.edit("s03_three/messages.ts", "return { role:", "return { ...{}, role:");
    toy.edit("s03_three/messages.ts", "/** One message of the transcript. */", "/** Another comment. */");
    toy.edit("s03_three/tools.ts", "this.#tools.set(name, tool);", "this.#tools.set(name.trim(), tool);");
    toy.edit("s03_three/tools.ts", "  #tools", "  #count = 0;\n  #tools");
    toy.edit("s02_two/tools.ts", "/** Tools by name. */", "/** Gone. */\nexport const old = 1;\n\nexport const away: string = \"a\";");
    toy.edit("s03_three/hooks.ts", "/** Says", "export const away: string = \"a\";\n\n/** Says");
    const lessons = JSON.parse(toy.text("lessons.json"));
    lessons.lessons[2].why = { en: "It must.", zh: "必须如此。" };
    lessons.lessons[2].upgrades = [{ from: "old", to: "none", why: { en: "Nobody read it.", zh: "没人读它。" } }];
    toy.write({ "lessons.json": JSON.stringify(lessons) });
    await toy.docs("s03");

    const block = (path: string) => /<!-- changes -->\n\n([^]*?)\n\n<!-- \/changes -->/.exec(toy.text(path))![1]!.split("\n");
    expect(block("s03_three/README.md")).toEqual([
      "|  | s02 | s03 |",
      "| --- | --- | --- |",
      "| new type | – | `Gate` in `hooks.ts` |",
      "| new function | – | `askGate(gate: Gate \\| undefined, answer: string): boolean` in `hooks.ts` |",
      "| moved: `away` | `tools.ts` | `hooks.ts` |",
      "| changed: `Provider` | – | `name?: string` |",
      "| changed: `runLoop` | `runLoop(provider: Provider, input: string, tools = new ToolBox()): Message[]` | " +
        "`runLoop(provider: Provider, input: string, tools = new ToolBox(), gate?: Gate): Message[]` |",
      "| gone | `old` in `tools.ts` | – |",
      "| new, used inside its file only | – | `limit` in `loop.ts` |",
      "",
      "- changed inside, same signature: `userMessage` in `messages.ts`; `ToolBox` in `tools.ts`",
      "- unchanged in the files touched: `Message` in `messages.ts`",
      "",
      "| file | lines |",
      "| --- | --- |",
      "| `hooks.ts` | new, +11 |",
      "| `loop.ts` | +8 −4 |",
      "| `messages.ts` | +2 −2 |",
      "| `tools.ts` | +3 −5 |",
      "",
      "The whole difference:",
      "",
      "```sh",
      "npm run diff s02 s03",
      "```",
      "",
      "**Why so much changes in old files:** It must.",
      "",
      "**Given up on purpose:**",
      "",
      "- `old` → `none`: Nobody read it.",
    ]);
    const inChinese = block("s03_three/README.zh.md");
    expect(inChinese).toContain("| 新类型 | – | `Gate`（`hooks.ts`） |");
    expect(inChinese).toContain("| 有变化：`Provider` | – | `name?: string` |");
    expect(inChinese).toContain("- `old` → `none`：没人读它。");
    expect(toy.text("s01_one/README.md")).toContain("|  | s01 |\n| --- | --- |\n| new type | `Provider` in `loop.ts` |");
  });
});

describe("npm run docs", () => {
  let toy: ToyTexts;
  beforeAll(async () => {
    toy = await toyTexts();
  });
  afterEach(() => toy.reset());
  afterAll(() => toy.remove());

  test("check changes nothing, says what is wrong on stderr and counts the blocks by kind", async () => {
    toy.edit(page, "const transcript =", "const script =");
    const before = toy.text(page);
    const { status, out, err } = await toy.docs("check");
    expect(status).toBe(1);
    expect(err).toContain("stale; run: npm run docs s02");
    expect(err).toMatch(/\n1 problems?\n$/);
    expect(out).toContain("excerpt: 11 of 12 blocks current\n");
    expect(out).toMatch(/\n\d+ of \d+ blocks current\n$/);
    expect(toy.text(page)).toBe(before);
  });

  test("check of one lesson looks at no other", async () => {
    toy.edit(page, "const transcript =", "const script =");
    expect((await toy.docs("check", "s01")).status).toBe(0);
    expect((await toy.docs("check", "s02")).status).toBe(1);
  });

  test("one lesson is rewritten, no other", async () => {
    for (const each of [page, "s01_one/README.md"]) toy.edit(each, "const transcript =", "const script =");
    const { out } = await toy.docs("s02_two/");
    expect(out).toContain(`${page}: rewritten\n`);
    expect(out).not.toContain("s01_one");
    expect(toy.text("s01_one/README.md")).toContain("const script =");
  });

  test("a block that cannot be made is left as it is, and the status is 1", async () => {
    const marker = '<!-- excerpt: loop.ts#runLoop from="const transcript" to="return" -->';
    toy.edit(page, marker, "<!-- excerpt: loop.ts#gone -->");
    const before = toy.text(page);
    const { status, err } = await toy.docs();
    expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining('no declaration "gone"') });
    expect(toy.text(page)).toBe(before);
  });

  test("each command runs once per language, however many blocks show it", async () => {
    const ran: string[] = [];
    const sources = toy.sources(ran);
    const { checkAll } = await import("./docs/checks.ts");
    await checkAll(sources);
    expect(ran.filter((line) => line.startsWith("s02 broken")).sort()).toEqual(["s02 broken en", "s02 broken zh"]);
    expect(new Set(ran).size).toBe(ran.length);
  });

  test.each([["s09"], ["check", "s01", "s02"], ["--write"]])("%s is a typing mistake", async (...words) => {
    await expect(toy.docs(...words)).rejects.toThrow(UsageError);
  });
});
