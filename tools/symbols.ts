/**
 * The top-level declarations of a TypeScript source, found by text: the code of the course is written so
 * that this works.
 */

import { mask } from "./mask.ts";

export type Member = { name: string; text: string };

export type Declaration = {
  kind: "function" | "class" | "type" | "interface" | "const";
  name: string;
  exported: boolean;
  /**
   * One line, without body and without `export`: `function f(a: string): number`, `class A<T>`, `type A =
   * "x" | "y"`.
   */
  signature: string;
  /** Line numbers from 0, both included: from the comment directly above to the line that ends it. */
  from: number;
  to: number;
  /** Of object types, interfaces and classes, in order: one-line text without bodies and comments. */
  members: Member[];
};

/**
 * Both views of one source: `code` without comments, `bare` without the insides of strings too. Same places
 * in all.
 */
type Source = { code: string; bare: string };

const start =
  /^(export )?(?:(?:default|declare|abstract|async) )*(function\*?|class|type|interface|const|let|var) +([\p{L}_$][\p{L}\p{N}_$]*)/u;

/**
 * The declarations that start at column 0, in order. `let` and `var` count as `const`. LF and CRLF are both
 * read.
 */
export function declarations(source: string): Declaration[] {
  const text = source.replaceAll("\r\n", "\n");
  const read: Source = { code: mask(text, "comments"), bare: mask(text) };
  const lines = text.split("\n");
  const bareLines = read.bare.split("\n");
  const found: Declaration[] = [];
  let place = 0;
  for (let line = 0; line < lines.length; line++) {
    const head = start.exec(bareLines[line] ?? "");
    if (head) {
      const end = endOf(read.bare, place, kindOf(head[2]!));
      const to = line + count(text.slice(place, end.at), "\n");
      found.push({ ...describe(read, place, head, end), from: commentAbove(lines, line), to });
      for (; line < to; line++) place += lines[line]!.length + 1;
    }
    place += lines[line]!.length + 1;
  }
  return found;
}

function kindOf(word: string): Declaration["kind"] {
  if (word.startsWith("function")) return "function";
  if (word === "class" || word === "type" || word === "interface") return word;
  return "const";
}

/** Where a declaration ends (the place after its last character) and where its body's `{` is, if it has one. */
type End = { at: number; body?: number };

function endOf(bare: string, from: number, kind: Declaration["kind"]): End {
  let depth = 0;
  let body: number | undefined;
  for (let at = from; at < bare.length; at++) {
    const char = bare[at]!;
    if (char === "{" && depth === 0) body = at;
    if ("([{".includes(char)) depth++;
    if (")]}".includes(char)) depth--;
    if (depth === 0 && char === ";") return kind === "function" ? { at: at + 1 } : withBody(at + 1, body);
    if (depth === 0 && char === "}" && hasBody(kind) && endsLine(bare, at + 1)) return withBody(at + 1, body);
    if (depth < 0) return withBody(at, body);
  }
  return withBody(bare.length, body);
}

function withBody(at: number, body: number | undefined): End {
  return body === undefined ? { at } : { at, body };
}

function hasBody(kind: Declaration["kind"]): boolean {
  return kind === "function" || kind === "class" || kind === "interface";
}

function endsLine(bare: string, at: number): boolean {
  return /^[^\S\n]*(\n|$)/.test(bare.slice(at, at + 200));
}

