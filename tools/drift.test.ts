import { afterEach, describe, expect, test } from "vitest";
import { drift } from "./drift.ts";
import { report } from "./problems.ts";
import { editLessons, replaceIn, toyCourse, type Files, type ToyCourse, type ToyLesson } from "./toy-course.ts";

let toy: ToyCourse | undefined;
afterEach(() => toy?.remove());

/** The files that have a problem, and the whole report. */
function check(edit: (files: Files) => void) {
  toy = toyCourse(edit);
  const problems = drift(toy.course);
  return { files: problems.map((problem) => problem.file), said: report(problems) };
}

const lessons = (edit: (lessons: ToyLesson[]) => void) => check((files) => editLessons(files, edit));

describe("drift: copies", () => {
  test("a course in step has no problem", () => {
    expect(check(() => {}).said).toBe("");
  });

  test("an early edit is one problem, at the place where it stops", () => {
    const { files, said } = check((all) => replaceIn(all, "s01_one/messages.ts", "What is said", "What was said"));
    expect(files).toEqual(["s02_two/messages.ts"]);
    expect(said).toContain("differs from s01_one/messages.ts");
    expect(said).toContain("npm run carry s01");
    expect(said).toContain("git restore s01_one/messages.ts s02_two/messages.ts");
    expect(said).toContain('"changed" of s02 in lessons.json');
  });

  test("an edit in the middle is a problem on both sides", () => {
    const { files } = check((all) => replaceIn(all, "s02_two/messages.ts", "What is said", "What was said"));
    expect(files).toEqual(["s02_two/messages.ts", "s03_three/messages.ts"]);
  });

  test("a single byte counts", () => {
    expect(check((all) => (all["s03_three/tools.ts"] += " ")).files).toEqual(["s03_three/tools.ts"]);
  });

  test("line endings have their own sentence", () => {
    const { files, said } = check((all) => (all["s03_three/tools.ts"] = all["s03_three/tools.ts"]!.replaceAll("\n", "\r\n")));
    expect(files).toEqual(["s03_three/tools.ts"]);
    expect(said).toContain("only in line endings");
    expect(said).toContain("LF");
  });

  test("a changed file that is the same", () => {
    const { files, said } = check((all) => (all["s02_two/loop.ts"] = all["s01_one/loop.ts"]!));
    expect(files).toEqual(["s02_two/loop.ts"]);
    expect(said).toContain("lists it as changed, and it is the same as in s01");
  });

  test("a code file that no lesson lists", () => {
    const { files, said } = check((all) => (all["s02_two/extra.ts"] = all["s03_three/extra.ts"] = "export {};\n"));
    expect(files).toEqual(["s02_two/extra.ts"]);
    expect(said).toContain('list it under "added" of s02');
  });

  test("a first lesson that does not list a file", () => {
    expect(lessons(([s01]) => s01!.added.pop()).files).toEqual(["s01_one/messages.ts"]);
  });

  test("a file that disappears", () => {
    const { files, said } = check((all) => delete all["s03_three/messages.ts"]);
    expect(files).toEqual(["s03_three/messages.ts"]);
    expect(said).toContain("copy it from s02_two/");
  });

  test.each(["missing.ts", "main.ts", "tools.test.ts", "README.md"])("a listed file that is no code file of the lesson: %s", (name) => {
    const { files, said } = lessons(([, s02]) => s02!.added.push(name));
    expect(files).toEqual([`s02_two/${name}`]);
    expect(said).toContain("has no such code file");
  });

  test("added, and there before", () => {
    const { files, said } = lessons(([, s02]) => s02!.added.push("messages.ts"));
    expect(files).toEqual(["s02_two/messages.ts"]);
    expect(said).toContain("s01 has it already");
  });

  test("changed, and new", () => {
    const { files, said } = lessons(([, s02]) => {
      s02!.added = [];
      s02!.changed.push("tools.ts");
    });
    expect(files).toEqual(["s02_two/tools.ts"]);
    expect(said).toContain("and it is new");
  });

  test("added and changed at once", () => {
    expect(lessons(([, s02]) => s02!.changed.push("tools.ts")).said).toContain("as added and as changed");
  });

  test("tests, demos and texts may differ", () => {
    const { said } = check((all) => {
      for (const name of ["main.ts", "loop.test.ts", "README.md"]) all[`s02_two/${name}`] += "\n// more\n";
      all["s02_two/notes.txt"] = "free\n";
    });
    expect(said).toBe("");
  });
});

