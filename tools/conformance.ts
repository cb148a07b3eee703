/** `npm run conformance`: installs the real Pi into a folder of its own, and plays the same scenarios on it and on the lessons. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadCourse } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { oneLine } from "../shared/trace.ts";
import { childEnvironment, runNode, type ChildResult } from "./child.ts";

/** What is asked for: everything, one scenario, or another version of Pi. */
export type Wanted = { what: "all" } | { what: "list" } | { what: "scenario"; name: string } | { what: "version"; version: string };

const usage =
  "npm run conformance takes nothing, the word list, the name of a scenario, or a version of Pi such as 1.7.0 (npm run conformance -- --pi 1.7.0)";

/** About how much an installation of this package and of one more version takes on the disk. */
const size = { both: "about 160 MB", one: "about 110 MB" };

const isVersion = (word: string) => /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(word);
const isName = (word: string) => /^[a-z]+(-[a-z]+)+$/.test(word);

/** @throws UsageError for words that are none of it */
export function wantedBy(args: readonly string[]): Wanted {
  const words = args.filter((word, index) => !(/^(--)?pi$/.test(word) && args[index + 1] !== undefined)).map((word) => word.replace(/^--pi=/, ""));
  const [word, ...others] = words;
  if (word === undefined) return { what: "all" };
  if (others.length > 0) throw new UsageError(`too many words: "${oneLine(words.join(" "))}"; ${usage}`);
  if (/^(--)?list$/.test(word)) return { what: "list" };
  if (isVersion(word)) return { what: "version", version: word };
  if (isName(word) && words.length === args.length) return { what: "scenario", name: word };
  if (words.length < args.length) throw new UsageError(`"${oneLine(word)}" is no version; write three numbers, such as 1.7.0`);
  throw new UsageError(`"${oneLine(word)}" is not understood; ${usage}`);
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const wanted = wantedBy(args);
  const { root } = loadCourse();
  const folder = join(root, "conformance");
  const print = (line: string) => void io.stdout.write(`${line}\n`);
  const run = (words: readonly string[], cwd: string) => npm(words, cwd, io);

  if (isOlder(process.versions.node)) print(`Node ${process.versions.node}: Pi asks for 22.19 or newer. It runs here too; npm only warns about it.`);
  await installPackage(folder, print, run);
  if (wanted.what === "version") await installVersion(folder, wanted.version, print, run);
  const { names, report, show, upgrade } = await conformance(folder);
  switch (wanted.what) {
    case "list":
      names.forEach(print);
      return 0;
    case "scenario":
      if (!names.includes(wanted.name)) throw new UsageError(unknownScenario(wanted.name, names));
      return show(wanted.name, print);
    case "version":
      return upgrade(wanted.version, print);
    case "all": {
      const status = await tests(root, folder, io);
      return Math.max(status, await report(print));
    }
  }
}

function isOlder(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major < 22 || (major === 22 && minor < 19);
}

export function unknownScenario(name: string, names: readonly string[]): string {
  const first = name.split("-")[0] ?? "";
  const near = names.filter((each) => each.startsWith(`${first}-`));
  return `unknown scenario "${name}"; ${near.length > 0 ? `near: ${near.join(", ")}` : `npm run conformance list names all ${names.length}`}`;
}

type Conformance = {
  names: readonly string[];
  report(print: (line: string) => void): Promise<number>;
  show(name: string, print: (line: string) => void): Promise<number>;
  upgrade(version: string, print: (line: string) => void): Promise<number>;
};

/** Loaded by address, so that neither the types nor the tests of the course need the package to be installed. */
async function conformance(folder: string): Promise<Conformance> {
  return (await import(pathToFileURL(join(folder, "main.ts")).href)) as Conformance;
}

async function tests(root: string, folder: string, io: Io): Promise<number> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--root", folder, "--config", join(folder, "vitest.config.ts"), "--silent"];
  return (await runNode(args, { cwd: folder, env: childEnvironment(io), output: "inherit" })).status;
}

type Npm = (words: readonly string[], cwd: string) => Promise<ChildResult>;

