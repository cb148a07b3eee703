/**
 * s11: tools with real effects. Each judges its paths again, right before the effect, and needs no gate to be safe.
 * s12: a tool that changes the tree runs alone.
 * Still missing: an effect that was done cannot be taken back.
 */

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { isSecret, locate, type Place } from "./paths.ts";
import type { ToolArgs, ToolRegistry } from "./tools.ts";

/** How a tool finds a place right before its effect. @throws Error with the reason, for the model, when it may not be touched */
export type Finder = (path: unknown) => Place;

/** The tool's own check: inside the root, and no name of the secret family. */
export function finderFor(root: string): Finder {
  return (path) => {
    const located = locate(root, path);
    if ("refused" in located) throw new Error(located.refused);
    if (isSecret(located.place)) throw new Error(`${JSON.stringify(path)} is a name that holds secrets`);
    return located.place;
  };
}

const pathSchema = { type: "string" } as const;

/** Registers `read_file`, `write_file`, `list_folder` and `move_file`. */
export function registerFileTools(registry: ToolRegistry, find: Finder): void {
  registry.register(
    { name: "read_file", description: "reads a text file", parameters: { type: "object", properties: { path: pathSchema }, required: ["path"] } },
    ({ path }) => plainly(path, () => readText(find, path)),
    { effects: ["read"], paths: ({ path }) => [{ path, effect: "read" }] },
  );
  registry.register(
    {
      name: "write_file",
      description: "writes a text file, and the folders it needs",
      parameters: { type: "object", properties: { path: pathSchema, text: { type: "string" } }, required: ["path", "text"] },
    },
    ({ path, text }) => plainly(path, () => writeText(find, path, String(text))),
    { effects: ["write"], executionMode: "sequential", paths: ({ path }) => [{ path, effect: "write" }] },
  );
  registry.register(
    { name: "list_folder", description: "lists the names in a folder", parameters: { type: "object", properties: { path: pathSchema } } },
    (args) => plainly(folderOf(args), () => listFolder(find, folderOf(args))),
    { effects: ["list"], paths: (args) => [{ path: folderOf(args), effect: "list" }] },
  );
  registry.register(
    {
      name: "move_file",
      description: "moves a file or a folder to a new name",
      parameters: { type: "object", properties: { from: pathSchema, to: pathSchema }, required: ["from", "to"] },
    },
    ({ from, to }) => plainly(from, () => moveFile(find, from, to)),
    {
      effects: ["read", "write"],
      executionMode: "sequential",
      paths: ({ from, to }) => [
        { path: from, effect: "read" },
        { path: from, effect: "write" },
        { path: to, effect: "write" },
      ],
    },
  );
}

const inWords: Record<string, string> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder",
  ENOTDIR: "is no folder",
  EEXIST: "exists already",
  ELOOP: "is a link that was not there before",
};

/** Does the work of a tool. What the file system says is told in words, without the place of the workspace. */
function plainly(path: unknown, work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new Error(`${shown(path)} ${inWords[String(error.code)] ?? `cannot be used (${String(error.code)})`}`);
  }
}

function folderOf({ path = "." }: ToolArgs): unknown {
  return path;
}

/** Not followed when the last name became a link, and not waited for when it became a pipe. Windows knows neither. */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function readText(find: Finder, path: unknown): string {
  const place = find(path);
  return withOpened(place, constants.O_RDONLY, (handle) => {
    checkOpened(find, path, place, handle);
    return readFileSync(handle, "utf8");
  });
}

/** An existing file is opened as it is, compared with what was judged, and emptied only then. */
function writeText(find: Finder, path: unknown, text: string): string {
  const place = find(path);
  if (!exists(place.absolute)) return createText(find, path, text);
  return withOpened(place, constants.O_WRONLY, (handle) => {
    const { nlink } = checkOpened(find, path, place, handle);
    if (nlink > 1) throw new Error(`${shown(path)} has a second name somewhere; it is not written`);
    ftruncateSync(handle);
    writeFileSync(handle, text);
    return `wrote ${text.length} characters`;
  });
}

function createText(find: Finder, path: unknown, text: string): string {
  mkdirSync(dirname(find(path).absolute), { recursive: true });
  return withOpened(find(path), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, (handle) => {
    writeFileSync(handle, text);
    return `created, ${text.length} characters`;
  });
}

/** The names in a folder, in a fixed order; those of the secret family are left out. */
function listFolder(find: Finder, path: unknown): string {
  const { absolute } = find(path);
  const names = readdirSync(absolute).filter((name) => !isSecret({ absolute, names: [name], asked: [name] }));
  return names.sort().join("\n") || "the folder is empty";
}

/** Never over something that exists, and never a folder that holds a name of the secret family. */
function moveFile(find: Finder, from: unknown, to: unknown): string {
  const [source, target] = [find(from), find(to)];
  if (source.absolute === target.absolute) return "that is the same place; nothing was moved";
  if (source.names.length === 0) throw new Error("the workspace itself cannot be moved");
  if (!exists(dirname(target.absolute))) throw new Error(`the folder of ${shown(to)} does not exist`);
  if (exists(target.absolute)) throw new Error(`${shown(to)} exists already`);
  if (holdsSecret(source.absolute)) throw new Error(`${shown(from)} holds a name that holds secrets; it is not moved`);
  renameSync(find(from).absolute, find(to).absolute);
  return "moved";
}

function holdsSecret(folder: string): boolean {
  if (!lstatSync(folder).isDirectory()) return false;
  return readdirSync(folder).some((name) => isSecret({ absolute: "", names: [name], asked: [name] }) || holdsSecret(join(folder, name)));
}

function withOpened<Value>({ absolute }: Place, flags: number, use: (handle: number) => Value): Value {
  const handle = openSync(absolute, flags | CAREFULLY, 0o666);
  try {
    return use(handle);
  } finally {
    closeSync(handle);
  }
}

/** What was opened is a regular file, and still the place that was judged. @throws Error before the first byte */
function checkOpened(find: Finder, path: unknown, judged: Place, handle: number): Stats {
  const opened = fstatSync(handle);
  if (!opened.isFile()) throw new Error(`${shown(path)} is no regular file`);
  const now = find(path);
  const there = statSync(now.absolute);
  if (now.absolute !== judged.absolute || there.ino !== opened.ino || there.dev !== opened.dev) {
    throw new Error(`${shown(path)} changed while it was opened`);
  }
  return opened;
}

function exists(absolute: string): boolean {
  return lstatSync(absolute, { throwIfNoEntry: false }) !== undefined;
}

function shown(path: unknown): string {
  return JSON.stringify(path);
}
