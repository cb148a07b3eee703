/** That both sides play the same, and that the figures are figures. Nothing timed is asserted. */

import { expect, test } from "vitest";
import { measure, median, rows } from "./measure.ts";
import { lessonSide, piSide } from "./players.ts";

const sides = [await lessonSide(), await piSide()];
const small = rows([3, 6], 20, 2);

test.each(small)("$name: both sides make the same requests, runs and messages", async ({ script }) => {
  const [lesson, pi] = [await sides[0]?.play(script), await sides[1]?.play(script)];
  expect(lesson).toEqual(pi);
  expect(lesson?.requests).toBe(script.answers.length);
});

test("a row has a time and bytes for each side", async () => {
  const { figures } = await measure(small[1]!, sides, 2, 0);
  expect(figures).toHaveLength(2);
  for (const { microseconds, kilobytes } of figures) expect([microseconds > 0, kilobytes >= 0]).toEqual([true, true]);
});

test.each([
  { values: [3, 1, 2], middle: 2 },
  { values: [4, 1, 3, 2], middle: 2.5 },
])("the median of $values", ({ values, middle }) => {
  expect(median(values)).toBe(middle);
});
