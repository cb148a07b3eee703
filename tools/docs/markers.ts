/** Reading the markers of a page: HTML comments that name where the block below them comes from. */

/**
 * How the block of a marker ends: a fenced code block, a closing marker `<!-- /kind -->`, or there is no
 * block.
 */
export type Form = "fence" | "section" | "none";

export type Marker = {
  /** `excerpt` of `<!-- excerpt: loop.ts#runLoop from="const" -->` */
  kind: string;
  /** The whole comment, as it stands in the page. */
  text: string;
  /** `["loop.ts#runLoop"]` */
  words: string[];
  /** `{ from: "const" }` */
  options: Record<string, string>;
  /** Line number from 0. */
  line: number;
};

/**
 * A marker with its block. `start` and `end` are places in the source: what lies between them belongs to
 * the machine.
 */
export type Block = {
  marker: Marker;
  form: "fence" | "section";
  start: number;
  end: number;
  /** The same as line numbers, both included; `last` is before `first` when nothing stands there. */
  first: number;
  last: number;
  /** What stands there now, with LF, without the indentation of a fence. */
  content: string;
  indent: string;
};

/** A fenced code block without a marker. */
export type Fence = { line: number; language: string; lines: string[] };

export type Fault = { line: number; about: string; message: string };

export type Parsed = {
  source: string;
  lines: string[];
  blocks: Block[];
  /** Markers that have no block by nature. */
  notes: Marker[];
  fences: Fence[];
  faults: Fault[];
  /** For each line: true when a person wrote it as text (no fence, no marker, nothing generated). */
  isProse: boolean[];
};

type Line = { text: string; start: number; next: number };

/**
 * Reads a page. `forms` knows the marker kinds; every other comment that stands on a line of its own is a
 * fault.
 */
export function parsePage(source: string, forms: Readonly<Record<string, Form>>): Parsed {
  const lines = linesOf(source);
  const texts = lines.map((line) => line.text);
  const parsed: Parsed = {
    source,
    lines: texts,
    blocks: [],
    notes: [],
    fences: [],
    faults: [],
    isProse: texts.map(() => true),
  };
  for (let at = 0; at < lines.length;) at = readOne(parsed, lines, at, forms);
  return parsed;
}

function linesOf(source: string): Line[] {
  const lines: Line[] = [];
  for (const found of source.matchAll(/([^\r\n]*)(\r?\n|\r|$)/g)) {
    if (found[0] === "" && found.index === source.length && lines.length > 0 && !source.endsWith("\n")) break;
    lines.push({ text: found[1]!, start: found.index, next: found.index + found[0].length });
    if (found.index + found[0].length >= source.length && found[2] === "") break;
  }
  return lines;
}

/** Reads what starts at line `at`, and returns the line after it. */
function readOne(
  parsed: Parsed,
  lines: readonly Line[],
  at: number,
  forms: Readonly<Record<string, Form>>,
): number {
  const text = lines[at]!.text;
  const fence = fenceAt(lines, at);
  if (fence) return readFence(parsed, lines, at, fence);
  if (!/^\s*<!--/.test(text)) return at + 1;

  parsed.isProse[at] = false;
  const read = parseMarker(text, at);
  if (typeof read === "string") return skipBlock(parsed, lines, faulty(parsed, at, text, read));
  const form = Object.hasOwn(forms, read.kind) ? forms[read.kind] : undefined;
  if (form === undefined) {
    const known = Object.keys(forms).join(", ");
    const next = faulty(parsed, at, read.text, `unknown marker kind "${read.kind}"; kinds: ${known}`);
    return skipBlock(parsed, lines, next);
  }
  if (form === "none") {
    parsed.notes.push(read);
    return at + 1;
  }
  return form === "fence" ? readFencedBlock(parsed, lines, read) : readSection(parsed, lines, read);
}

function faulty(parsed: Parsed, line: number, about: string, message: string): number {
  parsed.faults.push({ line, about: about.trim(), message });
  return line + 1;
}

/** Leaves out the fence below a faulty marker: one mistake is one fault. */
function skipBlock(parsed: Parsed, lines: readonly Line[], at: number): number {
  let next = at;
  while (next < lines.length && lines[next]!.text.trim() === "") next++;
  const fence = fenceAt(lines, next);
  return fence ? leaveOut(parsed, next, fence.close) : at;
}

type OpenFence = { indent: string; language: string; close: number; isClosed: boolean };

