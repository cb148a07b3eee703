/** `npm run doctor`: what this machine looks like to the course, what is wrong with it, and what to do. */

import { existsSync, readFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { loadCourse, type Course } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { detectLanguage } from "../shared/language.ts";
import { loadDemo } from "../shared/run-lesson.ts";
import { oneLine, wantsColor } from "../shared/trace.ts";
import { childEnvironment, runNode } from "./child.ts";
import { runGit } from "./git.ts";

/** Everything that is looked at. A test writes its own. */
export type Machine = {
  node: string;
  platform: NodeJS.Platform;
  system: string;
  env: Io["env"];
  systemLocale: string;
  /** The number that Windows gives; undefined elsewhere. */
  codePage: string | undefined;
  stdoutIsTTY: boolean;
  color: boolean;
  /** What `git --version` says, or undefined when there is no git. */
  git: string | undefined;
  isCheckout: boolean;
  /** Direct packages: the version that package-lock.json wants and the one that is installed. */
  packages: { name: string; wanted: string; installed: string | undefined }[];
  /** What came of starting the first lesson as npm does. */
  lesson: { status: number; stdout: string; stderr: string };
  /** What came of loading each lesson of lessons.json: nothing, or one line about why it does not load. */
  lessons: { folder: string; fault?: string }[];
};

/** One line of the report. `wrong` makes the status 1; a `note` only explains. Both say what to do. */
export type Finding = { what: string; found: string; wrong?: string; note?: string };

export async function run(args: readonly string[], io: Io): Promise<number> {
  if (args.length > 0) throw new UsageError(`npm run doctor takes nothing, not "${oneLine(args.join(" "))}"`);
  return tell(judge(await look(loadCourse(), io)), io);
}

/** Prints the findings and the verdict. */
export function tell(findings: readonly Finding[], io: Io): number {
  const width = Math.max(...findings.map(({ what }) => what.length)) + 2;
  for (const { what, found, wrong, note } of findings) {
    io.stdout.write(`${wrong ? "WRONG" : "ok   "}  ${what.padEnd(width)}${oneLine(found)}\n`);
    for (const line of [wrong, note])
      if (line) io.stdout.write(`       ${"".padEnd(width)}-> ${oneLine(line)}\n`);
  }
  const wrong = findings.filter((finding) => finding.wrong).length;
  io.stdout.write(
    wrong === 0
      ? "\nNothing is wrong.\n"
      : `\n${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong; the lines with -> say what to do.\n`,
  );
  return wrong === 0 ? 0 : 1;
}

/** What the facts mean. Asks nothing of the machine it runs on. */
export function judge(machine: Machine): Finding[] {
  return [
    nodeFinding(machine),
    npmFinding(machine),
    { what: "system", found: machine.system },
    { what: "shell", found: shellOf(machine) },
    encodingFinding(machine),
    languageFinding(machine),
    terminalFinding(machine),
    gitFinding(machine),
    packagesFinding(machine),
    lessonFinding(machine),
    loadFinding(machine),
  ];
}

function nodeFinding({ node }: Machine): Finding {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const base = { what: "Node", found: `${node} (the course needs 20.19 or newer)` };
  if (major < 20 || (major === 20 && minor < 19))
    return { ...base, wrong: "install a newer Node from https://nodejs.org" };
  const testsStart = major === 20 || (major === 22 && minor >= 12) || major >= 24;
  if (testsStart) return base;
  return { ...base, note: "the lessons run; npm test is made for Node 20, 22.12 or newer, and 24 or newer" };
}

function npmFinding({ env }: Machine): Finding {
  const agent = env.npm_config_user_agent;
  if (!agent) return { what: "npm", found: "not started by npm" };
  const [name = "", version = ""] = agent.split(" ")[0]?.split("/") ?? [];
  if (name === "npm") return { what: "npm", found: version };
  return {
    what: "npm",
    found: `${name} ${version}`,
    note: "the lock file is npm's: npm install gives the versions the course was tried with",
  };
}

function shellOf({ platform, env }: Machine): string {
  if (platform !== "win32") return env.SHELL ?? "unknown";
  return `${env.npm_config_script_shell ?? env.ComSpec ?? "cmd"} (npm starts its scripts with it, also from PowerShell)`;
}

function encodingFinding({ platform, codePage, env }: Machine): Finding {
  const note = "nothing fails, but Chinese may look wrong";
  if (platform === "win32") {
    const base = { what: "code page", found: codePage ?? "unknown" };
    return codePage === "65001" ? base : { ...base, note: `${note}; for UTF-8 type: chcp 65001` };
  }
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  const base = { what: "locale", found: locale || "not set" };
  return /utf-?8/i.test(locale)
    ? base
    : { ...base, note: `${note}; set LANG to a UTF-8 locale, such as C.UTF-8` };
}

function languageFinding({ env, systemLocale }: Machine): Finding {
  const name = ["LC_ALL", "LC_MESSAGES", "LANG"].find((each) => env[each]);
  const why = name === undefined ? `the system's locale is ${systemLocale}` : `${name} is ${env[name]}`;
  return {
    what: "language",
    found: `${detectLanguage(env, systemLocale)}, because ${why}; the words en and zh choose another`,
  };
}

function terminalFinding({ stdoutIsTTY, color, env }: Machine): Finding {
  if (!stdoutIsTTY) return { what: "terminal", found: "no, the output goes to a pipe or a file: no colour" };
  if (color) return { what: "terminal", found: "yes, in colour (NO_COLOR=1 switches it off)" };
  return {
    what: "terminal",
    found: `yes, without colour, because ${env.NO_COLOR ? `NO_COLOR is ${env.NO_COLOR}` : "TERM is dumb"}`,
  };
}

function gitFinding({ git, isCheckout }: Machine): Finding {
  if (git === undefined) {
    const wrong =
      "npm run diff, npm run carry and the growth check need it: install it from https://git-scm.com/downloads";
    return { what: "git", found: "not found", wrong };
  }
  const found = git.replace(/^git version /, "");
  if (isCheckout) return { what: "git", found };
  return {
    what: "git",
    found,
    note: "this folder is no git checkout: git restore and npm run carry have nothing to look at",
  };
}

function packagesFinding({ packages }: Machine): Finding {
  const different = packages.filter(({ wanted, installed }) => wanted !== installed);
  if (different.length === 0)
    return {
      what: "packages",
      found: `${packages.length} of ${packages.length} as package-lock.json wants them`,
    };
  const found = different
    .map(({ name, wanted, installed }) => `${name} ${wanted}: ${installed ?? "not installed"}`)
    .join(", ");
  return { what: "packages", found, wrong: "run in any folder of the repository: npm install" };
}

function lessonFinding({ lesson }: Machine): Finding {
  if (lesson.status === 0 && lesson.stdout.startsWith("s01: ")) return { what: "s01", found: "runs" };
  const said = (lesson.stderr || lesson.stdout).trim().split("\n").at(-1) ?? "";
  const first = lesson.stderr.split("\n").find((line) => /Error\b/.test(line)) ?? said;
  const wrong = "put the lesson back (git restore s01_basic_loop shared tools) and install again (npm install)";
  return { what: "s01", found: `does not run (status ${lesson.status}): ${first.trim()}`, wrong };
}

function loadFinding({ lessons }: Machine): Finding {
  const faults = lessons.filter(({ fault }) => fault !== undefined);
  if (faults.length === 0) return { what: "lessons", found: `${lessons.length} of ${lessons.length} load` };
  const found = faults.map(({ folder, fault }) => `${folder} does not load: ${fault}`).join("; ");
  const command = `git restore ${faults.map(({ folder }) => folder).join(" ")}`;
  return { what: "lessons", found, wrong: `mend what is named, or put everything back as it was: ${command}` };
}

/** Loads every lesson, without running it. */
export async function lessonsOf(course: Course): Promise<Machine["lessons"]> {
  const looked: Machine["lessons"] = [];
  for (const { folder } of course.lessons) {
    const fault = await loadDemo(folder, course.root).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    looked.push({ folder, ...(fault !== undefined && { fault }) });
  }
  return looked;
}

/** Looks at this machine. Starts git, one lesson and, on Windows, chcp; loads all lessons. */
export async function look(course: Course, io: Io): Promise<Machine> {
  const start = [join(course.root, "tools", "start.cjs"), course.lessons[0]?.id ?? "s01", "en"];
  return {
    node: process.versions.node,
    platform: process.platform,
    system: `${process.platform} ${release()} ${process.arch}`,
    env: io.env,
    systemLocale: Intl.DateTimeFormat().resolvedOptions().locale,
    codePage:
      process.platform === "win32"
        ? /\d+/.exec(spawnSync("chcp.com", { encoding: "utf8" }).stdout ?? "")?.[0]
        : undefined,
    stdoutIsTTY: io.stdout.isTTY,
    color: wantsColor(io),
    git: askGit(course.root, "--version"),
    isCheckout: askGit(course.root, "rev-parse", "--is-inside-work-tree") === "true",
    packages: packagesOf(course.root),
    lesson: await runNode(start, { cwd: course.root, env: childEnvironment(io), output: "read" }),
    lessons: await lessonsOf(course),
  };
}

function askGit(root: string, ...args: string[]): string | undefined {
  try {
    const { status, stdout } = runGit(args, { cwd: root });
    return status === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

type Versions = Record<string, string>;

/** Compares package-lock.json with what stands in node_modules. Without a lock file there is nothing to compare. */
export function packagesOf(root: string): Machine["packages"] {
  const lock = readJson<{
    packages: Record<string, { version?: string; dependencies?: Versions; devDependencies?: Versions }>;
  }>(root, "package-lock.json");
  const direct = lock?.packages[""];
  const names = Object.keys({ ...direct?.dependencies, ...direct?.devDependencies });
  return names.map((name) => ({
    name,
    wanted: lock?.packages[`node_modules/${name}`]?.version ?? "unknown",
    installed: readJson<{ version: string }>(root, "node_modules", name, "package.json")?.version,
  }));
}

function readJson<Content>(...path: string[]): Content | undefined {
  const file = join(...path);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Content) : undefined;
}
