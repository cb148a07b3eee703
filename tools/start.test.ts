/** Real processes, as a student starts them. Each costs a good half second, so there are few, and each proves several things. */

import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { courseRoot, languages, loadCourse } from "../shared/course.ts";
import { memoryIo } from "../shared/io.ts";
import { loadDemo } from "../shared/run-lesson.ts";
import { dispatch } from "./dispatch.ts";
import { runGit } from "./git.ts";

const startFile = join(courseRoot, "tools", "start.cjs");
const allowedZh = ["s05: Tool Hook Boundary", "", "[user]", "复读一下 hi", ""].join("\n");

/** This process's environment without what decides about language and colour, and with what the test gives. */
function environment(given: Record<string, string> = {}): NodeJS.ProcessEnv {
  const dropped = [
    "LC_ALL",
    "LC_MESSAGES",
    "LC_CTYPE",
    "LANG",
    "NO_COLOR",
    "FORCE_COLOR",
    "CI",
    "NODE_OPTIONS",
    "VITEST",
    "INIT_CWD",
  ];
  const kept = Object.entries(process.env).filter(([name]) => !dropped.includes(name));
  return { ...Object.fromEntries(kept), ...given };
}

function node(args: string[], given: { env?: Record<string, string>; cwd?: string; input?: string } = {}) {
  const { env, cwd = courseRoot, input = "" } = given;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, input, env: environment(env) });
  return { status, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8"), bytes: stdout };
}

/** The tools, one lesson and the packages in another folder. */
function copyCourse(to: string, lesson: string): void {
  for (const name of ["package.json", "lessons.json", "tools", "shared", lesson])
    cpSync(join(courseRoot, name), join(to, name), { recursive: true });
  symlinkSync(join(courseRoot, "node_modules"), join(to, "node_modules"), "junction");
}

let folder = "";
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "course-start-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

describe("F1-11: the version of Node", () => {
  function startedOn(version: string, file = startFile) {
    const preload = join(folder, "version.cjs");
    writeFileSync(
      preload,
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });\n`,
    );
    return node(["--require", preload, file, "s01"]);
  }

  test.each(["18.20.4", "20.18.3"])("%s gets one line with found, wanted and what to do", (version) => {
    const { status, stdout, stderr } = startedOn(version);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toBe(
      `This course needs Node 20.19 or newer, and this is Node ${version}. Install a newer one from nodejs.org.\n`,
    );
  });

  test("a version from the future is not refused for its number", () => {
    copyFileSync(startFile, join(folder, "start.cjs"));
    expect(startedOn("99.0.0", join(folder, "start.cjs")).stderr).toMatch(
      /^The packages are not installed yet/,
    );
  });

  test.each(["start.cjs", "doctor-before-install.cjs"])("%s needs nothing newer than ES5 but import()", (name) => {
    const source = readFileSync(join(courseRoot, "tools", name), "utf8")
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .replace(/"[^"]*"/g, '""');
    expect(source).not.toMatch(/=>|`|\?\.|\?\?|\b(?:const|let|class|async|await|of)\b|\.\.\./);
  });
});