/** The fence that opens at line `at`, with the line that closes it (or the last line of the page). */
function fenceAt(lines: readonly Line[], at: number): OpenFence | undefined {
  const opened = /^(\s*)(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(lines[at]?.text ?? "");
  if (!opened) return undefined;
  const [, indent = "", ticks = "", language = ""] = opened;
  const closing = new RegExp(`^\\s*${ticks[0]}{${ticks.length},}\\s*$`);
  const found = lines.findIndex((line, index) => index > at && closing.test(line.text));
  return { indent, language, close: found === -1 ? lines.length - 1 : found, isClosed: found !== -1 };
}

function readFence(parsed: Parsed, lines: readonly Line[], at: number, fence: OpenFence): number {
  if (!fence.isClosed) faulty(parsed, at, lines[at]!.text, "this fenced block is never closed");
  const inside = lines.slice(at + 1, fence.close).map((line) => line.text);
  parsed.fences.push({ line: at, language: fence.language, lines: inside });
  return leaveOut(parsed, at, fence.close);
}

function leaveOut(parsed: Parsed, from: number, to: number): number {
  parsed.isProse.fill(false, from, to + 1);
  return to + 1;
}

function readFencedBlock(parsed: Parsed, lines: readonly Line[], marker: Marker): number {
  let at = marker.line + 1;
  while (at < lines.length && lines[at]!.text.trim() === "") at++;
  const fence = fenceAt(lines, at);
  if (!fence) {
    const message = "a marker without a block: put an empty fenced block below it";
    return faulty(parsed, marker.line, marker.text, message);
  }
  // Taken for its block, everything up to a later fence would be overwritten.
  const swallowed = lines.slice(at, fence.close).some((line) => /^\s*<!--.*-->\s*$/.test(line.text));
  if (!fence.isClosed || swallowed) {
    faulty(parsed, marker.line, marker.text, "the fenced block below is not closed before the next marker");
    return leaveOut(parsed, at, fence.close);
  }
  const inside = lines.slice(at, fence.close + 1).map((line) => line.text.replace(fence.indent, ""));
  const last = lines[fence.close]!;
  const content = inside.join("\n");
  const range = { start: lines[at]!.start, end: last.start + last.text.length, first: at, last: fence.close };
  parsed.blocks.push({ marker, form: "fence", ...range, content, indent: fence.indent });
  return leaveOut(parsed, at, fence.close);
}

function readSection(parsed: Parsed, lines: readonly Line[], marker: Marker): number {
  const closing = new RegExp(`^\\s*<!--\\s*/${marker.kind}\\s*-->\\s*$`);
  const opening = new RegExp(`^\\s*<!--\\s*${marker.kind}\\s*(:.*)?-->\\s*$`);
  const close = lines.findIndex(
    (line, index) => index > marker.line && (closing.test(line.text) || opening.test(line.text)),
  );
  if (close === -1 || opening.test(lines[close]!.text)) {
    const remedy = `a marker without a block: end it with <!-- /${marker.kind} --> on a line of its own`;
    return faulty(parsed, marker.line, marker.text, remedy);
  }
  const inside = lines.slice(marker.line + 1, close);
  const content = inside.map((line) => `${line.text}\n`).join("");
  const range = {
    start: lines[marker.line]!.next,
    end: lines[close]!.start,
    first: marker.line + 1,
    last: close - 1,
  };
  parsed.blocks.push({ marker, form: "section", ...range, content, indent: "" });
  return leaveOut(parsed, marker.line, close);
}

/** The marker in a line, or what is wrong with it. */
function parseMarker(line: string, at: number): Marker | string {
  const found = /^\s*<!--\s*(.*?)\s*-->\s*$/.exec(line);
  if (!found) return "a comment must end on its own line, and nothing may follow it there";
  const closing = /^\/([a-z-]+)$/.exec(found[1]!);
  if (closing) return `closes a marker "${closing[1]}" that was not opened`;
  const parts = /^([a-z][a-z-]*)(?::\s*(.*))?$/.exec(found[1]!);
  if (!parts) return "not a marker: a comment on its own line must read <!-- kind --> or <!-- kind: words -->";
  const { words, options } = splitWords(parts[2] ?? "");
  return { kind: parts[1]!, text: line.trim(), words, options, line: at };
}

const word = /([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\S*))|"((?:[^"\\]|\\.)*)"|(\S+)/gy;

/**
 * Words between blanks; `name=value` becomes an option; quotes hold blanks together, and `\n`, `\t`, `\"`
 * mean what they do in code.
 */
function splitWords(text: string): Pick<Marker, "words" | "options"> {
  const words: string[] = [];
  const options: Record<string, string> = {};
  let rest = text.trim();
  while (rest !== "") {
    word.lastIndex = 0;
    const [whole = rest, name, double, single, plain, quoted, bare] = word.exec(rest) ?? [];
    if (name !== undefined) options[name] = unescape(double ?? single ?? "") || (plain ?? "");
    else words.push(quoted === undefined ? (bare ?? whole) : unescape(quoted));
    rest = rest.slice(whole.length).trimStart();
  }
  return { words, options };
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => ({ n: "\n", t: "\t" })[char] ?? char);
}
