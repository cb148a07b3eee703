/** Compares the folders of two lessons with git, on copies that hold only the wanted files. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Course, Lesson } from "../shared/course.ts";
import { runGit, type GitResult } from "./git.ts";
import { toLf } from "./lesson-files.ts";

export type Side = Pick<Lesson, "id" | "folder">;

/** Says by its path inside the lesson's folder (with `/`) whether a file takes part. */
export type Selection = (path: string) => boolean;

/** One file that differs. Paths are inside the lesson's folder; `from` is missing for a new file, `to` for a removed one. */
export type Count = { from?: string; to?: string; added: number; deleted: number };

export type Copies = {
  /** Files that differ, sorted by name. With `renames`, a moved file is one entry with both names. */
  counts(before: Side, after: Side, renames: boolean): Count[];
  /** The diff as text, with headers such as `s05_tool_hook_boundary/loop.ts`; empty when nothing differs. */
  patch(before: Side, after: Side, color: boolean): string;
};

/**
 * Copies the wanted files of some lessons to a temporary folder (LF line endings, no other file attributes), lets `work`
 * compare them, and removes the copies. Throws UsageError when git is missing.
 */
export function comparing<T>(
  course: Course,
  sides: readonly Side[],
  wanted: Selection,
  work: (copies: Copies) => T,
  git?: string,
): T {
  const cwd = mkdtempSync(join(tmpdir(), "lessons-"));
  try {
    for (const { folder } of sides) copyFolder(join(course.root, folder), join(cwd, folder), wanted);
    return work({
      counts: (before, after, renames) =>
        countsOf(diff(["--numstat", "-z", renames ? "-M" : "--no-renames"], before, after, cwd, git).stdout),
      patch: (before, after, color) => {
        const flags = ["--patch", "-M", "--no-prefix", `--color=${color ? "always" : "never"}`];
        return diff(flags, before, after, cwd, git).stdout;
      },
    });
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Every file below a lesson's folder, sorted, with `/`. Hidden files and installed packages are left out. */
export function pathsBelow(folder: string, inside = ""): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith(".") && entry.name !== "node_modules")
    .flatMap((entry) => {
      if (entry.isDirectory()) return pathsBelow(join(folder, entry.name), `${inside}${entry.name}/`);
      return entry.isFile() ? [inside + entry.name] : [];
    })
    .sort();
}

function copyFolder(from: string, to: string, wanted: Selection): void {
  mkdirSync(to, { recursive: true });
  for (const path of pathsBelow(from).filter(wanted)) {
    const bytes = readFileSync(join(from, path));
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), bytes.includes(0) ? bytes : toLf(bytes.toString("utf8")));
  }
}

function diff(flags: readonly string[], before: Side, after: Side, cwd: string, git?: string): GitResult {
  const settings = ["-c", "core.quotePath=false"];
  const args = [...settings, "diff", "--no-index", "--no-ext-diff", ...flags, "--", before.folder, after.folder];
  const result = runGit(args, { cwd, git, plain: true });
  if (result.status > 1) throw new Error(`git ${args.join(" ")} failed: ${result.stderr.trim()}`);
  return result;
}

/** Reads `--numstat -z`: added, deleted and an empty path, then both paths, each ended by a NUL. */
function countsOf(numstat: string): Count[] {
  const fields = numstat.split("\0");
  const counts: Count[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [added, deleted] = fields[at]!.split("\t").map((number) => Number.parseInt(number, 10) || 0);
    const from = insideLesson(fields[at + 1]!);
    const to = insideLesson(fields[at + 2]!);
    counts.push({ ...(from && { from }), ...(to && { to }), added: added ?? 0, deleted: deleted ?? 0 });
  }
  return counts.sort((a, b) => ((a.to ?? a.from)! < (b.to ?? b.from)! ? -1 : 1));
}

function insideLesson(path: string): string | undefined {
  if (path === "/dev/null" || path.toLowerCase() === "nul") return undefined;
  return path.slice(path.indexOf("/") + 1);
}
