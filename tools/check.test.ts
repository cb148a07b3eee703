import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { courseRoot } from "../shared/course.ts";
import { memoryIo, UsageError } from "../shared/io.ts";
import { driftStep, growthStep, run, runSteps, types, type Step } from "./check.ts";
import { replaceIn, toyCourse, type ToyCourse } from "./toy-course.ts";

let toy: ToyCourse | undefined;
afterEach(() => toy?.remove());

const step = (name: string, verdict: boolean | Error): Step => ({
  name,
  async run(_, io) {
    io.stdout.write(`looking at ${name}\n`);
    if (verdict instanceof Error) throw verdict;
    return verdict;
  },
});

test("all steps run in order, each named, and the last line has the verdicts", async () => {
  toy = toyCourse();
  const io = memoryIo();
  const steps = [
    step("one", true),
    step("two", false),
    step("three", new UsageError("git is missing")),
    step("four", true),
  ];
  expect(await runSteps(toy.course, steps, io)).toBe(1);
  expect(io.out()).toBe(`
== one ==
looking at one
one: ok

== two ==
looking at two
two: failed

== three ==
looking at three
git is missing
three: failed

== four ==
looking at four
four: ok

one: ok, two: failed, three: failed, four: ok
`);
  expect(await runSteps(toy.course, [step("one", true)], memoryIo())).toBe(0);
});

test("a word is one line", async () => {
  await expect(run(["s05"], memoryIo())).rejects.toThrow(/^npm run check takes nothing, not "s05"/);
});

describe("drift and growth", () => {
  test("a course in step holds, and the growth table is shown", async () => {
    toy = toyCourse();
    const io = memoryIo();
    expect(await driftStep.run(toy.course, io)).toBe(true);
    expect(io.out()).toBe("");
    await growthStep.run(toy.course, io);
    expect(io.out()).toMatch(/^lesson .*\ns02 .*\ns03 /);
  });

  test("say what is wrong and what mends it", async () => {
    toy = toyCourse((files) => replaceIn(files, "s02_two/messages.ts", "One message", "A message"));
    const io = memoryIo();
    expect(await runSteps(toy.course, [driftStep, growthStep], io)).toBe(1);
    expect(io.out()).toContain("s02_two/messages.ts: ");
    expect(io.out()).toContain("npm run carry s01");
    expect(io.out()).toMatch(/\ndrift: failed, growth: (ok|failed)\n$/);
  });
});

test("types are checked by the compiler, without colour in a pipe", async () => {
  const compilerOptions = {
    strict: true,
    module: "NodeNext",
    target: "ES2023",
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  };
  toy = toyCourse((files) => {
    files["tsconfig.json"] = JSON.stringify({
      compilerOptions,
      include: ["s*/**/*.ts"],
      exclude: ["s*/*.test.ts", "s*/main.ts"],
    });
  });
  symlinkSync(join(courseRoot, "node_modules"), join(toy.root, "node_modules"), "junction");
  const io = memoryIo({ env: { ...process.env, CI: "true" } });
  expect(await types.run(toy.course, io)).toBe(true);
  toy.write({ "s03_three/extra.ts": "export const wrong: number = 'text';\n" });
  expect(await types.run(toy.course, io)).toBe(false);
  expect(io.out()).toContain("s03_three/extra.ts(1,14): error TS2322");
  expect(io.out()).not.toContain("\u001b");
});
