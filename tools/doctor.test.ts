import { describe, expect, test } from "vitest";
import { courseRoot } from "../shared/course.ts";
import { memoryIo } from "../shared/io.ts";
import { judge, lessonsOf, packagesOf, run, tell, type Machine } from "./doctor.ts";
import { toyCourse } from "./toy-course.ts";

const healthy: Machine = {
  node: "20.20.2",
  platform: "linux",
  system: "linux 6.1 x64",
  env: {
    LANG: "en_US.UTF-8",
    SHELL: "/bin/bash",
    npm_config_user_agent: "npm/11.19.1 node/v20.20.2 linux x64",
  },
  systemLocale: "en-US",
  codePage: undefined,
  stdoutIsTTY: true,
  color: true,
  git: "git version 2.39.5",
  isCheckout: true,
  packages: [{ name: "tsx", wanted: "4.0.0", installed: "4.0.0" }],
  lesson: { status: 0, stdout: "s01: Basic Loop\n", stderr: "" },
  lessons: [{ folder: "s01_one" }, { folder: "s02_two" }],
};

function told(changes: Partial<Machine> = {}) {
  const io = memoryIo();
  const status = tell(judge({ ...healthy, ...changes }), io);
  const lines = io.out().split("\n");
  /** The line about one thing, and the advice below it. */
  const about = (what: string) => {
    const at = lines.findIndex((line) => line.slice(7).startsWith(`${what} `));
    return {
      line: lines[at] ?? "",
      advice: lines[at + 1]?.trimStart().startsWith("-> ") ? lines[at + 1]!.trim() : "",
    };
  };
  return { status, out: io.out(), about };
}

test("F1-12: a healthy machine, line by line", () => {
  const { status, out } = told();
  expect(status).toBe(0);
  expect(out).toBe(
    [
      "ok     Node      20.20.2 (the course needs 20.19 or newer)",
      "ok     npm       11.19.1",
      "ok     system    linux 6.1 x64",
      "ok     shell     /bin/bash",
      "ok     locale    en_US.UTF-8",
      "ok     language  en, because LANG is en_US.UTF-8; the words en and zh choose another",
      "ok     terminal  yes, in colour (NO_COLOR=1 switches it off)",
      "ok     git       2.39.5",
      "ok     packages  1 of 1 as package-lock.json wants them",
      "ok     s01       runs",
      "ok     lessons   2 of 2 load",
      "",
      "Nothing is wrong.",
      "",
    ].join("\n"),
  );
});

describe("F1-11: Node", () => {
  test.each(["18.20.0", "20.18.3"])("%s is too old", (node) => {
    const { status, about, out } = told({ node });
    expect(status).toBe(1);
    expect(about("Node").line).toMatch(/^WRONG/);
    expect(about("Node").advice).toContain("nodejs.org");
    expect(out).toContain("1 thing is wrong");
  });

  test.each(["20.19.0", "22.12.0", "24.0.0", "26.10.0", "31.0.0"])("%s is fine", (node) => {
    expect(told({ node }).about("Node").advice).toBe("");
  });

  test.each(["21.7.3", "22.11.0", "23.0.0"])("%s runs the lessons, and perhaps not the tests", (node) => {
    const { status, about } = told({ node });
    expect(status).toBe(0);
    expect(about("Node").advice).toContain("npm test is made for");
  });
});

describe("what is wrong, and what to do", () => {
  test.each<[string, Partial<Machine>, string, string]>([
    ["git is missing", { git: undefined, isCheckout: false }, "git", "git-scm.com"],
    [
      "a package is missing",
      { packages: [{ name: "tsx", wanted: "4.0.0", installed: undefined }] },
      "packages",
      "npm install",
    ],
    [
      "a package is another one",
      { packages: [{ name: "tsx", wanted: "4.0.0", installed: "4.1.0" }] },
      "packages",
      "npm install",
    ],
    [
      "the lesson fails",
      { lesson: { status: 1, stdout: "", stderr: "at x\nSyntaxError: no\n" } },
      "s01",
      "git restore",
    ],
    [
      "the lesson prints something else",
      { lesson: { status: 0, stdout: "", stderr: "" } },
      "s01",
      "git restore",
    ],
    [
      "another lesson does not load",
      { lessons: [{ folder: "s01_one" }, { folder: "s02_two", fault: "s02_two is not there" }] },
      "lessons",
      "git restore s02_two",
    ],
  ])("%s", (_, changes, what, advice) => {
    const { status, about } = told(changes);
    expect(status).toBe(1);
    expect(about(what).line).toMatch(/^WRONG/);
    expect(about(what).advice).toContain(advice);
  });

  test("the error of a lesson is named in one line", () => {
    const lesson = {
      status: 1,
      stdout: "",
      stderr: "file.ts:3\nSyntaxError: Unexpected token\n    at x\n\nNode.js v20\n",
    };
    expect(told({ lesson }).about("s01").line).toContain("SyntaxError: Unexpected token");
  });
});

