/**
 * Links: those inside the repository must lead somewhere, anchors included; of the others only the form is
 * looked at.
 */

import { readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { Parsed } from "./markers.ts";
import type { Page, Problem } from "./page.ts";
import { headingsOf } from "./sections.ts";
import type { Sources } from "./sources.ts";

export type Link = { target: string; line: number };

const forms = [
  /\]\(\s*<([^>]+)>/g,
  /\]\(\s*([^)\s<]+)(?:\s+["'(][^)]*)?\s*\)/g,
  /^\s*\[[^\]]+\]:\s*(\S+)/g,
  /\b(?:href|src)="([^"]*)"/g,
  /<((?:https?|mailto):[^>\s]+)>/g,
];

/**
 * Every link and image of a page, outside of fences and inline code, in order of lines. Generated tables
 * included.
 */
export function linksOf(parsed: Parsed): Link[] {
  const fenced = new Set<number>();
  for (const { line, lines } of parsed.fences)
    for (let at = line; at <= line + lines.length + 1; at++) fenced.add(at);
  for (const { form, first, last } of parsed.blocks)
    if (form === "fence") for (let at = first; at <= last; at++) fenced.add(at);
  return parsed.lines.flatMap((text, line) => {
    if (fenced.has(line)) return [];
    const bare = text.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, (found) => "`".repeat(found.length));
    return forms.flatMap((form) => [...bare.matchAll(form)]).map((found) => ({ target: found[1]!, line }));
  });
}

/** Links of a page that lead nowhere, leave the repository, or lead to the other language without need. */
export function linkProblems(
  page: Pick<Page, "path"> & Partial<Page>,
  parsed: Parsed,
  sources: Sources,
): Problem[] {
  return linksOf(parsed).flatMap(({ target, line }) => {
    const message = isExternal(target) ? externalFault(target) : internalFault(page, target, sources);
    return message ? [{ page: page.path, line: line + 1, about: target, message }] : [];
  });
}

function isExternal(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(target);
}

function externalFault(target: string): string | undefined {
  if (!/^(https?|mailto):/.test(target)) return "only https:, http: and mailto: lead out of the repository";
  return URL.canParse(target) ? undefined : "no well-formed address";
}

function internalFault(
  page: Pick<Page, "path"> & Partial<Page>,
  target: string,
  sources: Sources,
): string | undefined {
  if (target.startsWith("/")) return "start from the folder of this page, not with /";
  const { path, anchor } = resolve(page.path, target);
  if (path.startsWith("..")) return "leads out of the repository";
  const kind = kindOf(sources.course.root, path);
  if (kind === undefined) return `there is no ${path} (spelled exactly like this)`;
  if (anchor !== undefined) {
    if (!path.endsWith(".md")) return "only a page has anchors; name the file, and the symbol in the text";
    const anchors = anchorsOf(sources.text(path) ?? "");
    if (!anchors.includes(anchor))
      return `${path} has no heading #${anchor}; it has: ${anchors.map((each) => `#${each}`).join(" ")}`;
  }
  return kind === "file" ? languageFault(page, path, sources) : undefined;
}

/** A Chinese page links to Chinese pages where they exist, and an English page to English ones. */
function languageFault(
  page: Pick<Page, "path"> & Partial<Page>,
  path: string,
  sources: Sources,
): string | undefined {
  if (!page.language || path === page.pair || !path.endsWith(".md")) return undefined;
  const same = page.language === "zh" ? path.replace(/(\.zh)?\.md$/, ".zh.md") : path.replace(/\.zh\.md$/, ".md");
  if (same === path || sources.text(same) === undefined) return undefined;
  return `leads to the other language; link ${same}`;
}

function resolve(from: string, target: string): { path: string; anchor?: string } {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from : posix.normalize(posix.join(posix.dirname(from), decode(file)));
  return { path: path.replace(/\/$/, ""), ...(anchor === undefined ? {} : { anchor: decode(anchor) }) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Found by listing folders, so that a wrong capital letter is seen on every system. */
function kindOf(root: string, path: string): "file" | "folder" | undefined {
  if (path === "." || path === "") return "folder";
  const names = path.split("/");
  let folder = root;
  for (const name of names) {
    if (!statSync(folder).isDirectory() || !readdirSync(folder).includes(name)) return undefined;
    folder = join(folder, name);
  }
  return statSync(folder).isDirectory() ? "folder" : "file";
}

/** The anchors that GitHub gives the headings of a page, and those written as `id` or `name`. */
export function anchorsOf(source: string): string[] {
  const used = new Map<string, number>();
  const slugs = headingsOf(source).map(({ title }) => {
    const slug = slugOf(title);
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
  return [...slugs, ...[...source.matchAll(/<a\s[^>]*\b(?:id|name)="([^"]+)"/g)].map((found) => found[1]!)];
}

/**
 * GitHub's rule: lower case; letters, digits, `_` and `-` of any script stay; blanks become `-`; everything
 * else goes.
 */
export function slugOf(title: string): string {
  const text = title.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/<[^>]+>/g, "");
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** The target as it is the same in both languages: `.zh` left out, an anchor as the number of its heading. */
export function targetInBoth(page: Page, target: string, sources: Sources): string {
  if (isExternal(target)) return target;
  const { path, anchor } = resolve(page.path, target);
  const file = path.replace(/\.zh\.md$/, ".md");
  if (anchor === undefined) return file;
  const at = anchorsOf(sources.text(path) ?? "").indexOf(anchor);
  return `${file}#${at === -1 ? anchor : `heading ${at + 1}`}`;
}
