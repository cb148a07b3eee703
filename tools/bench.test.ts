import { describe, expect, test } from "vitest";
import { loadCourse } from "../shared/course.ts";
import { UsageError, memoryIo } from "../shared/io.ts";
import { choose, loopOf, measure, run, type Row } from "./bench.ts";

const course = loadCourse();
const withTools = course.lessons.filter((lesson) => lesson.id >= "s04");

test("the words: a lesson, numbers of turns, both, or nothing", () => {
  expect(choose(course, [])).toEqual({ lesson: course.lessons.at(-1), turns: [100, 1_000, 10_000] });
  expect(choose(course, ["200", "s05", "300"])).toEqual({ lesson: course.lessons[4], turns: [200, 300] });
});

test.each([[["s05", "s06"]], [["--fast"]], [["s99"]]])("%j is one line", (words) => {
  expect(() => choose(course, words)).toThrow(UsageError);
});

test("a lesson without tools cannot be measured, and the line says which can", async () => {
  await expect(loopOf(course, course.lessons[0]!)).rejects.toThrow("from s04 on");
});

describe("every lesson with tools", () => {
  test.each(withTools.map((lesson) => lesson.id))(
    "%s makes exactly the turns asked for, on both providers",
    async (id) => {
      const runTurns = await loopOf(
        course,
        course.lessons.find((lesson) => lesson.id === id)!,
      );
      const rows: Row[] = [];
      await measure(runTurns, [3], (row) => rows.push(row));
      expect(rows.map(({ provider, turns, runs }) => [provider, turns, runs])).toEqual([
        ["plain", 3, 15],
        ["fake", 3, 15],
      ]);
      for (const row of rows) expect([row.microsecondsPerTurn > 0, row.heapMb > 0]).toEqual([true, true]);
    },
  );
});

test("a run that ends early is no figure", async () => {
  const runTurns = await loopOf(course, course.lessons.at(-1)!);
  const silent = { async *stream() {} };
  await expect(runTurns(3, silent)).rejects.toThrow("not with 3 turns");
});

test("the table", async () => {
  const io = memoryIo();
  expect(await run(["100"], io)).toBe(0);
  expect(io.out()).toMatch(/\nplain +100 +15 +[\d.]+ +[\d.]+\nfake +100 +15 /);
});
