/** `npm run check`: everything that must hold before a change is committed, in a fixed order, each part named. */

import { join } from "node:path";
import { loadCourse, type Course } from "../shared/course.ts";
import { UsageError, type Io } from "../shared/io.ts";
import { oneLine, wantsColor } from "../shared/trace.ts";
import { childEnvironment, runNode } from "./child.ts";
import { drift } from "./drift.ts";
import { growth, growthProblems, growthTable } from "./growth.ts";
import { report, type Problem } from "./problems.ts";
import { everything, runTests } from "./test.ts";

/** Resolves to whether it holds; says on `io` what does not, and how to mend it. */
export type Step = { name: string; run(course: Course, io: Io): Promise<boolean> };

export async function run(args: readonly string[], io: Io): Promise<number> {
  if (args.length > 0)
    throw new UsageError(
      `npm run check takes nothing, not "${oneLine(args.join(" "))}"; one lesson's tests: npm test s05`,
    );
  return runSteps(loadCourse(), steps, io);
}

/** Runs all steps, in order, whatever fails. The last line has every verdict; the status is 1 when one failed. */
export async function runSteps(course: Course, given: readonly Step[], io: Io): Promise<number> {
  const verdicts: string[] = [];
  for (const step of given) {
    io.stdout.write(`\n== ${step.name} ==\n`);
    const verdict = `${step.name}: ${(await holds(step, course, io)) ? "ok" : "failed"}`;
    io.stdout.write(`${verdict}\n`);
    verdicts.push(verdict);
  }
  io.stdout.write(`\n${verdicts.join(", ")}\n`);
  return verdicts.some((verdict) => verdict.endsWith("failed")) ? 1 : 0;
}

/** A missing git or the like fails its own step only. */
async function holds(step: Step, course: Course, io: Io): Promise<boolean> {
  try {
    return await step.run(course, io);
  } catch (error) {
    const text =
      error instanceof UsageError
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error);
    io.stdout.write(`${text}\n`);
    return false;
  }
}

export const types: Step = {
  name: "types",
  async run(course, io) {
    const compiler = join(course.root, "node_modules", "typescript", "bin", "tsc");
    const args = [compiler, "--noEmit", "--pretty", String(wantsColor(io))];
    const { status, stdout, stderr } = await runNode(args, {
      cwd: course.root,
      env: childEnvironment(io),
      output: "read",
    });
    io.stdout.write(stdout + stderr);
    return status === 0;
  },
};

export const driftStep: Step = {
  name: "drift",
  run: async (course, io) => without(drift(course), io),
};

export const growthStep: Step = {
  name: "growth",
  async run(course, io) {
    const measured = growth(course);
    io.stdout.write(growthTable(measured));
    return without(growthProblems(course, measured), io);
  },
};

export const tests: Step = {
  name: "tests",
  run: async (course, io) => (await runTests(course, everything, io)) === 0,
};

const steps: readonly Step[] = [types, driftStep, growthStep, tests];

function without(problems: readonly Problem[], io: Io): boolean {
  if (problems.length > 0) io.stdout.write(`${report(problems)}\n`);
  return problems.length === 0;
}
