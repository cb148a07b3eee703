import { describe, expect, test } from "vitest";
import { loadCourse } from "../shared/course.ts";
import { UsageError, memoryIo } from "../shared/io.ts";
import { choose, loopOf, measure, run, usualRuns, type Row } from "./bench.ts";

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

test("a short run is repeated more often than a long one, and each at least once", () => {
  expect([3, 100, 1_000, 10_000].map(usualRuns)).toEqual([15, 15, 5, 1]);
});

test("each provider runs as often as asked, and once before", async () => {
  const asked: number[] = [];
  const rows: Row[] = [];
  const runTurns = async (turns: number) => void asked.push(turns);
  await measure(runTurns, [4], (row) => rows.push(row), () => 3);
  expect(asked).toEqual(Array(8).fill(4));
  expect(rows.map(({ provider, turns, runs }) => [provider, turns, runs])).toEqual([["plain", 4, 3], ["fake", 4, 3]]);
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
      await measure(runTurns, [3], (row) => rows.push(row), () => 1);
      expect(rows.map(({ provider, turns }) => [provider, turns])).toEqual([
        ["plain", 3],
        ["fake", 3],
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
  expect(await run(["100"], io, () => 2)).toBe(0);
  expect(io.out()).toMatch(/\nplain +100 +2 +[\d.]+ +[\d.]+\nfake +100 +2 /);
});
