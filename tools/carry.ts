/** `npm run carry s04`: brings what changed in one lesson's files forward through the later lessons, by three-way merge. */

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findLesson, loadCourse, type Course, type Lesson } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { oneLine } from "../shared/trace.ts";
import { memoryName, openMemory, type Memory } from "./carry-memory.ts";
import { runGit, type GitOptions } from "./git.ts";
import { filesOf, isCode, isTest, textOf, toLf } from "./lesson-files.ts";

export type CarryOptions = {
  /** The commit that holds the files as they were before the change; HEAD when not given. */
  from?: string | undefined;
  git?: string | undefined;
};

/** What happened to one file of a later lesson. */
export type Step = {
  action: "copied" | "merged" | "added" | "deleted" | "already" | "left" | "conflict";
  path: string;
  /** Why it was left alone or could not be merged. */
  note?: string;
};

/** `stoppedAt` is the lesson that holds a conflict: its other files are done, and no later lesson was touched. */
export type Carried = { steps: Step[]; stoppedAt?: Lesson };

/**
 * Carries code files and tests of `lesson` forward, one lesson at a time: base is the file as committed in the lesson before,
 * theirs is that file now, ours the later lesson's file. main.ts and texts never move; a test moves only while both lessons
 * hold the same bytes. Files are written with LF. Running it again changes nothing (see carry-memory.ts).
 * @throws UsageError when git or the commit is missing, when `lesson` is not in it, when conflict markers are left over, or
 * when something named like a file cannot be merged; nothing was changed then.
 */
export function carry(course: Course, lesson: Lesson, options: CarryOptions = {}): Carried {
  const past = openPast(course, options);
  const lessons = course.lessons.slice(course.lessons.indexOf(lesson)).filter(({ folder }) => existsSync(join(course.root, folder)));
  if (!past.holds(lesson)) {
    throw new UsageError(`${lesson.folder} is not in ${past.name}, so nobody can tell what changed in it: commit it first, or give an older commit with from`);
  }
  for (const each of lessons) refuseMarkers(course, each, options);
  const memory = openMemory(past.memoryFile);
  const files = new Set([...filesOf(course, lesson), ...past.files(lesson)].filter((name) => isCode(name) || isTest(name)));
  for (const each of lessons) refuseUnmergeable(course, past, each, files);
  const steps: Step[] = [];
  for (const [at, before] of lessons.slice(0, -1).entries()) {
    const after = lessons[at + 1]!;
    const hop = { course, past, memory, earlier: lessons[at - 1], before, after, git: options.git };
    const done = [...files].sort().flatMap((name) => carryFile(hop, name));
    for (const { action, path } of done) if (action === "left") files.delete(path.slice(after.folder.length + 1));
    if (at === 0) for (const name of files) if (!isTouched(course, past, lesson, name, done, after)) files.delete(name);
    steps.push(...done);
    memory.save();
    if (done.some(({ action }) => action === "conflict")) return { steps, stoppedAt: after };
  }
  return { steps };
}

/** Resolves to 0 when everything was carried, to 1 at a conflict. @throws UsageError as `carry` does. */
export async function run(
  args: readonly string[],
  io: Io,
  { course = loadCourse(), git }: { course?: Course; git?: string } = {},
): Promise<number> {
  const { lesson, from } = read(args, course);
  const { steps, stoppedAt } = carry(course, lesson, { from, git });
  for (const { action, path, note } of steps) {
    io.stdout.write(`${action === "conflict" ? "CONFLICT" : action.padEnd(8)}  ${path}${note ? `  (${note})` : ""}\n`);
  }
  if (!stoppedAt) {
    io.stdout.write(steps.length ? "Done. Now check the lessons: npm run check\n" : `Nothing to carry: ${lesson.id} is as in ${from ?? "HEAD"}, or is the last lesson.\n`);
    return 0;
  }
  const files = steps.filter(({ action }) => action === "conflict").map(({ path }) => path);
  io.stderr.write(
    `Stopped at ${stoppedAt.folder}; no later lesson was touched.\n` +
      `1. Edit ${files.join(", ")} until it is right (markers: <<<<<<< ======= >>>>>>>).\n` +
      `2. Go on with: npm run carry ${stoppedAt.id}${from ? ` from ${from}` : ""}\n`,
  );
  return 1;
}

type Hop = {
  course: Course;
  past: Past;
  memory: Memory;
  /** The lesson before `before`; undefined at the first hop. */
  earlier: Lesson | undefined;
  before: Lesson;
  after: Lesson;
  git: string | undefined;
};