describe("F1-13: before npm install, and from other folders", () => {
  test("without packages there is one line that says what to run", () => {
    copyFileSync(startFile, join(folder, "start.cjs"));
    const { status, stdout, stderr } = node([join(folder, "start.cjs"), "s01"], { cwd: folder });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      "The packages are not installed yet. Run this first, in any folder of the repository: npm install\n",
    );
  });

  test("doctor says what can be said without packages, on an old Node too", () => {
    const preload = join(folder, "version.cjs");
    writeFileSync(preload, `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } });\n`);
    for (const name of ["start.cjs", "doctor-before-install.cjs"])
      copyFileSync(join(courseRoot, "tools", name), join(folder, name));
    const env = { npm_config_user_agent: "npm/11.19.1 node/v20", LANG: "en_US.UTF-8" };
    const { status, stdout, stderr } = node(["--require", preload, join(folder, "start.cjs"), "doctor"], { cwd: folder, env });
    expect([status, stderr]).toEqual([1, ""]);
    const lines = stdout.split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "WRONG  Node      18.20.4 (the course needs 20.19 or newer)",
      "                 -> install a newer Node from https://nodejs.org",
      "ok     npm       11.19.1",
    ]);
    expect(stdout).toMatch(/\n(ok   |WRONG) {2}git {7}\d|\nWRONG {2}git {7}not found\n/);
    expect(stdout).toMatch(/\nok {5}shell {5}.+\nok {5}language {2}LANG is en_US.UTF-8\n/);
    expect(stdout).toContain("WRONG  packages  not installed yet\n                 -> run in any folder of the repository: npm install\n");
    expect(lines.at(-2)).toMatch(/^[23] things are wrong; the lines with -> say what to do\.$/);
  });

  const npm = findNpm();
  test.skipIf(npm === undefined)("npm run works inside a lesson's folder, and passes bare words on", () => {
    const cwd = join(courseRoot, "s05_tool_hook_boundary");
    const { status, stdout, stderr } = node([npm ?? "", "run", "-s", "s05", "zh"], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.startsWith(allowedZh)).toBe(true);
  });

  test("a wrong word is one line and status 2, not a stack trace", async () => {
    const io = memoryIo();
    expect([await dispatch(["s05", "nonsense"], io), io.out()]).toEqual([2, ""]);
    expect(io.err()).toMatch(/^[^\n]*nonsense[^\n]*blocked[^\n]*\n$/);
  });

  test("a syntax error and a file that is gone are one line and status 2, not a stack trace", () => {
    const { folder: lesson } = loadCourse().lessons[0]!;
    copyCourse(folder, lesson);
    cpSync(join(folder, lesson), join(folder, "my_s01"), { recursive: true });
    writeFileSync(join(folder, "my_s01", "loop.ts"), "export const one = (1;\n");
    rmSync(join(folder, lesson, "loop.ts"));
    const start = join(folder, "tools", "start.cjs");
    expect(node([start, "try", "s01"], { cwd: folder })).toMatchObject({
      status: 2,
      stdout: "",
      stderr: 'my_s01/loop.ts:1:22: Expected ")" but found ";"\n',
    });
    expect(node([start, "s01"], { cwd: folder })).toMatchObject({
      status: 2,
      stdout: "",
      stderr: `${lesson}/loop.ts is not there, and ${lesson}/main.ts imports it. To bring it back: git restore ${lesson}/loop.ts\n`,
    });
  });
});

