/** Starting git, which compares and merges files for the tools; nothing here needs a network or writes to the history. */

import { spawnSync } from "node:child_process";
import { UsageError } from "../shared/io.ts";

export type GitResult = { status: number; stdout: string; stderr: string };

export type GitOptions = {
  cwd: string;
  /** The program; tests give a name that does not exist. */
  git?: string | undefined;
  /** Leave out the settings of this user and machine, so that the output is the same everywhere. */
  plain?: boolean;
  /** What git reads from its standard input. */
  input?: string;
  /** How the bytes of the output become text; latin1 keeps every byte as one character. */
  encoding?: "utf8" | "latin1";
};

/**
 * Runs git and waits for it. A status other than 0 is a result, not an exception.
 * @throws UsageError that says what to install, when git cannot be started.
 */
export function runGit(args: readonly string[], { cwd, git = "git", plain = false, input, encoding = "utf8" }: GitOptions): GitResult {
  const { status, stdout, stderr, error } = spawnSync(git, args, {
    cwd,
    encoding,
    ...(input !== undefined && { input }),
    env: environment(plain),
    maxBuffer: 256 * 1024 * 1024,
    windowsHide: true,
  });
  if (error) throw new UsageError(whyNot(error, git));
  return { status: status ?? 255, stdout, stderr };
}

/** Whether git can be started here. */
export function hasGit(git?: string): boolean {
  try {
    return runGit(["--version"], { cwd: process.cwd(), git }).status === 0;
  } catch {
    return false;
  }
}

/** A git hook hands its own GIT_DIR to everything it starts; it must not decide where we look. Git knows /dev/null on Windows too. */
function environment(plain: boolean): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith("GIT_"));
  const quiet = { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" };
  const settings = plain ? { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" } : {};
  return { ...Object.fromEntries(kept), ...quiet, ...settings };
}

function whyNot(error: Error, git: string): string {
  const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
  if (missing) return `${git} was not found; this command compares files with git: install it from https://git-scm.com/downloads`;
  return `${git} could not be started (${error.message}); check your installation with: git --version`;
}
