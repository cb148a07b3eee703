/** What must hold in every case of every lesson. A new lesson joins by being in lessons.json. */

import { describe, expect, test } from "vitest";
import { languages, loadCourse } from "../shared/course.ts";
import { memoryIo } from "../shared/io.ts";
import { loadDemo, runCase, runDemo } from "../shared/run-lesson.ts";

const demos = await Promise.all(
  loadCourse().lessons.map(async (lesson) => ({ lesson, demo: await loadDemo(lesson.folder) })),
);
const all = demos.flatMap(({ lesson, demo }) =>
  Object.keys(demo.cases).flatMap((caseName) => languages.map((language) => ({ lesson, demo, caseName, language }))),
);

test.each(demos)("$lesson.id: the demo knows its own lesson, and has two cases or more, five at most", ({ lesson, demo }) => {
  expect(demo.lesson).toBe(lesson.id);
  expect(Object.keys(demo.cases).length).toBeGreaterThanOrEqual(2);
  expect(Object.keys(demo.cases).length).toBeLessThanOrEqual(5);
});

describe.each(all)("$lesson.id $caseName $language", ({ demo, caseName, language }) => {
  const silent = { log: () => {} };
  const promised = demo.cases[caseName]!.outcome;

  test("ends as it says, with every request accepted and every answer used", async () => {
    const { ended, provider } = await runCase(demo, { caseName, language }, silent);
    expect(ended.outcome).toBe(promised);
    expect(provider.refusals).toEqual([]);
    expect(provider.left).toBe(0);
    expect(provider.openStreams).toBe(0);
  });

  test("leaves exactly one result for every call", async () => {
    const { ended } = await runCase(demo, { caseName, language }, silent);
    const calls = ended.messages.flatMap((message) => (message.toolCalls ?? []).map((call) => call.id));
    const results = ended.messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
    expect(results.sort()).toEqual(calls.sort());
    expect(new Set(calls).size).toBe(calls.length);
  });

  test("prints the same bytes twice, without colour, and exits as a demo should", async () => {
    const once = memoryIo();
    const again = memoryIo({ env: { CI: "true", FORCE_COLOR: "1" } });
    const status = await runDemo(demo, [caseName, language], once);
    expect(await runDemo(demo, [caseName, language], again)).toBe(status);
    expect(once.out()).toBe(again.out());
    expect(once.out()).not.toMatch(/\u001b|undefined|\[object/);
    expect(once.out()).not.toMatch(/[ \t]$/m);
    expect(once.err()).toBe("");
    expect(status).toBe(demo.cases[caseName]!.exit ?? 0);
  });
});