describe("what is only worth a note", () => {
  test.each<[string, Partial<Machine>, string, string]>([
    ["F1-08 a C locale", { env: { LC_ALL: "C" } }, "locale", "C.UTF-8"],
    ["F1-08 code page 936", { platform: "win32", codePage: "936" }, "code page", "chcp 65001"],
    ["no checkout", { isCheckout: false }, "git", "no git checkout"],
    [
      "another package manager",
      { env: { npm_config_user_agent: "pnpm/9.0.0 node/v20" } },
      "npm",
      "npm install",
    ],
  ])("%s", (_, changes, what, advice) => {
    const { status, about } = told(changes);
    expect(status).toBe(0);
    expect(about(what).line).toMatch(/^ok/);
    expect(about(what).advice).toContain(advice);
  });

  test("code page 65001 needs none", () => {
    expect(told({ platform: "win32", codePage: "65001" }).about("code page").advice).toBe("");
  });

  test("the language, with its reason", () => {
    expect(told({ env: { LC_ALL: "zh_CN.UTF-8", LANG: "en_US.UTF-8" } }).about("language").line).toContain(
      "zh, because LC_ALL is zh_CN.UTF-8",
    );
    expect(told({ env: {}, systemLocale: "zh-Hans-CN" }).about("language").line).toContain(
      "zh, because the system's locale is zh-Hans-CN",
    );
  });

  test("colour, with its reason", () => {
    expect(told({ stdoutIsTTY: false, color: false }).about("terminal").line).toContain(
      "no, the output goes to a pipe",
    );
    expect(told({ color: false, env: { NO_COLOR: "1" } }).about("terminal").line).toContain(
      "because NO_COLOR is 1",
    );
    expect(told({ color: false, env: { TERM: "dumb" } }).about("terminal").line).toContain(
      "because TERM is dumb",
    );
  });
});

test("packages are read from the lock file and from node_modules", () => {
  expect(packagesOf(courseRoot).find(({ name }) => name === "picocolors")).toEqual({
    name: "picocolors",
    wanted: "1.1.1",
    installed: "1.1.1",
  });
  const lock = JSON.stringify({
    packages: { "": { devDependencies: { tsx: "4" } }, "node_modules/tsx": { version: "4.0.0" } },
  });
  const toy = toyCourse((files) => void (files["package-lock.json"] = lock));
  expect(packagesOf(toy.root)).toEqual([{ name: "tsx", wanted: "4.0.0", installed: undefined }]);
  toy.remove();
});

test("every lesson of lessons.json is looked at", async () => {
  const toy = toyCourse((files) => {
    for (const path of Object.keys(files)) if (path.startsWith("s02_two/")) delete files[path];
    files["s01_one/main.ts"] = "export default {};";
    files["s03_three/main.ts"] = "throw new Error('not today');";
  });
  try {
    expect(await lessonsOf(toy.course)).toEqual([
      { folder: "s01_one" },
      { folder: "s02_two", fault: "s02_two is not there. To bring it back: git restore s02_two" },
      { folder: "s03_three", fault: "not today" },
    ]);
  } finally {
    toy.remove();
  }
});

test("on this machine it starts a lesson and sees that it runs; a word is one line", async () => {
  const io = memoryIo({ env: process.env });
  await run([], io);
  expect(io.out()).toContain("s01       runs\n");
  expect(io.out()).toMatch(/\n(ok   |WRONG) {2}lessons /);
  await expect(run(["now"], memoryIo())).rejects.toThrow(/^npm run doctor takes nothing, not "now"$/);
});