describe("drift: lists", () => {
  test("F1-01 a folder without an entry", () => {
    const { files, said } = check((all) => (all["s04_four/main.ts"] = "\n"));
    expect(files).toEqual(["s04_four/"]);
    expect(said).toContain("no entry in lessons.json");
  });

  test("folders that are no lessons are left alone", () => {
    const { said } = check((all) => {
      all["shared/io.ts"] = "\n";
      all["my_s01/main.ts"] = "\n";
    });
    expect(said).toBe("");
  });

  test("F1-01 an entry without a folder is one problem", () => {
    const { files, said } = check((all) => {
      for (const path of Object.keys(all)) if (path.startsWith("s03_three/")) delete all[path];
    });
    expect(files).toEqual(["s03_three/"]);
    expect(said).toContain("lessons.json lists s03");
  });

  test("a lesson without a demo", () => {
    expect(check((all) => delete all["s02_two/main.ts"]).files).toEqual(["s02_two/main.ts"]);
  });

  test.each([
    ["missing", '"s02": "node tools/start.cjs s02",', "", "there is no script for s02"],
    ["wrong", "start.cjs s02", "start.cjs s03", "the script s02 starts something else"],
    ["of no lesson", '"s01":', '"s09": "x", "s01":', "the script s09 belongs to no lesson"],
  ])("a script that is %s", (_what, from, to, message) => {
    const { files, said } = check((all) => replaceIn(all, "package.json", from, to));
    expect(files).toEqual(["package.json"]);
    expect(said).toContain(message);
  });

  test("an id out of order and a folder of another name", () => {
    const said = lessons(([, s02]) => (s02!.id = "s07")).said;
    expect(said).toContain("lesson 2 is called s07");
    expect(said).toContain("name the folder s07_");
  });
});

describe("drift: a lesson stands alone", () => {
  test.each([
    ["another lesson", 'import { runLoop } from "../s01_one/loop.ts";'],
    ["another lesson, without names", 'import "../s01_one/loop.ts";'],
    ["another lesson, on several lines", 'import {\n  runLoop,\n} from "../s01_one/loop.ts";'],
    ["another lesson, handed on", 'export { runLoop } from "../s01_one/loop.ts";'],
    ["another lesson, later", 'await import("../s01_one/loop.ts");'],
    ["the tools", 'import type { Side } from "../tools/compare.ts";'],
    ["a package", 'import pc from "picocolors";'],
    ["vitest outside of a test", 'import { test } from "vitest";'],
  ])("it imports %s", (_what, line) => {
    const { files, said } = check((all) => (all["s03_three/main.ts"] = `${line}\n${all["s03_three/main.ts"]}`));
    expect(files).toEqual(["s03_three/main.ts"]);
    expect(said).toContain(`imports "${/["']([^"']+)["']/.exec(line)![1]}"`);
  });

  test("its own files, shared/, node: and, in a test, vitest are fine; so is a comment", () => {
    const lines = 'import { join } from "node:path";\nimport { a } from "../shared/io.ts";\n// import { b } from "../s01_one/loop.ts";\n';
    expect(check((all) => (all["s03_three/main.ts"] = lines + all["s03_three/main.ts"])).said).toBe("");
  });

  test.each(["lib/loop.ts", "util.js", "loop.mts", "data.json"])("it holds %s, which no check looks at", (name) => {
    const { files, said } = check((all) => (all[`s02_two/${name}`] = "1\n"));
    expect(files).toEqual([name.includes("/") ? "s02_two/lib/" : `s02_two/${name}`]);
    expect(said).toContain("no check looks at this");
  });
});