function describe(
  { code, bare }: Source,
  place: number,
  head: RegExpExecArray,
  end: End,
): Omit<Declaration, "from" | "to"> {
  const kind = kindOf(head[2]!);
  const named = { kind, name: head[3]!, exported: head[1] !== undefined };
  const whole = { code: code.slice(place, end.at), bare: bare.slice(place, end.at) };
  const body = end.body === undefined ? undefined : end.body - place;
  if (kind === "function") return { ...named, signature: headLine(whole.code.slice(0, body)), members: [] };
  if (kind === "const")
    return { ...named, signature: headLine(whole.code.slice(0, endOfConstHead(whole.bare))), members: [] };
  const isObject =
    kind !== "type" || /^[^{]*= *\{$/.test(whole.bare.slice(0, (body ?? 0) + 1).replace(/<.*>/s, ""));
  if (body === undefined || !isObject || !/\} *;?$/.test(whole.bare)) {
    return { ...named, signature: headLine(whole.code), members: [] };
  }
  const signature = headLine(whole.code.slice(0, body).replace(/= *$/, ""));
  const members = membersOf(whole, body + 1).map(({ name, text }) => ({ name, text }));
  return { ...named, signature, members };
}

/** `const f = (a: string): number` of an arrow function, `const x: T` or `const x` of any other value. */
function endOfConstHead(bare: string): number {
  const equals = placeAtDepth0(bare, 0, /^=(?![=>])/);
  if (equals === -1) return bare.length;
  const value = bare.slice(equals + 1).trimStart();
  const arrow = placeAtDepth0(bare, equals + 1, /^=>/);
  return /^(async )?[(<\w]/.test(value) && arrow !== -1 ? arrow : equals;
}

function placeAtDepth0(bare: string, from: number, wanted: RegExp): number {
  let depth = 0;
  for (let at = from; at < bare.length; at++) {
    if (depth === 0 && wanted.test(bare.slice(at, at + 2))) return at;
    if ("([{".includes(bare[at]!)) depth++;
    if (")]}".includes(bare[at]!)) depth--;
  }
  return -1;
}

/** A member with its line numbers in the file, the comment directly above included. */
export type PlacedMember = Member & { from: number; to: number };

/** The members of a declaration with their places. `lines` are all lines of the file that it came from. */
export function membersAt(lines: readonly string[], declaration: Declaration): PlacedMember[] {
  const text = lines.slice(declaration.from, declaration.to + 1).join("\n");
  const read: Source = { code: mask(text, "comments"), bare: mask(text) };
  const head = /^(export|abstract|class|type|interface)\b/m.exec(read.bare)?.index ?? 0;
  const body = endOf(read.bare, head, declaration.kind).body;
  if (body === undefined || declaration.members.length === 0) return [];
  const lineOf = (place: number) => declaration.from + count(text.slice(0, place), "\n");
  return membersOf(read, body + 1).map(({ start: first, end, ...member }) => ({
    ...member,
    from: commentAbove(lines, lineOf(first)),
    to: lineOf(end - 1),
  }));
}

/**
 * Reads members one after the other up to the `}` that closes the body. Places are of the member, body
 * included.
 */
function membersOf({ code, bare }: Source, from: number): (Member & { start: number; end: number })[] {
  const members: (Member & { start: number; end: number })[] = [];
  let at = from;
  while (at < bare.length) {
    at += bare.slice(at).search(/\S|$/);
    if (at >= bare.length || bare[at] === "}") break;
    const end = endOfMember(bare, at);
    const text = oneLine(code.slice(at, end.body ?? end.at)).replace(/[;,]$/, "");
    if (text) members.push({ name: memberName(text), text, start: at, end: end.at });
    at = end.at;
  }
  return members;
}

/**
 * A member ends at `;` (a comma may stand inside `Record<a, b>`), at the `}` of a method's body, or before
 * the `}` that closes the whole.
 */
function endOfMember(bare: string, from: number): End {
  let depth = 0;
  let body: number | undefined;
  let isMethod = false;
  let isValue = false;
  for (let at = from; at < bare.length; at++) {
    const char = bare[at]!;
    if (depth === 0 && char === ";") return { at: at + 1 };
    if (depth === 0 && char === "}") return { at };
    if (depth === 0 && char === "(" && !isValue) isMethod = true;
    if (depth === 0 && (char === ":" || char === "=") && !isMethod) isValue = true;
    if (depth === 0 && char === "{") body = at;
    if ("([{".includes(char)) depth++;
    if (")]}".includes(char)) depth--;
    if (depth === 0 && char === "}" && isMethod && endsLine(bare, at + 1)) return withBody(at + 1, body);
  }
  return { at: bare.length };
}

const modifiers =
  /^(?:(?:public|private|protected|static|override|readonly|async|abstract|get|set|declare|accessor)\s+|\*\s*)+(?=[#\w$["])/;

function memberName(text: string): string {
  const bare = text.replace(modifiers, "");
  return (
    /^(?:"([^"]*)"|(\[[^\]]*\]|[#\w$]+))/
      .exec(bare)
      ?.slice(1)
      .find((each) => each !== undefined) ?? bare
  );
}

function headLine(text: string): string {
  return oneLine(text)
    .replace(/^export /, "")
    .replace(/^default /, "")
    .replace(/;$/, "");
}

/** Line breaks become single spaces, and the commas and bars that only suit several lines go. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/,? ?([)\]])/g, "$1")
    .replace(/([([]) /g, "$1")
    .replace(/([=(<:&]) \| /g, "$1 ")
    .replace(/; \}/g, " }")
    .trim();
}

/** The first line of the comment that ends directly above `line`, or `line` itself. */
function commentAbove(lines: readonly string[], line: number): number {
  let first = line;
  while (/^\s*\/\//.test(lines[first - 1] ?? "")) first--;
  if (first !== line || !/\*\/\s*$/.test(lines[line - 1] ?? "")) return first;
  for (let at = line - 1; at >= 0; at--) if (/^\s*\/\*/.test(lines[at]!)) return at;
  return line;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
