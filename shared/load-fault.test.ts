import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { UsageError } from "./io.ts";
import { loadFault, requireFolder } from "./load-fault.ts";

const root = join(tmpdir(), "course");
const inRoot = (...names: string[]) => join(root, ...names);

test("a syntax error is one line with file, line and column as editors count them", () => {
  const message = `Transform failed with 2 errors:\n${inRoot("my_s05", "execute.ts")}:31:39: ERROR: Expected ")" but found ";"\nx.ts:40:0: ERROR: no`;
  expect(loadFault(new Error(message), root)).toEqual(new UsageError('my_s05/execute.ts:31:40: Expected ")" but found ";"'));
});

test.each([
  ["s05_x", "To bring it back: git restore s05_x/execute.ts"],
  ["my_s05", "To copy the whole lesson again: npm run try s05 reset"],
])("a file of %s that is gone is one line that says how it comes back", (folder, remedy) => {
  const file = inRoot(folder, "execute.ts");
  const message = `Cannot find module '${file}' imported from ${inRoot(folder, "loop.ts")}`;
  const error = Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND", url: pathToFileURL(file).href });
  const line = `${folder}/execute.ts is not there, and ${folder}/loop.ts imports it. ${remedy}`;
  expect(loadFault(error, root)).toEqual(new UsageError(line));
});

test("any other error stays what it is", () => {
  const bug = new TypeError("x is not a function");
  const noPackage = Object.assign(new Error("Cannot find package 'x' imported from y.ts"), { code: "ERR_MODULE_NOT_FOUND" });
  for (const error of [bug, noPackage, "thrown"]) expect(loadFault(error, root)).toBe(error);
});

test("a folder that is gone, and one without its main.ts", () => {
  const course = mkdtempSync(join(tmpdir(), "course-fault-"));
  try {
    expect(() => requireFolder(course, "s01_one")).toThrow(new UsageError("s01_one is not there. To bring it back: git restore s01_one"));
    mkdirSync(join(course, "s01_one"));
    expect(() => requireFolder(course, "s01_one")).toThrow(/^s01_one\/main\.ts is not there\. .*git restore s01_one\/main\.ts$/);
  } finally {
    rmSync(course, { recursive: true });
  }
});
