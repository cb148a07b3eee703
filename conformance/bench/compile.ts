/** The lessons as plain JavaScript. What runs TypeScript directly adds a call to every function that is made, and Pi is JavaScript. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { courseRoot } from "../../shared/course.ts";

/** Resolves to the folder; it is removed when the process ends. @throws Error when the compiler does not make it */
export function compileLessons(): string {
  const folder = mkdtempSync(join(import.meta.dirname, ".js-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const project = {
    extends: join(courseRoot, "tsconfig.json"),
    compilerOptions: { noEmit: false, noCheck: true, outDir: folder, rootDir: courseRoot, rewriteRelativeImportExtensions: true, allowImportingTsExtensions: false },
    include: [join(courseRoot, "s1*", "*.ts"), join(courseRoot, "shared", "*.ts")],
    exclude: [join(courseRoot, "**", "*.test.ts")],
  };
  const file = join(folder, "tsconfig.json");
  writeFileSync(file, JSON.stringify(project));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const compiler = join(courseRoot, "node_modules", "typescript", "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", file], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the lessons could not be compiled: ${stdout.split("\n")[0]}`);
  return folder;
}
