/** Blanks out what is no code in a TypeScript source, so that brackets and names can be found by plain search. */

/** What `mask` blanks: comments only, or the insides of strings, templates and regular expressions as well. */
export type Masked = "comments" | "comments and strings";

/**
 * The source with the given parts replaced by spaces: same length, same line breaks, so that a place in the
 * result is the same place in the source. Quotes stay; a `${…}` in a template counts as part of the string.
 */
export function mask(source: string, what: Masked = "comments and strings"): string {
  const out = source.split("");
  const blank = (from: number, to: number): void => {
    for (let at = from; at < to; at++) if (!/[\r\n]/.test(out[at] ?? "\n")) out[at] = " ";
  };
  let at = 0;
  while (at < source.length) {
    const end = endOfToken(source, at);
    if (source.startsWith("//", at) || source.startsWith("/*", at)) blank(at, end);
    else if (end > at + 1 && what === "comments and strings") blank(at + 1, end - 1);
    at = end;
  }
  return out.join("");
}

/**
 * The place after the comment, string, template or regular expression that starts at `at`; `at + 1` for
 * anything else.
 */
function endOfToken(source: string, at: number): number {
  const char = source[at];
  if (source.startsWith("//", at)) return orEnd(source, source.slice(at).search(/\r?\n/), at);
  if (source.startsWith("/*", at)) return orEnd(source, source.indexOf("*/", at + 2), 2);
  if (char === '"' || char === "'") return endOfString(source, at);
  if (char === "`") return endOfTemplate(source, at);
  if (char === "/" && regexMayStart(source, at)) return endOfRegex(source, at);
  return at + 1;
}

function orEnd(source: string, found: number, plus: number): number {
  return found === -1 ? source.length : found + plus;
}

function endOfString(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === source[from]) return at + 1;
    else if (source[at] === "\n") return at;
  }
  return source.length;
}

function endOfTemplate(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "`") return at + 1;
    else if (source.startsWith("${", at)) at = endOfSubstitution(source, at + 2) - 1;
  }
  return source.length;
}

function endOfSubstitution(source: string, from: number): number {
  let depth = 1;
  for (let at = from; at < source.length;) {
    if (source[at] === "{") depth++;
    if (source[at] === "}" && --depth === 0) return at + 1;
    at = endOfToken(source, at);
  }
  return source.length;
}

/** A slash divides after a value and starts a regular expression after anything else. */
function regexMayStart(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 40), at).trimEnd();
  return before === "" || /[=(,:[!&|?{};+\-*%<>~^]$|\b(return|typeof|case|in|of|await)$/.test(before);
}

function endOfRegex(source: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < source.length; at++) {
    const char = source[at];
    if (char === "\n") return from + 1;
    if (char === "\\") at++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return at + 1;
  }
  return from + 1;
}