describe("F1-07: every spelling of a lesson is found", () => {
  test.each([
    "s05",
    "5",
    "S05",
    "s05_tool_hook_boundary",
    "./s05_tool_hook_boundary/",
    ".\\s05_tool_hook_boundary\\",
    "s05_tool_hook_boundary\\",
  ])("%s", async (spelled) => {
    const io = memoryIo();
    expect(await dispatch([spelled], io)).toBe(0);
    expect(io.out().startsWith("s05: ")).toBe(true);
  });

  test("what is none gets one line that lists the lessons", async () => {
    const io = memoryIo();
    expect(await dispatch(["s5x"], io)).toBe(2);
    expect(io.err()).toMatch(/^[^\n]*"s5x"[^\n]*s01, s02[^\n]*\n$/);
  });

  test("no npm script needs a Unix shell", () => {
    const { scripts } = JSON.parse(readFileSync(join(courseRoot, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    for (const script of Object.values(scripts)) expect(script).toMatch(/^node [\w/.-]+( \w+)?$/);
  });
});

describe("F1-08, F1-10: encoding and colour of a pipe", () => {
  test("LC_ALL=C: Chinese leaves as UTF-8; CI and FORCE_COLOR put no escape byte into a pipe, and change no line", async () => {
    const env = { LC_ALL: "C", CI: "true", FORCE_COLOR: "3" };
    const { status, stdout, stderr, bytes } = node([startFile, "s05", "zh"], { env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.startsWith(allowedZh)).toBe(true);
    expect(Buffer.from(stdout, "utf8").equals(bytes)).toBe(true);
    expect(stdout).not.toContain("\u001b");
    const io = memoryIo();
    await dispatch(["s05", "zh"], io);
    expect(stdout).toBe(io.out());
  });

  test("bytes that are no UTF-8, typed into play, become replacement characters", () => {
    const input = Buffer.concat([Buffer.from("say "), Buffer.from([0xc4, 0xe3]), Buffer.from("\nend\n")]);
    const { status, stdout, stderr } = spawnSync(process.execPath, [startFile, "s02", "play", "en"], {
      cwd: courseRoot,
      input,
      env: environment(),
    });
    expect([status, stderr.toString()]).toEqual([0, ""]);
    expect(stdout.toString("utf8")).toContain("text_delta: \uFFFD");
  });

  test("on a terminal NO_COLOR decides, unless it is empty; a colour changes no line", async () => {
    const shown = async (isTTY: boolean, env: Record<string, string>) => {
      const io = memoryIo({ isTTY, env });
      await dispatch(["s05", "blocked", "en"], io);
      return io.out();
    };
    const plain = await shown(false, { CI: "true", FORCE_COLOR: "1" });
    expect(plain).not.toContain("\u001b");
    expect(await shown(true, { NO_COLOR: "1" })).toBe(plain);
    const coloured = await shown(true, { NO_COLOR: "" });
    expect(coloured).toContain("\u001b");
    expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
  });
});

test("a reader that closes the pipe early sees no stack trace", async () => {
  const child = spawn(process.execPath, [startFile, "s05"], {
    cwd: courseRoot,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const status = await new Promise((resolve) => child.on("close", resolve));
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

describe("F1-09, F1-12: a fresh clone on a machine that turns LF into CRLF", () => {
  test("has LF everywhere, shows nothing as modified, and runs", () => {
    const origin = join(folder, "origin");
    const clone = join(folder, "clone");
    const lesson = loadCourse().lessons[0]!;
    mkdirSync(origin);
    for (const name of [".gitattributes", "package.json", "lessons.json", "tools", "shared", lesson.folder]) {
      if (existsSync(join(courseRoot, name)))
        cpSync(join(courseRoot, name), join(origin, name), { recursive: true });
    }
    const git = (cwd: string, ...args: string[]) => {
      const result = runGit(["-c", "user.name=toy", "-c", "user.email=toy@example.org", ...args], {
        cwd,
        plain: true,
      });
      expect(result.status, result.stderr).toBe(0);
      return result.stdout;
    };
    git(origin, "init", "-q");
    git(origin, "add", ".");
    git(origin, "commit", "-qm", "toy");
    git(folder, "clone", "-q", "-c", "core.autocrlf=true", "-c", "core.eol=crlf", origin, clone);

    expect(git(clone, "status", "--porcelain")).toBe("");
    const files = git(clone, "ls-files").trim().split("\n");
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => readFileSync(join(clone, file)).includes("\r\n"))).toEqual([]);

    symlinkSync(join(courseRoot, "node_modules"), join(clone, "node_modules"), "junction");
    const { status, stdout, stderr } = node([join(clone, "tools", "start.cjs"), lesson.id, "en"], {
      cwd: clone,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.startsWith(`${lesson.id}: ${lesson.title.en}\n`)).toBe(true);
  });
});

describe("F1-16: offline, without any key", () => {
  test("every lesson and case runs in both languages with the network shut", async () => {
    const course = loadCourse();
    const { connect } = Socket.prototype;
    const { fetch } = globalThis;
    const opened: string[] = [];
    const refuse = (): never => {
      opened.push("connection");
      throw new Error("the network is shut");
    };
    Socket.prototype.connect = refuse;
    globalThis.fetch = refuse;
    try {
      for (const lesson of course.lessons) {
        for (const [name, { exit = 0 }] of Object.entries((await loadDemo(lesson.folder)).cases)) {
          for (const language of languages) {
            const io = memoryIo({ env: {} });
            expect(
              [await dispatch([lesson.id, name, language], io), io.err()],
              `${lesson.id} ${name} ${language}`,
            ).toEqual([exit, ""]);
          }
        }
      }
    } finally {
      Socket.prototype.connect = connect;
      globalThis.fetch = fetch;
    }
    expect(opened).toEqual([]);
  });

  test("lessons and shared/ import only files, node: modules that reach no network, and picocolors", () => {
    const allowed = /^(\.{1,2}\/|picocolors$|node:(assert|crypto|fs|os|path|readline|timers|url|util)(\/|$))/;
    const folders = [...loadCourse().lessons.map((lesson) => lesson.folder), "shared"];
    const imports = folders.flatMap((each) => {
      const sources = readdirSync(join(courseRoot, each)).filter(
        (name) => name.endsWith(".ts") && !/test(ing)?\.ts$/.test(name),
      );
      return sources.flatMap((name) => {
        const text = readFileSync(join(courseRoot, each, name), "utf8");
        return [...text.matchAll(/(?:^import |^(?:import|export|\}).* from |\bimport\()"([^"]+)"/gm)].map(
          (found) => ({ file: `${each}/${name}`, from: found[1] }),
        );
      });
    });
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.filter(({ from }) => !allowed.test(from ?? ""))).toEqual([]);
  });
});

/** npm as a file that Node can run, on every system: the one that runs us, the one beside this Node, or one on the PATH. */
function findNpm(): string | undefined {
  const bins = [dirname(process.execPath), ...(process.env.PATH ?? "").split(delimiter)];
  const beside = bins.flatMap((bin) => [
    join(bin, "npm"),
    join(bin, "node_modules", "npm", "bin", "npm-cli.js"),
  ]);
  const found = [process.env.npm_execpath ?? "", ...beside]
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file));
  return found.find((file) => basename(file) === "npm-cli.js");
}
