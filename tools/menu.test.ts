import { expect, test } from "vitest";
import { memoryIo, UsageError } from "../shared/io.ts";
import { list, menu, run, type CasesOf } from "./menu.ts";
import { toyCourse } from "./toy-course.ts";

const toy = toyCourse();
toy.remove();
const casesOf: CasesOf = async (lesson) => ["normal", `odd-${lesson.id}`];

const escape = "\u001b";

test("every lesson with its sentence, its cases and its command", async () => {
  const io = memoryIo();
  expect(await menu(toy.course, casesOf, "en", io)).toBe(0);
  for (const lesson of toy.course.lessons) {
    expect(io.out()).toContain(
      `${lesson.id}  ${lesson.title.en} (${lesson.minutes} min)\n     ${lesson.goal.en}\n`,
    );
    expect(io.out()).toContain(`     npm run ${lesson.id}   cases: normal, odd-${lesson.id}\n`);
  }
  expect(io.out()).toContain("npm run s03 odd-s03");
});

test("in Chinese", async () => {
  const io = memoryIo();
  await menu(toy.course, casesOf, "zh", io);
  expect(io.out()).toContain("s02  二 （10 分钟）");
  expect(io.out()).toContain("案例：normal, odd-s02");
});

test("a lesson that does not load is shown as such, and the others still are", async () => {
  const io = memoryIo();
  const broken: CasesOf = async (lesson) => {
    if (lesson.id === "s02") throw new SyntaxError("Unexpected\ntoken");
    return ["normal"];
  };
  expect(await menu(toy.course, broken, "en", io)).toBe(1);
  expect(io.out()).toContain("main.ts does not load: Unexpected\\ntoken\n");
  expect(io.out()).toContain("npm run s03   cases: normal\n");
});

test("the list has one case per line, with the exit status that it promises", async () => {
  const io = memoryIo();
  const statusOf = async (_lesson: unknown, name: string) => (name === "odd-s02" ? 1 : 0);
  expect(await list(toy.course, casesOf, statusOf, io)).toBe(0);
  expect(io.out()).toBe("s01 normal 0\ns01 odd-s01 0\ns02 normal 0\ns02 odd-s02 1\ns03 normal 0\ns03 odd-s03 0\n");
});

test("F1-10: colour on a terminal only, NO_COLOR obeyed unless it is empty, CI and FORCE_COLOR not asked", async () => {
  const shown = async (isTTY: boolean, env: Record<string, string>) => {
    const io = memoryIo({ isTTY, env });
    await menu(toy.course, casesOf, "en", io);
    return io.out();
  };
  const plain = await shown(false, {});
  expect(plain).not.toContain(escape);
  expect(await shown(false, { CI: "true", FORCE_COLOR: "1" })).toBe(plain);
  expect(await shown(true, { NO_COLOR: "1" })).toBe(plain);
  const coloured = await shown(true, { NO_COLOR: "" });
  expect(coloured).toContain(escape);
  expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
});

test("the real course's cases are found, and the language is a word, a flag, or the environment's", async () => {
  const words = [["zh"], ["--lang", "zh"], ["--lang=zh"], ["ZH"]];
  for (const args of words) {
    const io = memoryIo();
    await run(args, io);
    expect(io.out()).toContain("npm run s01   案例：normal, length, runaway");
  }
  const io = memoryIo({ env: { LC_ALL: "zh_CN.UTF-8" } });
  await run([], io);
  expect(io.out()).toContain("案例：");
});

test.each([["nonsense"], ["--what"], ["--lang"], ["--lang=fr"]])(
  "%s is one line that lists what is valid",
  async (word) => {
    await expect(run([word], memoryIo())).rejects.toThrow(UsageError);
    await expect(run([word], memoryIo())).rejects.toThrow(
      /^[^\n]*npm start takes a language \(en, zh\), or list$/,
    );
  },
);
