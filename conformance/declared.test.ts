/** The compiler holds what is declared: declared.types.ts compiles, and would not if a claim were wrong. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const here = import.meta.dirname;
const compiler = join(here, "..", "node_modules", "typescript", "bin", "tsc");
const folder = mkdtempSync(join(here, ".types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says of this source, beside the packages of this folder. */
function compile(source: string): string {
  const file = join(folder, "claims.ts");
  writeFileSync(file, source);
  const project = { extends: "../tsconfig.json", include: ["claims.ts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  return spawnSync(process.execPath, [compiler, "-p", folder, "--noEmit", "--pretty", "false"], { encoding: "utf8" }).stdout;
}

const source = readFileSync(join(here, "declared.types.ts"), "utf8");

test("what the course says that Pi declares is declared, in both versions", () => {
  expect(compile(source)).toBe("");
});

test.each([
  { wrong: "a veto on a request", from: /"context" \| "model" \| "thinkingLevel">;/, to: `"context" | "model" | "thinkingLevel" | "block">;` },
  { wrong: "a field for other arguments", from: /"block" \| "reason" \| "terminate"/, to: `"block" | "reason" | "terminate" | "args"` },
  { wrong: "a third decision", from: /\| \{ action: "end" \}/, to: `| { action: "end" } | { action: "retry" }` },
  { wrong: "a third policy of replay", from: /"never" \| "safe"/, to: `"never" | "safe" | "always"` },
])("$wrong is not, and saying so would not compile", ({ from, to }) => {
  const changed = source.replace(from, to);
  expect(changed).not.toBe(source);
  expect(compile(changed)).toMatch(/error TS/);
});
