/** Starting another Node for the tools: vitest, the compiler, a lesson. */

import { spawn } from "node:child_process";
import type { Io } from "../shared/io.ts";
import { wantsColor } from "../shared/trace.ts";

export type ChildResult = { status: number; stdout: string; stderr: string };

export type ChildOptions = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /**
   * `read` gives the output back; `inherit` lets the child write on this process's own streams; `ignore` drops it. A pair of
   * sinks gets it piece by piece: the child never notices when the reader at the end of the pipe goes away.
   */
  output: "read" | "inherit" | "ignore" | Pick<Io, "stdout" | "stderr">;
};

/** Runs this same Node with the arguments, without standard input. A status other than 0 is a result, not an exception. It ends with this process. */
export function runNode(args: readonly string[], { cwd, env, output }: ChildOptions): Promise<ChildResult> {
  const stream = output === "inherit" || output === "ignore" ? output : "pipe";
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ["ignore", stream, stream],
      windowsHide: true,
    });
    const read = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        if (typeof output === "object") output[name].write(text);
        else read[name] += text;
      });
    }
    const kill = () => void child.kill();
    process.once("exit", kill);
    child.on("error", reject);
    child.on("close", (status) => {
      process.off("exit", kill);
      resolve({ status: status ?? 1, ...read });
    });
  });
}

/** The environment for a child, which must not colour a pipe whatever CI and FORCE_COLOR say. */
export function childEnvironment(io: Io): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...env } = io.env;
  return wantsColor(io) ? env : { ...env, NO_COLOR: "1" };
}
