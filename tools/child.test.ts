import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { courseRoot } from "../shared/course.ts";
import { memoryIo } from "../shared/io.ts";
import { runNode } from "./child.ts";

const given = { cwd: courseRoot, env: process.env };

test("the output is given back, or goes to a pair of sinks", async () => {
  const script = ["-e", "console.log('说'); console.error('no'); process.exitCode = 3"];
  const result = await runNode(script, { ...given, output: "read" });
  expect(result).toEqual({ status: 3, stdout: "说\n", stderr: "no\n" });
  const io = memoryIo();
  expect(await runNode(script, { ...given, output: io })).toEqual({ status: 3, stdout: "", stderr: "" });
  expect([io.out(), io.err()]).toEqual(["说\n", "no\n"]);
});

test("a reader that closes the pipe early sees no stack trace of the child", async () => {
  const [child, io] = [join("tools", "child.ts"), join("shared", "io.ts")].map((file) => pathToFileURL(join(courseRoot, file)).href);
  const endless = "setInterval(() => console.log('line'), 5)";
  const driver = `
    const [{ runNode }, { processIo }] = await Promise.all([import("${child}"), import("${io}")]);
    await runNode(["-e", ${JSON.stringify(endless)}], { cwd: ".", env: process.env, output: processIo() });`;
  const started = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", driver], {
    ...given,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  started.stderr.on("data", (text) => (stderr += text));
  await new Promise((resolve) => started.stdout.once("data", resolve));
  started.stdout.destroy();
  const status = await new Promise((resolve) => started.on("close", resolve));
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
