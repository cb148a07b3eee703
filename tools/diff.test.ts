import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { memoryIo, UsageError } from "../shared/io.ts";
import { diffLessons, run } from "./diff.ts";
import { hasGit } from "./git.ts";
import { toyCourse, type Files, type ToyCourse } from "./toy-course.ts";

let toy: ToyCourse | undefined;
afterEach(() => toy?.remove());

async function diff(words: readonly string[], given: { edit?: (files: Files) => void; isTTY?: boolean; env?: Record<string, string>; git?: string } = {}) {
  toy?.remove();
  toy = toyCourse(given.edit);
  const io = memoryIo({ ...(given.isTTY && { isTTY: true }), ...(given.env && { env: given.env }) });
  const status = await run(words, io, { course: toy.course, ...(given.git && { git: given.git }) });
  expect(io.err()).toBe("");
  expect(status).toBe(0);
  return io.out();
}

/** The lines above the difference itself. */
const summary = (out: string) => out.split("\n\n")[0]!.split("\n");

describe("diff: words", () => {
  test.each([
    [["s09"], /unknown lesson or word "s09"/],
    [["colour"], /unknown lesson or word "colour"/],
    [["--stat"], /unknown flag "--stat"/],
    [["-x", "s01", "s02"], /unknown flag "-x"/],
    [["s01", "s02", "s03"], /more than two lessons/],
    [[], /which lessons/],
    [["all"], /which lessons/],
  ])("%j is one line that lists what is valid", async (words, message) => {
    const said = await diff(words).catch((error: unknown) => error);
    expect(said).toBeInstanceOf(UsageError);
    const text = (said as Error).message;
    expect(text).toMatch(message);
    expect(text).toContain("s01, s02, s03");
    expect(text).toContain("all");
    expect(text).toContain("stats");
    expect(text).not.toContain("\n");
  });

  test.each([[["stats", "s01"]], [["--stats", "--all"]]])("%j: stats takes nothing else", async (words) => {
    await expect(diff(words)).rejects.toThrow(/npm run diff stats/);
  });

  test("a missing git is one line that says what to install", async () => {
    for (const words of [["s02"], ["stats"]]) {
      await expect(diff(words, { git: "no-such-git" })).rejects.toThrow(/no-such-git was not found.*install it from https:/);
      await expect(diff(words, { git: "no-such-git" })).rejects.toBeInstanceOf(UsageError);
    }
  });

  test("a lesson whose folder is gone", async () => {
    const edit = (files: Files) => Object.keys(files).forEach((path) => path.startsWith("s03") && delete files[path]);
    await expect(diff(["s03"], { edit })).rejects.toThrow(/s03_three is not there.*git restore s03_three/);
  });

  test("the first lesson alone is one line with a next step", async () => {
    const out = await diff(["s01"]);
    expect(out).toMatch(/^s01_one is the first lesson.*npm run diff s01 s02\n$/);
  });
});

