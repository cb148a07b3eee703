/** Starting another Node for the tools: vitest, the compiler, a lesson. */

import { spawn } from "node:child_process";
import type { Io } from "../shared/io.ts";
import { wantsColor } from "../shared/trace.ts";

export type ChildResult = { status: number; stdout: string; stderr: string };

export type ChildOptions = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** `read` gives the output back; `inherit` lets the child write on this process's own streams; `ignore` drops it. */
  output: "read" | "inherit" | "ignore";
};

/** Runs this same Node with the arguments, without standard input. A status other than 0 is a result, not an exception. */
export function runNode(args: readonly string[], { cwd, env, output }: ChildOptions): Promise<ChildResult> {
  const stream = output === "read" ? "pipe" : output;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ["ignore", stream, stream],
      windowsHide: true,
    });
    const read = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => (read[name] += text));
    }
    child.on("error", reject);
    child.on("close", (status) => resolve({ status: status ?? 1, ...read }));
  });
}

/** The environment for a child, which must not colour a pipe whatever CI and FORCE_COLOR say. */
export function childEnvironment(io: Io): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...env } = io.env;
  return wantsColor(io) ? env : { ...env, NO_COLOR: "1" };
}
