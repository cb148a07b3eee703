import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCourse } from "../shared/course.ts";

test("F1-16: the changelog has a line for every lesson, with its title", () => {
  const { root, lessons } = loadCourse();
  const text = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const missing = lessons
    .map(({ id, title }) => `- ${id} ${title.en}: `)
    .filter((line) => !text.includes(line));
  expect(
    missing,
    "CHANGELOG.md has no line that begins like this; write one that says what a reader must do again",
  ).toEqual([]);
});