describe.skipIf(!hasGit())("diff: output", () => {
  test("one line per file, then the difference of the lesson code only", async () => {
    const out = await diff(["s01", "s02"]);
    expect(summary(out)).toEqual([
      "s01_one -> s02_two",
      "added    tools.ts      +16",
      "changed  loop.ts        +4   -3",
      "same     messages.ts",
      "lesson code: +20 -3; tests, demo and texts too: npm run diff s01 s02 all",
    ]);
    expect(out).toContain("\ndiff --git s01_one/loop.ts s02_two/loop.ts\n");
    expect(out).toContain("\n--- s01_one/loop.ts\n+++ s02_two/loop.ts\n");
    expect(out).toContain("\n+import { ToolBox } from \"./tools.ts\";\n");
    expect(out).toContain("\n--- /dev/null\n+++ s02_two/tools.ts\n");
    expect(out).not.toMatch(/main\.ts|test\.ts|README/);
  });

  test("nothing in it depends on where the course lies", async () => {
    const out = await diff(["s01", "s03", "all"]);
    const root = toy!.root;
    expect(await diff(["s01", "s03", "all"])).toBe(out);
    expect(toy!.root).not.toBe(root);
    expect(out).not.toContain("lessons-");
  });

  test("one lesson means against the one before", async () => {
    expect(await diff(["s03"])).toBe(await diff(["s02", "s03"]));
  });

  test.each(["3", "S03", "s03_three", "./s03_three/", ".\\s03_three\\", "/home/me/course/s03_three"])("%s is s03", async (spelled) => {
    expect(await diff(["s01", spelled])).toBe(await diff(["s01", "s03"]));
  });

  test("any two lessons, in the order that was asked for", async () => {
    expect(summary(await diff(["s03", "s01"]))).toEqual([
      "s03_three -> s01_one",
      "changed  loop.ts        +3   -6",
      "removed  hooks.ts            -9",
      "removed  tools.ts           -16",
      "same     messages.ts",
      "lesson code: +3 -31; tests, demo and texts too: npm run diff s03 s01 all",
    ]);
  });

  test("a lesson against itself has no difference", async () => {
    const out = await diff(["s02", "s02"]);
    expect(out).toContain("lesson code: +0 -0");
    expect(out).not.toContain("diff --git");
  });

  test.each([["all"], ["--all"]])("%s adds tests, demo and texts, whatever its place", async (word) => {
    const out = await diff(["s01", word, "s02"]);
    expect(summary(out).join("\n")).toMatch(/added +tools\.test\.ts[^]*changed +README\.zh\.md[^]*changed +main\.ts[^]*same +loop\.test\.ts/);
    expect(out).toContain("+++ s02_two/README.md");
    expect(out).not.toContain("too:");
  });

  test.each(["stats", "--stats"])("%s prints the growth table", async (word) => {
    const out = await diff([word]);
    expect(out).toMatch(/^lesson +new files/);
    expect(out).toMatch(/^s03 +9 +\d+/m);
  });

  test("F1-04 a renamed file is a rename", async () => {
    const edit = (files: Files) => {
      files["s03_three/box.ts"] = files["s03_three/tools.ts"]!.replace("Tools by name", "The tools by name");
      delete files["s03_three/tools.ts"];
    };
    const out = await diff(["s03"], { edit });
    expect(summary(out)).toContain("renamed  tools.ts => box.ts    +1   -1");
    expect(out).toContain("rename from s02_two/tools.ts\nrename to s03_three/box.ts");
  });

  test("line endings and file modes are no difference", async () => {
    const edit = (files: Files) => (files["s02_two/messages.ts"] = files["s02_two/messages.ts"]!.replaceAll("\n", "\r\n"));
    expect(summary(await diff(["s02"], { edit }))).toContain("same     messages.ts");
  });

  test("Chinese text and file names stay readable", async () => {
    const edit = (files: Files) => (files["s02_two/说明.ts"] = "// 你好\n");
    const out = await diff(["s02"], { edit });
    expect(out).toContain("+++ s02_two/说明.ts");
    expect(out).toContain("+// 你好");
  });

  test("colour is for a terminal, and says nothing by itself", async () => {
    const plain = await diff(["s02"]);
    const coloured = await diff(["s02"], { isTTY: true, env: {} });
    expect(coloured).toMatch(/\u001b\[/);
    expect(coloured.replace(/\u001b\[[\d;]*m/g, "")).toBe(plain);
    expect(await diff(["s02"], { isTTY: true, env: { NO_COLOR: "1" } })).toBe(plain);
    expect(await diff(["s02"], { isTTY: true, env: { NO_COLOR: "" } })).toBe(coloured);
    expect(await diff(["s02"], { env: { FORCE_COLOR: "1", CI: "1" } })).toBe(plain);
  });

  test("a student's own copy is compared with its lesson", async () => {
    toy?.remove();
    toy = toyCourse((files) => (files["my_s02/loop.ts"] = `${files["s02_two/loop.ts"]}// mine\n`));
    const io = memoryIo();
    await run(["my_s02"], io, { course: toy.course });
    expect(io.out()).toContain("s02_two -> my_s02\n");
    expect(io.out()).toContain("+// mine\n");
    await expect(run(["my_s07"], memoryIo(), { course: toy.course })).rejects.toThrow(/my_s02/);
  });

  test("a function for other tools: any selection of files", () => {
    toy = toyCourse();
    const [s01, s02] = toy.course.lessons;
    const { rows, patch } = diffLessons(toy.course, s01!, s02!, { wanted: (path) => path === "loop.ts" });
    expect(rows).toEqual([{ status: "changed", path: "loop.ts", added: 4, deleted: 3 }]);
    expect(patch.match(/^diff --git/gm)).toHaveLength(1);
  });

  test("files below a folder of the lesson take part, also those that are no text", () => {
    toy = toyCourse();
    for (const [folder, byte] of [["s01_one", 254], ["s02_two", 255]] as const) {
      mkdirSync(join(toy.root, folder, "docs"));
      writeFileSync(join(toy.root, folder, "docs", "picture.png"), new Uint8Array([0, 1, 2, byte]));
    }
    const [s01, s02] = toy.course.lessons;
    const { rows } = diffLessons(toy.course, s01!, s02!, { wanted: () => true });
    expect(rows).toContainEqual({ status: "changed", path: "docs/picture.png", added: 0, deleted: 0 });
  });
});
