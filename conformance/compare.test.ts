/** Every scenario on every lesson that can play, against both versions: nothing differs that is not declared, nothing declared is gone. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findLesson, loadCourse } from "../shared/course.ts";
import { changesText, judge, weigh, type Change } from "./compare.ts";
import { differences, reasons, type Reason } from "./differences.ts";
import { lessonsThatPlay, loadLesson } from "./lessons/load.ts";
import { loadPi, versions } from "./pi/load.ts";
import { scenarios } from "./scenarios.ts";

const pis = await Promise.all(versions.map(loadPi));

describe.each(lessonsThatPlay())("%s", async (id) => {
  const lesson = await loadLesson(id);
  describe.each(pis)("against Pi $version", (pi) => {
    test.each(scenarios)("$name", async (scenario) => {
      const verdict = await judge(lesson, pi, scenario);
      expect(verdict.result === "failed" ? verdict.problem : "").toBe("");
    });
  });
});

describe("a verdict", () => {
  const changed: Change[] = [{ aspect: "kept", lesson: ["a"], pi: ["b"] }];
  const declared = { scenario: "x", why: ["asks again"], in: ["kept"] } as const;

  test("nothing differs, nothing declared: the same", () => {
    expect(weigh([], undefined)).toEqual({ result: "same" });
  });

  test("what is declared is a declared difference", () => {
    expect(weigh(changed, declared)).toEqual({ result: "declared", declared, changed });
  });

  test.each([
    { why: "nobody declared it", found: changed, said: undefined, problem: /differs in kept/ },
    { why: "what is declared is gone", found: [], said: declared, problem: /take it out/ },
    { why: "it differs in something else", found: [{ ...changed[0]!, aspect: "order" as const }], said: declared, problem: /differs in order/ },
  ])("fails when $why", ({ found, said, problem }) => {
    const verdict = weigh(found, said);
    expect(verdict.result === "failed" ? verdict.problem : "").toMatch(problem);
  });

  test("a failure shows both sides", () => {
    expect(changesText(changed)).toBe("  kept, lesson: a\n  kept, Pi:     b");
  });
});

describe("differences.ts", () => {
  test("names scenarios that exist", () => {
    const names = scenarios.map(({ name }) => name);
    expect(differences.map(({ scenario }) => scenario).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("uses every reason", () => {
    const used = new Set(differences.flatMap(({ why }) => why));
    expect(Object.keys(reasons).filter((reason) => !used.has(reason as keyof typeof reasons))).toEqual([]);
  });

  const course = loadCourse();
  const rows = JSON.parse(readFileSync(join(course.root, "tools", "docs", "failures.json"), "utf8")) as { id: string; lesson: string }[];
  test.each(Object.entries<Reason>(reasons))("%s stands in a README, and in the table of failures where it names a row", (_name, reason) => {
    const { folder } = findLesson(course, reason.lesson);
    const text = readFileSync(join(course.root, folder, "README.md"), "utf8").replaceAll("\r\n", "\n");
    expect(text).toContain(`\n## ${reason.section}\n`);
    if (reason.row !== undefined) expect(rows).toContainEqual(expect.objectContaining({ id: reason.row, lesson: reason.lesson }));
  });
});
