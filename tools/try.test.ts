import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryIo, UsageError, type MemoryIo } from "../shared/io.ts";
import { toyCourse, type ToyCourse } from "./toy-course.ts";
import { tryLesson, type ReadWords, type RunLesson } from "./try.ts";

let toy: ToyCourse;
let ran: string[][];
const runCopy: RunLesson = async (folder, args) => {
  ran.push([folder, ...args]);
  return 7;
};
const read: ReadWords = async (_, words) => {
  if (words.includes("nope")) throw new UsageError('unknown word "nope"');
  return words.includes("help") ? { help: true } : {};
};
beforeEach(() => {
  toy = toyCourse();
  ran = [];
});
afterEach(() => toy.remove());

const attempt = (words: string[], io: MemoryIo = memoryIo()) => tryLesson(toy.course, words, io, runCopy, read);
const mine = () => join(toy.root, "my_s02", "loop.ts");
const original = () => readFileSync(join(toy.root, "s02_two", "loop.ts"), "utf8");

describe("F1-14: a copy of one's own", () => {
  test("is made once, said so, and run with the words; the status is the lesson's", async () => {
    const io = memoryIo();
    expect(await attempt(["s02", "blocked", "zh"], io)).toBe(7);
    expect(readdirSync(join(toy.root, "my_s02"))).toEqual(readdirSync(join(toy.root, "s02_two")));
    expect(io.out()).toContain("Made my_s02/, a copy of s02_two/.");
    expect(ran).toEqual([["my_s02", "blocked", "zh"]]);
  });

  test("is not made for a word that the lesson refuses, nor for help", async () => {
    await expect(attempt(["s02", "nope"])).rejects.toThrow('unknown word "nope"');
    expect(await attempt(["s02", "help"])).toBe(7);
    expect(ran).toEqual([["s02_two", "help"]]);
    expect(existsSync(join(toy.root, "my_s02"))).toBe(false);
  });

  test("of a lesson that is gone is one line that says how it comes back; a copy that is there stays", async () => {
    await attempt(["s02"]);
    for (const folder of ["s01_one", "s02_two"]) rmSync(join(toy.root, folder), { recursive: true });
    await expect(attempt(["s01"])).rejects.toThrow(new UsageError("s01_one is not there. To bring it back: git restore s01_one"));
    await expect(attempt(["s02", "reset", "yes"])).rejects.toThrow("git restore s02_two");
    expect(existsSync(mine())).toBe(true);
    expect(await attempt(["s02", "help"])).toBe(7);
    expect(ran.at(-1)).toEqual(["my_s02", "help"]);
  });

  test("is never overwritten", async () => {
    await attempt(["s02"]);
    writeFileSync(mine(), "// mine\n");
    rmSync(join(toy.root, "my_s02", "tools.ts"));
    const io = memoryIo();
    await attempt(["s02"], io);
    expect(readFileSync(mine(), "utf8")).toBe("// mine\n");
    expect(existsSync(join(toy.root, "my_s02", "tools.ts"))).toBe(false);
    expect(io.out()).toBe("");
    expect(ran).toHaveLength(2);
  });

  test.each(["my_s02", "./my_s02/", "my_s02\\", "s02_two/", "2"])("F1-07: %s is found", async (spelled) => {
    await attempt([spelled]);
    expect(ran).toEqual([["my_s02"]]);
  });
});

describe("F1-14: reset", () => {
  beforeEach(async () => {
    await attempt(["s02"]);
    await attempt(["s03"]);
    for (const copy of ["my_s02", "my_s03"]) writeFileSync(join(toy.root, copy, "loop.ts"), "// mine\n");
    writeFileSync(join(toy.root, "my_s02", "extra.ts"), "");
    ran = [];
  });

  test("with yes puts one copy back and runs nothing; the other copy stays", async () => {
    expect(await attempt(["s02", "reset", "yes"])).toBe(0);
    expect(readFileSync(mine(), "utf8")).toBe(original());
    expect(readdirSync(join(toy.root, "my_s02"))).toEqual(readdirSync(join(toy.root, "s02_two")));
    expect(readFileSync(join(toy.root, "my_s03", "loop.ts"), "utf8")).toBe("// mine\n");
    expect(ran).toEqual([]);
  });

  test("without a terminal nothing happens, and the line says which word is missing", async () => {
    await expect(attempt(["s02", "reset"], memoryIo({ input: "yes\n" }))).rejects.toThrow(
      "npm run try s02 reset yes",
    );
    expect(readFileSync(mine(), "utf8")).toBe("// mine\n");
  });

  test.each([
    ["yes\n", 0],
    ["YES\r\n", 0],
    ["no\n", 1],
    ["\n", 1],
    ["", 1],
  ])("at a terminal it asks: %j", async (input, status) => {
    const io = memoryIo({ input, isTTY: true });
    expect(await attempt(["s02", "reset"], io)).toBe(status);
    expect(io.out()).toContain("Type yes to go on: ");
    expect(readFileSync(mine(), "utf8") === original()).toBe(status === 0);
  });

  test.each([
    [["s02", "reset", "now"], 'reset takes nothing but yes, not "now"'],
    [["s02", "reset", "a\nb"], 'reset takes nothing but yes, not "a\\nb"'],
    [["s01", "reset", "yes"], "there is no my_s01 yet; this makes it: npm run try s01"],
  ])("%j is one line, and changes nothing", async (words, message) => {
    await expect(attempt(words)).rejects.toThrow(message);
    expect(readFileSync(mine(), "utf8")).toBe("// mine\n");
  });
});

test.each([[[]], [["s9"]], [["my_s09"]]])("%j is one line that lists the lessons", async (words) => {
  await expect(attempt(words)).rejects.toThrow(UsageError);
  await expect(attempt(words)).rejects.toThrow("s01, s02, s03");
});