/** One file from one lesson to the next. Gives no step when there was nothing to carry. */
function carryFile({ course, past, memory, earlier, before, after, git }: Hop, name: string): Step[] {
  const path = `${after.folder}/${name}`;
  const source = `${before.folder}/${name}`;
  const committed = past.text(source);
  const theirs = textOf(course.root, source);
  const ours = textOf(course.root, path);
  const remembered = memory.carried(path, committed, ours);
  const uncommitted = () => memory.original(source, earlier && past.text(`${earlier.folder}/${name}`), theirs);
  const base = remembered ? remembered.text : past.holds(before) ? committed : uncommitted();

  if (base === theirs) return remembered && theirs !== committed ? [{ action: "already", path }] : [];
  const write = (action: Step["action"], text: string | undefined, note?: string): Step[] => {
    if (text !== ours) put(course.root, path, text);
    memory.remember(path, { base: committed, before: ours, carried: theirs, after: text, conflict: action === "conflict" });
    return [{ action, path, ...(note && { note }) }];
  };

  if (ours === theirs) return write("already", ours);
  if (isTest(name) && base === undefined) return [{ action: "left", path, note: "a new test is copied by hand, to where it should hold" }];
  if (ours === undefined) {
    if (base === undefined) return write("added", theirs);
    return [{ action: "left", path, note: `${after.id} has no such file` }];
  }
  if (isTest(name) && ours !== base && (committed === undefined || committed !== past.text(path))) {
    return [{ action: "left", path, note: `${after.id} has its own version of this test` }];
  }
  if (theirs === undefined) {
    if (ours === base) return write("deleted", undefined);
    return write("conflict", ours, `${before.id} deleted it and ${after.id} has changes of its own: delete it, or keep it`);
  }
  if (ours === base) return write("copied", theirs);
  const merged = merge({ ours, base: base ?? "", theirs }, { ours: path, theirs: source }, git);
  if (merged.text === ours) return write("already", ours);
  return merged.conflict ? write("conflict", merged.text, `${before.id} and ${after.id} changed the same lines`) : write("merged", merged.text);
}

/** Files of the first lesson that are as committed, and were not carried in another state before, stay out of the later lessons. */
function isTouched(course: Course, past: Past, lesson: Lesson, name: string, done: readonly Step[], after: Lesson): boolean {
  const path = `${lesson.folder}/${name}`;
  return textOf(course.root, path) !== past.text(path) || done.some((step) => step.path === `${after.folder}/${name}`);
}

type Sides = { ours: string; base: string; theirs: string };

function merge(sides: Sides, labels: { ours: string; theirs: string }, git?: string): { text: string; conflict: boolean } {
  const cwd = mkdtempSync(join(tmpdir(), "carry-"));
  try {
    for (const [name, text] of Object.entries(sides)) writeFileSync(join(cwd, name), text);
    const names = ["-L", labels.ours, "-L", `${labels.theirs} before`, "-L", labels.theirs];
    const { status, stdout, stderr } = runGit(["merge-file", "-p", ...names, "ours", "base", "theirs"], { cwd, git, plain: true });
    if (status > 127) throw new Error(`git merge-file failed for ${labels.ours}: ${stderr.trim()}`);
    return { text: toLf(stdout), conflict: status > 0 };
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 3 });
  }
}

function put(root: string, path: string, text: string | undefined): void {
  if (text === undefined) rmSync(join(root, path));
  else writeFileSync(join(root, path), text);
}

function refuseMarkers(course: Course, lesson: Lesson, { from }: CarryOptions): void {
  const names = filesOf(course, lesson).filter((name) => isCode(name) || isTest(name));
  const open = names.filter((name) => /^(<{7}|>{7}) /m.test(textOf(course.root, `${lesson.folder}/${name}`) ?? ""));
  if (open.length === 0) return;
  const paths = open.map((name) => `${lesson.folder}/${name}`).join(", ");
  throw new UsageError(`${paths} still holds conflict markers (<<<<<<<): resolve them, then go on with npm run carry ${lesson.id}${from ? ` from ${from}` : ""}`);
}

