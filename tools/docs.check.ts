/** Are the real texts true? One test per topic, so that a red line says where to look. */

import { expect, test } from "vitest";
import { loadCourse } from "../shared/course.ts";
import { checkAll, topics } from "./docs/checks.ts";
import { formatProblem } from "./docs/page.ts";
import { createSources } from "./docs/sources.ts";

const found = checkAll(createSources(loadCourse()));

test.each(topics)("F1-02 F1-03 F1-04 F1-06 the texts are in order: %s (npm run docs check)", async (topic) => {
  const { problems } = await found;
  expect(problems[topic].map(formatProblem).join("\n")).toBe("");
});

test("blocks were compared at all", async () => {
  const { tally } = await found;
  expect([...tally.values()].reduce((sum, { all }) => sum + all, 0)).toBeGreaterThan(0);
});
