/** `<!-- excerpt: loop.ts#runLoop -->`: a piece of code, found by the name of what it declares. */

import { membersAt, type Declaration } from "../../symbols.ts";
import { BlockError, pathOf, windowOf, windowOptions, type Given, type Kind } from "./kind.ts";

const longest = 15;

export const excerpt: Kind = {
  form: "fence",
  fence: "ts",
  usage:
    '<!-- excerpt: file.ts#symbol --> or file.ts#Class.method, with from="text" to="text" for a part, comment=no, long="reason"',
  options: [...windowOptions, "comment", "long"],
  produce(given) {
    const [named = ""] = given.marker.words;
    const [file = "", symbol] = named.split("#");
    const path = pathOf(given, file);
    const source = given.sources.text(path);
    if (source === undefined) throw new BlockError(`there is no file ${path}`);
    const { options } = given.marker;
    if (symbol === undefined && options.from === undefined)
      throw new BlockError(`name a symbol (${file}#symbol) or a part (from="text")`);
    const all = source.split("\n");
    const lines = symbol === undefined ? all : linesOf(given, path, all, symbol);
    const part = dedent(windowOf(lines, options));
    if (part.length > longest && !options.long) {
      throw new BlockError(
        `${part.length} lines, and ${longest} is the limit: show a part (from="…" to="…"), or say long="why"`,
      );
    }
    return part.join("\n");
  },
};

function linesOf(given: Given, path: string, all: readonly string[], symbol: string): readonly string[] {
  const [name = "", member] = symbol.split(".");
  const found = (given.sources.declarations(path) ?? []).filter((each) => each.name === name);
  const [only, second] = found;
  if (!only) throw new BlockError(`no declaration "${name}" in ${path}; it declares: ${namesIn(given, path)}`);
  if (second) throw new BlockError(`ambiguous: ${path} declares "${name}" ${found.length} times`);
  const range = member === undefined ? only : memberRange(all, only, member, path);
  const lines = all.slice(range.from, range.to + 1);
  return given.marker.options.comment === "no" ? withoutComment(lines) : lines;
}

function namesIn(given: Given, path: string): string {
  return (given.sources.declarations(path) ?? []).map((each) => each.name).join(", ") || "nothing";
}

function memberRange(all: readonly string[], owner: Declaration, name: string, path: string) {
  const members = membersAt(all, owner);
  const found = members.filter((each) => each.name === name);
  const [only, second] = found;
  if (!only)
    throw new BlockError(
      `"${owner.name}" in ${path} has no "${name}"; it has: ${members.map((each) => each.name).join(", ")}`,
    );
  if (second) throw new BlockError(`ambiguous: "${owner.name}" in ${path} has "${name}" ${found.length} times`);
  return only;
}

function withoutComment(lines: readonly string[]): readonly string[] {
  const first = lines[0]?.trim() ?? "";
  if (first.startsWith("//")) return withoutComment(lines.slice(1));
  if (!first.startsWith("/*")) return lines;
  return lines.slice(lines.findIndex((line) => line.includes("*/")) + 1);
}

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const common = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(common));
}
