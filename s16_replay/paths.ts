/**
 * s11: where a path really leads, judged the same way by the gate and by the tool.
 * Still missing: a place can change between judging and opening it.
 */

import { lstatSync, realpathSync } from "node:fs";
import nodePath from "node:path";

/** What `locate` asks the file system. A test gives another one. */
export type PathSystem = {
  /** The rules of a path: `path.posix` or `path.win32`. */
  rules: nodePath.PlatformPath;
  /** The path without links. Throws as `fs.realpathSync` does. */
  realpath(path: string): string;
  /** True for a link, whether or not it leads somewhere. Throws when nothing has this name. */
  isLink(path: string): boolean;
};

const thisSystem: PathSystem = {
  rules: nodePath,
  realpath: (path) => realpathSync.native(path),
  isLink: (path) => lstatSync(path).isSymbolicLink(),
};

/** A place inside the root. */
export type Place = {
  /** What must be opened: no link is left in it, as far as it exists. */
  absolute: string;
  /** The names from the root to the place, links followed. Empty for the root itself. */
  names: string[];
  /** The names as they were asked for, links not followed. */
  asked: string[];
};

/** A place, or why the path leads to none. The reason is for the model: it names what was asked, never where the root is. */
export type Located = { place: Place } | { refused: string };

/**
 * Where a path leads, seen from the root of the workspace. Both are freed from links; of a path that does not exist yet the
 * part that exists. What leads outside, or cannot be known, is refused. Never throws, opens and changes nothing.
 */
export function locate(root: string, path: unknown, system: PathSystem = thisSystem): Located {
  const fault = faultOf(path, system.rules);
  if (fault !== undefined || typeof path !== "string") return { refused: fault ?? "a path must be a text" };
  const { rules } = system;
  try {
    const lexicalRoot = rules.resolve(root);
    const realRoot = system.realpath(lexicalRoot);
    const lexical = rules.resolve(lexicalRoot, path);
    const absolute = realOf(lexical, system);
    const names = namesInside(realRoot, absolute, rules);
    if (!names) return { refused: `${JSON.stringify(path)} leads out of the workspace` };
    if (realOf(absolute, system) !== absolute) return { refused: `${JSON.stringify(path)} has a name that cannot be written as a text` };
    const asked = namesInside(lexicalRoot, lexical, rules) ?? namesInside(realRoot, lexical, rules) ?? lexical.split(rules.sep);
    return { place: { absolute, names, asked } };
  } catch (error) {
    return { refused: `${JSON.stringify(shortened(path))} cannot be judged: ${codeOf(error)}` };
  }
}

const LONGEST = 1_000;
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\..*)?$/i;

/** What makes a text no path at all, before anything is asked of the file system. */
function faultOf(path: unknown, rules: nodePath.PlatformPath): string | undefined {
  if (typeof path !== "string") return `a path must be a text, not ${path === null ? "null" : typeof path}`;
  const shown = JSON.stringify(shortened(path));
  if (path.trim() === "") return "a path must not be empty";
  if (path.length > LONGEST) return `${shown} is too long for a path`;
  if (/[\u0000-\u001f\u007f]/.test(path)) return `${shown} holds a control character`;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return `${shown} is an address, not a path`;
  if (rules.sep !== "\\") return undefined;
  const names = path.replace(/^[a-z]:/i, "").split(/[\\/]/).filter((name) => name !== "." && name !== "..");
  return names.some((name) => /[. ]$|:/.test(name) || DEVICES.test(name)) ? `${shown} holds a name that Windows reads otherwise` : undefined;
}

/** The path without links: of the deepest part that exists, with the names that do not exist yet behind it. */
function realOf(path: string, system: PathSystem): string {
  try {
    return system.realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    if (leadsNowhere(path, system)) throw Object.assign(new Error(), { code: "a link leads nowhere" });
    const parent = system.rules.dirname(path);
    if (parent === path) throw error;
    return system.rules.join(realOf(parent, system), system.rules.basename(path));
  }
}

function leadsNowhere(path: string, system: PathSystem): boolean {
  try {
    return system.isLink(path);
  } catch {
    return false;
  }
}

/** The names from `root` to `target`, or undefined when `target` is not inside. Compares names, not the beginnings of texts. */
function namesInside(root: string, target: string, rules: nodePath.PlatformPath): string[] | undefined {
  const relative = rules.relative(root, target);
  if (relative === ".." || relative.startsWith(`..${rules.sep}`) || rules.isAbsolute(relative)) return undefined;
  return relative === "" ? [] : relative.split(rules.sep);
}

/** True when the names fit the pattern: `*` stands for a part of one name, `**` for any number of names. */
export function matches(pattern: string, names: readonly string[]): boolean {
  return matchesFrom(pattern.split("/"), names);
}

/** The same for what must not be touched: every spelling that some file system takes for the same name fits. */
function matchesFolded(pattern: string, names: readonly string[]): boolean {
  return matchesFrom(pattern.split("/").map(fold), names.map(fold));
}

function matchesFrom(pattern: readonly string[], names: readonly string[]): boolean {
  return fits(pattern, names, "**", matchesName);
}

function matchesName(pattern: string, name: string): boolean {
  return fits([...pattern], [...name], "*", (part, letter) => part === letter);
}

/**
 * A star takes as little as it can, and one more whenever what stands behind it does not fit. Only the last star is tried
 * again, so a path that the model chose cannot keep the gate busy: the steps are at most the product of the two lengths.
 */
function fits(pattern: readonly string[], items: readonly string[], star: string, same: (part: string, item: string) => boolean): boolean {
  let part = 0;
  let last: { part: number; item: number } | undefined;
  for (let item = 0; item < items.length; ) {
    const here = pattern[part];
    if (here === star) last = { part: ++part, item };
    else if (here !== undefined && same(here, items[item] ?? "")) [part, item] = [part + 1, item + 1];
    else if (last) [part, item] = [last.part, ++last.item];
    else return false;
  }
  return pattern.slice(part).every((rest) => rest === star);
}

function fold(name: string): string {
  return name.normalize("NFC").replace(/\p{Default_Ignorable_Code_Point}/gu, "").toLowerCase();
}

/** Names that nobody but their owner needs, at any depth, and those that only look like them. */
export const SECRETS = {
  paths: ["**/.env", "**/.env.*", "**/.envrc"],
  except: ["**/.env.example", "**/.env.sample", "**/.env.local.example"],
} as const;

/** True when the place, or a folder above it, has a name of the secret family: as it was asked for, or where it leads. */
export function isSecret({ names, asked }: Place): boolean {
  return isNamed(SECRETS, names) || isNamed(SECRETS, asked);
}

/** True when the names, or a folder above them, fit one of the patterns in any spelling, and are no exception to the letter. */
export function isNamed({ paths, except }: { paths: readonly string[]; except: readonly string[] }, names: readonly string[]): boolean {
  return names.some((_name, index) => {
    const part = names.slice(0, index + 1);
    return paths.some((pattern) => matchesFolded(pattern, part)) && !except.some((pattern) => matches(pattern, part));
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

function shortened(path: string): string {
  return path.length > 60 ? `${path.slice(0, 60)}…` : path;
}