/** What git's merge of texts cannot take: a folder or the like in a file's place, and a NUL byte. */
function refuseUnmergeable(course: Course, past: Past, { folder }: Lesson, names: Iterable<string>): void {
  for (const path of [...names].map((name) => `${folder}/${name}`)) {
    const entry = statSync(join(course.root, path), { throwIfNoEntry: false });
    if (entry && !entry.isFile()) throw new UsageError(`${path} is no file, so nothing can be carried to or from it: rename or remove it`);
    if (textOf(course.root, path)?.includes("\0")) throw new UsageError(`${path} holds a NUL byte, so git cannot merge it: remove the byte, or git restore ${path}`);
    if (past.text(path)?.includes("\0")) throw new UsageError(`${path} holds a NUL byte in ${past.name}, so git cannot merge it: commit it without, or carry it by hand`);
  }
}

/** The committed state that the working files are compared with. */
type Past = {
  /** As the user named it. */
  name: string;
  /** Where carry keeps what it has carried. */
  memoryFile: string;
  holds(lesson: Lesson): boolean;
  /** Names of the lesson's committed files. */
  files(lesson: Lesson): string[];
  /** A committed file, or undefined when it is not in the commit. */
  text(path: string): string | undefined;
};

function openPast(course: Course, { from = "HEAD", git }: CarryOptions): Past {
  const options = { cwd: course.root, git };
  const inside = runGit(["rev-parse", "--git-path", memoryName], options);
  if (inside.status !== 0) {
    const [said = ""] = inside.stderr.trim().split(/\r?\n/);
    throw new UsageError(`carry compares with the last commit, and git says "${said}": get the course with git clone, not as a ZIP file`);
  }
  const found = from.startsWith("-") ? undefined : runGit(["rev-parse", "--verify", "--quiet", `${from}^{commit}`], options);
  const commit = found?.status === 0 ? found.stdout.trim() : undefined;
  if (commit === undefined) throw new UsageError(`git knows no commit "${oneLine(from)}" here; valid: HEAD (when something is committed), HEAD~1, a branch, a hash`);

  const listed = runGit(["ls-tree", "-r", "-z", commit, "--", ...course.lessons.map((lesson) => lesson.folder)], options);
  const hashes = new Map([...listed.stdout.matchAll(/\d+ blob (\S+)\t([^\0]+)\0/g)].map(([, hash = "", path = ""]) => [path, hash]));
  const paths = [...hashes.keys()];
  const texts = textsOf([...hashes].filter(([path]) => path.endsWith(".ts")).map(([, hash]) => hash), options);
  const filesIn = ({ folder }: Lesson) =>
    paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
  return {
    name: from,
    memoryFile: resolve(course.root, inside.stdout.trim()),
    holds: (lesson) => filesIn(lesson).length > 0,
    files: (lesson) => filesIn(lesson).filter((name) => !name.includes("/")),
    text: (path) => texts.get(hashes.get(path) ?? ""),
  };
}

/** The texts of committed files by hash, all from one start of git, which answers `<hash> blob <bytes>`, then the bytes. */
function textsOf(hashes: readonly string[], options: GitOptions): Map<string, string> {
  const { stdout } = runGit(["cat-file", "--batch"], { ...options, input: hashes.join("\n"), encoding: "latin1" });
  const texts = new Map<string, string>();
  for (let at = 0; at < stdout.length; ) {
    const start = stdout.indexOf("\n", at) + 1;
    const [hash = "", , bytes] = stdout.slice(at, start).trim().split(" ");
    const end = start + Number(bytes);
    texts.set(hash, toLf(Buffer.from(stdout.slice(start, end), "latin1").toString("utf8")));
    at = end + 1;
  }
  return texts;
}

/** `from` may be a bare word, because PowerShell's npm swallows the `--` in front of a flag. */
function read(args: readonly string[], course: Course): { lesson: Lesson; from?: string } {
  const usage = `npm run carry takes the lesson that you changed (${course.lessons.map(({ id }) => id).join(", ")}), and from <commit>`;
  const words = args.flatMap((word) => (word.startsWith("--from=") ? ["from", word.slice("--from=".length)] : [word]));
  const at = words.findIndex((word) => word === "from" || word === "--from");
  const [, from] = at === -1 ? [] : words.splice(at, 2);
  if (at !== -1 && !from) throw new UsageError(`which commit? ${usage}`);
  const [spelled, ...rest] = words;
  if (spelled === undefined) throw new UsageError(`which lesson? ${usage}`);
  const unknown = spelled.startsWith("-") ? spelled : rest[0];
  if (unknown !== undefined) throw new UsageError(`unknown ${unknown.startsWith("-") ? "flag" : "word"} "${oneLine(unknown)}"; ${usage}`);
  return { lesson: findLesson(course, spelled), ...(from && { from }) };
}
