/** Why a lesson does not load, in one line: a file or folder that is gone, or a file that is no TypeScript. */

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "./io.ts";
import { oneLine } from "./trace.ts";

/** @throws UsageError that says how the folder comes back, when it holds no main.ts. `folder` is relative to `root`. */
export function requireFolder(root: string, folder: string): void {
  if (existsSync(join(root, folder, "main.ts"))) return;
  const gone = existsSync(join(root, folder)) ? `${folder}/main.ts` : folder;
  throw new UsageError(`${gone} is not there. ${bringBack(gone)}`);
}

/** A UsageError with the file and the place, when the import failed for such a reason; any other error as it is. */
export function loadFault(error: unknown, root: string): unknown {
  if (!(error instanceof Error)) return error;
  const [, file, line, column, text] = /^(.+):(\d+):(\d+): ERROR: (.+)$/m.exec(error.message) ?? [];
  // esbuild counts columns from 0, editors from 1.
  if (file) return new UsageError(`${inside(root, file)}:${line}:${Number(column) + 1}: ${oneLine(text ?? "")}`);
  const { code, url } = error as { code?: unknown; url?: unknown };
  if (code !== "ERR_MODULE_NOT_FOUND" || typeof url !== "string" || !url.startsWith("file:")) return error;
  const gone = inside(root, fileURLToPath(url));
  const importer = / imported from (.+)$/m.exec(error.message)?.[1];
  const why = importer ? `, and ${inside(root, importer)} imports it` : "";
  return new UsageError(`${gone} is not there${why}. ${bringBack(gone)}`);
}

/** Git does not know the student's own copies. */
function bringBack(path: string): string {
  const copy = /^my_(s\d\d)\b/.exec(path)?.[1];
  return copy ? `To copy the whole lesson again: npm run try ${copy} reset` : `To bring it back: git restore ${path}`;
}

function inside(root: string, file: string): string {
  return relative(root, file).replaceAll("\\", "/");
}
