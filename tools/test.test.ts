import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { courseRoot } from "../shared/course.ts";
import { memoryIo, UsageError } from "../shared/io.ts";
import { runGit } from "./git.ts";
import { everything, partsFor, runTests, vitest, vitestArguments, type Part, type Result, type RunPart } from "./test.ts";
import { toyCourse, type ToyCourse } from "./toy-course.ts";

let toy: ToyCourse;
beforeEach(() => {
  toy = toyCourse((files) => {
    files["my_s02/loop.test.ts"] = files["s02_two/loop.test.ts"]!;
    files["tools/own.test.ts"] = "";
    files["tools/own.check.ts"] = "";
    files["docs/page.md"] = "";
    files["tools/docs/own.test.ts"] = "";
  });
});
afterEach(() => toy.remove());

describe("which tests the words ask for", () => {
  const parts = (...words: string[]) => partsFor(toy.course, words, join(toy.root, "s03_three"));
  const tests = (...filters: string[]): Part[] => [{ project: "tests", filters }];

  test("nothing means both parts", () => expect(parts()).toEqual(everything));

  test.each(["s02", "2", "S02", "s02_two", "s02_two/", "./s02_two", ".\\s02_two\\", "../s02_two/"])(
    "F1-07: %s is one lesson, and no checks",
    (word) => expect(parts(word)).toEqual(tests("s02_two/")),
  );

  test("every core takes part, and the student's own copies do not", () => {
    const [, ...args] = vitestArguments(toy.course, { project: "tests", filters: [] });
    expect(args).toContain("--maxWorkers=100%");
    expect(args.filter((arg) => arg.endsWith("/"))).toEqual(["s01_one/", "s02_two/", "s03_three/", "shared/", "tools/"]);
  });

  test("a copy of one's own", () => expect(parts("my_s02")).toEqual(tests("my_s02/")));

  test("files, as seen from here or from the root, and several words", () => {
    expect(parts("hooks.ts", "tools\\own.test.ts", "s01")).toEqual(
      tests("s03_three/hooks.ts", "tools/own.test.ts", "s01_one/"),
    );
  });

  test("a check that is named runs as a check", () => {
    expect(parts("tools/own.check.ts")).toEqual([{ project: "checks", filters: ["tools/own.check.ts"] }]);
  });

  test.each(["s02", "s02_two/"])("%s, when its folder is gone, is one line that says how it comes back", (word) => {
    rmSync(join(toy.root, "s02_two"), { recursive: true });
    expect(() => parts(word)).toThrow(new UsageError("s02_two is not there. To bring it back: git restore s02_two"));
  });

  test.each([
    [
      "s9",
      'unknown lesson or file "s9"; npm test takes lessons (s01, s02, s03), a copy such as my_s03, or test files; nothing means all',
    ],
    ["--watch", "--watch is not understood"],
    ["my_s03", "there is no my_s03 yet; make it first: npm run try s03"],
    ["..", "holds no tests of this course"],
    [tmpdir(), "holds no tests of this course"],
    ["docs", "holds no tests of this course"],
  ])("%s is one line", (word, message) => {
    expect(() => parts(word)).toThrow(UsageError);
    expect(() => parts(word)).toThrow(message);
  });
});

