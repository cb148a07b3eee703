import { afterEach, describe, expect, test } from "vitest";
import { UsageError } from "../shared/io.ts";
import { hasGit } from "./git.ts";
import { growth, growthProblems, growthTable, type Growth } from "./growth.ts";
import { editLessons, toyCourse, type Files, type ToyCourse } from "./toy-course.ts";

let toy: ToyCourse | undefined;
afterEach(() => toy?.remove());

/** Three lessons with one code file each, given as its lines; `more` are further files. */
function course(lines: readonly (readonly string[])[], more: Files = {}) {
  toy = toyCourse((files) => {
    const folders = ["s01_one", "s02_two", "s03_three"];
    for (const path of Object.keys(files)) if (/^s\d/.test(path)) delete files[path];
    lines.forEach((each, at) => (files[`${folders[at]}/loop.ts`] = each.map((line) => `${line}\n`).join("")));
    Object.assign(files, more);
  });
  return toy.course;
}

const numbered = (count: number, word = "line") => Array.from({ length: count }, (_, at) => `${word} ${at}`);

test("a missing git is said, with what to install", () => {
  toy = toyCourse();
  expect(() => growth(toy!.course, "no-such-git")).toThrow(UsageError);
  expect(() => growth(toy!.course, "no-such-git")).toThrow(/no-such-git was not found.*install it from/);
});

describe.skipIf(!hasGit())("growth", () => {
  test("counts new files, old files, deletions and the whole", () => {
    const measured = growth(
      course([["a", "b", "c"], ["a", "B", "c", "d"], ["a", "B", "c", "d"]], {
        "s02_two/tools.ts": "one\ntwo\n",
        "s03_three/tools.ts": "one\ntwo\n",
      }),
    );
    expect(measured.rows).toEqual([
      { id: "s02", added: 4, deleted: 1, inNew: 2, inOld: 3, core: 6, loop: { added: 2, deleted: 1 } },
      { id: "s03", added: 0, deleted: 0, inNew: 0, inOld: 0, core: 6, loop: { added: 0, deleted: 0 } },
    ]);
    expect(measured.median).toEqual({ lines: 2.5, inOld: 1.5 });
    expect(measured.largest).toEqual({ lines: 5, inOld: 3 });
    expect(measured.deletedShare).toBeCloseTo(0.2);
  });

  test("demos, tests and texts do not count", () => {
    const measured = growth(
      course([["a"], ["a"]], { "s02_two/main.ts": "x\n", "s02_two/loop.test.ts": "x\n", "s02_two/README.md": "x\n" }),
    );
    expect(measured.rows.map((row) => row.added + row.core)).toEqual([1]);
  });

  test("a file that moved is not free", () => {
    const lines = numbered(10).join("\n");
    const measured = growth(course([["a"], ["a"]], { "s01_one/old.ts": lines, "s02_two/new.ts": lines }));
    expect(measured.rows[0]).toMatchObject({ added: 10, deleted: 10, inNew: 10, inOld: 10 });
  });

  test("line endings are no change", () => {
    const measured = growth(course([["a", "b"]], { "s02_two/loop.ts": "a\r\nb\r\n" }));
    expect(measured.rows[0]).toMatchObject({ added: 0, deleted: 0, core: 2 });
  });

  test("the toy course keeps the limits, and a course of one lesson has no figures", () => {
    toy = toyCourse();
    toy.course.lessons.length = 1;
    expect(growth(toy.course)).toMatchObject({ rows: [], median: { lines: 0 }, deletedShare: 0 });
    expect(growthProblems(toy.course)).toEqual([]);
  });

  test("80 lines in old files pass, 81 need a reason", () => {
    const at80 = course([numbered(900), [...numbered(900), ...numbered(80, "new")]]);
    expect(growthProblems(at80)).toEqual([]);
    toy?.remove();
    const at81 = course([numbered(900), [...numbered(900), ...numbered(81, "new")]]);
    const [problem, ...others] = growthProblems(at81);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ file: "s02_two/", message: expect.stringContaining("81 lines in old files") });
    expect(problem?.remedy).toContain('"why" for s02 in lessons.json');
  });

  test("81 lines in a new file need none", () => {
    expect(growthProblems(course([["a"], ["a"]], { "s02_two/new.ts": numbered(81).join("\n") }))).toEqual([]);
  });

  test("a reason is enough", () => {
    const files = { "s02_two/loop.ts": numbered(81).map((line) => `${line}\n`).join("") };
    toy = toyCourse((all) => {
      for (const path of Object.keys(all)) if (/^s\d/.test(path)) delete all[path];
      Object.assign(all, { "s01_one/loop.ts": "", ...files });
      editLessons(all, ([, s02]) => (s02!.why = { en: "because", zh: "因为" }));
    });
    expect(growthProblems(toy.course)).toEqual([]);
  });

  test("12 % deleted pass, more do not", () => {
    const share = (deletedShare: number): Growth => ({ ...growth(toy!.course), deletedShare });
    toy = toyCourse();
    expect(growthProblems(toy.course, share(0.12))).toEqual([]);
    const [problem] = growthProblems(toy.course, share(0.121));
    expect(problem).toMatchObject({ file: "lessons.json", message: expect.stringContaining("12.1 %") });
    expect(problem?.remedy).toContain("npm run diff stats");
  });

  test("the table has a line per lesson and names the targets", () => {
    const lines = growthTable(growth(course([["a", "b"], ["a", "c"]]))).split("\n");
    expect(lines[0]).toMatch(/^lesson +new files +old files/);
    expect(lines[1]).toMatch(/^s02 +0 +2 +2 +1 +1 +2 +\+1 -1$/);
    expect(lines.join("\n")).toContain("deleted    50.0 % of all changed lines (target: at most 8.0 %, limit 12.0 %)");
  });
});