/** Installs what the lock file says, unless that is there already. @throws UsageError when it cannot be got */
export async function installPackage(folder: string, print: (line: string) => void, run: Npm): Promise<void> {
  if (isInstalled(folder)) return;
  print(`Installing Pi 1.0.3 and 1.6.0 into conformance/node_modules (${size.both}). The course itself does not need it.`);
  explain(await run(["ci", ...quietly], folder), "Pi");
}

/** npm writes down what it has installed; the lock file says what it should be. */
function isInstalled(folder: string): boolean {
  const [wanted, found] = [join(folder, "package-lock.json"), join(folder, "node_modules", ".package-lock.json")].map(versionsIn);
  return found !== undefined && Object.entries(wanted ?? {}).every(([path, version]) => path === "" || found[path] === version || isOptional(folder, path));
}

type Lock = { packages: Record<string, { version?: string; optional?: boolean; peer?: boolean }> };

function readLock(file: string): Lock | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Lock) : undefined;
}

function versionsIn(file: string): Record<string, string | undefined> | undefined {
  const lock = readLock(file);
  return lock && Object.fromEntries(Object.entries(lock.packages).map(([path, { version }]) => [path, version]));
}

function isOptional(folder: string, path: string): boolean {
  const about = readLock(join(folder, "package-lock.json"))?.packages[path];
  return about?.optional === true || about?.peer === true;
}

/** Installs another version beside the package, with the pi-ai that belongs to it. @throws UsageError when there is none */
export async function installVersion(folder: string, version: string, print: (line: string) => void, run: Npm): Promise<void> {
  const beside = join(folder, "node_modules", `pi-agent-core-${version}`);
  const own = join(folder, ".pi", version);
  const core = join(own, "node_modules", "@earendil-works", "pi-agent-core", "package.json");
  if (existsSync(beside) || existsSync(core)) return;
  mkdirSync(own, { recursive: true });
  const dependencies = { "@earendil-works/pi-agent-core": version, "@earendil-works/pi-ai": version };
  writeFileSync(join(own, "package.json"), `${JSON.stringify({ name: "another-pi", private: true, dependencies }, null, 2)}\n`);
  print(`Installing Pi ${version} into conformance/.pi/${version} (${size.one}).`);
  const result = await run(["install", ...quietly], own);
  if (result.status !== 0) rmSync(own, { recursive: true, force: true });
  explain(result, `Pi ${version}`);
}

const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"];

/** @throws UsageError: one line that says why npm could not install */
function explain({ status, stdout, stderr }: ChildResult, what: string): void {
  if (status === 0) return;
  const said = `${stderr}\n${stdout}`;
  const code = /npm (?:error|ERR!) code (\w+)/.exec(said)?.[1] ?? "no reason";
  if (code === "ETARGET" || code === "E404") throw new UsageError(`${what} does not exist; npm view @earendil-works/pi-agent-core versions lists those that do`);
  const offline = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTCACHED", "ERR_SOCKET_TIMEOUT", "FETCH_ERROR"];
  if (offline.includes(code)) throw new UsageError(`${what} could not be installed, because npm has no network (${code}); try again with one: npm run conformance`);
  throw new UsageError(`${what} could not be installed; npm says ${code}: ${oneLine(firstReason(said))}`);
}

function firstReason(said: string): string {
  const lines = said.split("\n").filter((line) => /^npm (error|ERR!) (?!code)/.test(line));
  return lines[0]?.replace(/^npm (error|ERR!) /, "") ?? "nothing";
}

/** npm is a program of this same Node: started by its file, it needs no shell on any system. */
async function npm(words: readonly string[], cwd: string, io: Io): Promise<ChildResult> {
  const file = npmFile(io);
  if (file === undefined) throw new UsageError("npm was not found beside this Node; start this with npm: npm run conformance");
  return runNode([file, ...words], { cwd, env: childEnvironment(io), output: "read" });
}

function npmFile(io: Io): string | undefined {
  const node = dirname(process.execPath);
  const places = [io.env["npm_execpath"], join(node, "node_modules/npm/bin/npm-cli.js"), join(node, "../lib/node_modules/npm/bin/npm-cli.js")];
  return places.find((place) => place !== undefined && /npm-cli\.c?js$/.test(place) && existsSync(place));
}