describe("what the parts come to", () => {
  const passing: Result = { passed: 3, failed: 0, ok: true };
  const of =
    (results: Partial<Record<Part["project"], Result>>): RunPart =>
    async (_, { project }) =>
      results[project] ?? passing;
  const ran = async (runPart: RunPart, parts = everything) => {
    const io = memoryIo();
    return {
      status: await runTests(toy.course, parts, io, runPart),
      lines: io.out().trimEnd().split("\n"),
      out: io.out(),
    };
  };

  test("all passed: status 0, and the last line alone is the sum", async () => {
    const { status, lines } = await ran(of({}));
    expect(status).toBe(0);
    expect(lines.at(-1)).toBe("6 passed, 0 failed");
    expect(lines.filter((line) => line.startsWith("== "))).toHaveLength(2);
  });

  test("failed tests: the checks still run", async () => {
    const { status, lines, out } = await ran(of({ tests: { passed: 2, failed: 1, ok: false } }));
    expect(status).toBe(1);
    expect(lines.at(-1)).toBe("5 passed, 1 failed");
    expect(out).not.toContain("git restore");
  });

  test("failed checks: the command that puts the files back", async () => {
    const { status, lines, out } = await ran(of({ checks: { passed: 2, failed: 1, ok: false } }));
    expect(status).toBe(1);
    expect(lines.at(-1)).toBe("5 passed, 1 failed");
    expect(out).toContain("To put a lesson's files back as they were: git restore s03_three\n");
  });

  test("failed checks in a checkout: the lessons and pages that were really changed", async () => {
    const git = (...args: string[]) => expect(runGit(args, { cwd: toy.root, plain: true }).status).toBe(0);
    const hint = async () => (await ran(of({ checks: { passed: 2, failed: 1, ok: false } }))).lines.at(-3);
    toy.write({ "README.md": "toy\n" });
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=toy", "-c", "user.email=toy@example.org", "commit", "-qm", "toy");
    toy.write({ "s01_one/new.ts": "// not known to git\n" });
    expect(await hint()).toBe("Git sees no changed file in the lessons; git status also shows new ones.");

    toy.write({ "s01_one/loop.ts": "// mine\n", "s02_two/README.md": "mine\n" });
    expect(await hint()).toBe("To put the changed lessons back as they were: git restore s01_one s02_two");
    toy.write({ "README.md": "mine\n" });
    git("add", "s01_one/loop.ts");
    const command = "git restore --staged --worktree s01_one s02_two README.md";
    expect(await hint()).toBe(`To put the changed lessons back as they were: ${command}`);
    git(...command.split(" ").slice(1));
    expect(await hint()).toContain("no changed file");
  });

  test("failed tests in a checkout: the command that puts the changed ones among the tested lessons back", async () => {
    const git = (...args: string[]) => expect(runGit(args, { cwd: toy.root, plain: true }).status).toBe(0);
    const failing = of({ tests: { passed: 2, failed: 1, ok: false } });
    const restores = async (words: string[], runPart = failing) =>
      (await ran(runPart, partsFor(toy.course, words, toy.root))).lines.filter((line) => line.includes("git restore"));
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=toy", "-c", "user.email=toy@example.org", "commit", "-qm", "toy");
    expect(await restores(["s01"])).toEqual([]);

    toy.write({ "s01_one/loop.ts": "// mine\n", "s02_two/tools.ts": undefined, "README.md": "mine\n" });
    const line = "To put the changed lessons back as they were: git restore";
    expect(await restores(["s01"])).toEqual([`${line} s01_one`]);
    expect(await restores(["s02_two/loop.test.ts"])).toEqual([`${line} s02_two`]);
    expect(await restores(["s03", "my_s02"])).toEqual([]);
    expect(await restores([])).toEqual([`${line} s01_one s02_two`]);
    expect(await restores(["s01"], of({}))).toEqual([]);
    const both = of({ tests: { passed: 2, failed: 1, ok: false }, checks: { passed: 2, failed: 1, ok: false } });
    expect(await restores([], both)).toHaveLength(1);
  });

  test("F1-15: a part in which nothing ran has failed", async () => {
    const { status, lines, out } = await ran(of({ checks: { passed: 0, failed: 0, ok: false } }));
    expect(status).toBe(1);
    expect(out).toContain("No test was run, and that is a failure");
    expect(lines.at(-1)).toBe("3 passed, 0 failed");
  });
});

describe("vitest itself", () => {
  let folder = "";
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "course-vitest-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  test("F1-15: figures come from the run; a file that does not load counts, skipped tests do not, zero tests fail", async () => {
    const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
    for (const each of ["s01_a", "my_s01", "tools"]) mkdirSync(join(folder, each));
    symlinkSync(join(courseRoot, "node_modules"), join(folder, "node_modules"), "junction");
    write("package.json", '{ "type": "module" }\n');
    write("vitest.config.ts", readFileSync(join(courseRoot, "vitest.config.ts"), "utf8"));
    write("tools/count-reporter.ts", readFileSync(join(courseRoot, "tools", "count-reporter.ts"), "utf8"));
    write("my_s01/own.test.ts", 'import "./not-yet-written.ts";\n');
    write(
      "s01_a/a.test.ts",
      'import { test } from "vitest";\ntest("a", () => {});\ntest.skip("b", () => {});\n',
    );
    const course = { root: folder, lessons: [{ ...toy.course.lessons[0]!, folder: "s01_a" }] };
    const result = (part: Part) =>
      vitest(course, part, memoryIo({ env: { ...process.env, NO_COLOR: "1" } }), "ignore");

    const parts: Part[] = [
      { project: "tests", filters: [] },
      { project: "tests", filters: ["my_s01/"] },
      { project: "checks", filters: [] },
    ];
    expect(await Promise.all(parts.map(result))).toEqual([
      { passed: 1, failed: 0, ok: true },
      { passed: 0, failed: 1, ok: false },
      { passed: 0, failed: 0, ok: false },
    ]);
  });
});
