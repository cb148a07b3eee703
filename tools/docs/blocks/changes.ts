/** `<!-- changes -->`: what a lesson changes, symbol by symbol, then file by file, then why. */

import { lessonBefore, type Language, type Lesson } from "../../../shared/course.ts";
import { codeFilesOf } from "../../lesson-files.ts";
import type { Declaration } from "../../symbols.ts";
import type { Sources } from "../sources.ts";
import { code, lessonOf, table, type Kind } from "./kind.ts";

/** A declaration, the file that holds it, and its text without the comment above. */
type Symbol = Declaration & { file: string; body: string };

/** A symbol in the lesson before, in this one, or in both. */
type Pair = { old?: Symbol; now?: Symbol };

const words = {
  en: {
    type: "new type",
    interface: "new type",
    class: "new class",
    function: "new function",
    const: "new constant",
    helper: "new, used inside its file only",
    changed: "changed",
    body: "changed inside, same signature",
    moved: "moved",
    gone: "gone",
    same: "unchanged in the files touched",
    file: "file",
    lines: "lines",
    comma: ", ",
    new: "new",
    deleted: "deleted",
    sameBytes: "same bytes",
    diff: "The whole difference:",
    why: "Why so much changes in old files:",
    upgrades: "Given up on purpose:",
    in: (file: string) => ` in \`${file}\``,
    join: ", ",
    next: "; ",
    colon: ": ",
  },
  zh: {
    type: "新类型",
    interface: "新类型",
    class: "新类",
    function: "新函数",
    const: "新常量",
    helper: "新增，只在本文件内使用",
    changed: "有变化",
    body: "内部有改动，签名不变",
    moved: "换了位置",
    gone: "去掉",
    same: "改动过的文件里，没有变的",
    file: "文件",
    lines: "行数",
    comma: "，",
    new: "新增",
    deleted: "删除",
    sameBytes: "逐字节相同",
    diff: "完整的差异：",
    why: "为什么旧文件改动这么多：",
    upgrades: "有意放弃的：",
    in: (file: string) => `（\`${file}\`）`,
    join: "、",
    next: "；",
    colon: "：",
  },
};

type Words = (typeof words)[Language];

export const changes: Kind = {
  form: "section",
  usage: "<!-- changes --> … <!-- /changes -->",
  produce(given) {
    const lesson = lessonOf(given);
    const { sources, page } = given;
    const before = lessonBefore(sources.course, lesson);
    const said = words[page.language];
    const pairs = pairsOf(sources, before, lesson);
    const parts = [
      symbolTable(pairs, before, lesson, said),
      restOf(pairs, said),
      fileTable(sources, before, lesson, said),
      ...(before ? [`${said.diff}\n\n\`\`\`sh\nnpm run diff ${before.id} ${lesson.id}\n\`\`\``] : []),
      ...(lesson.why ? [`**${said.why}** ${lesson.why[page.language]}`] : []),
      ...upgradesOf(lesson, page.language, said),
    ];
    return parts.filter((part) => part !== "").join("\n\n");
  },
};

function upgradesOf(lesson: Lesson, language: Language, said: Words): string[] {
  if (!lesson.upgrades?.length) return [];
  const lines = lesson.upgrades.map(
    ({ from, to, why }) => `- \`${from}\` → \`${to}\`${said.colon}${why[language]}`,
  );
  return [`**${said.upgrades}**\n\n${lines.join("\n")}`];
}

function symbolsOf(sources: Sources, lesson: Lesson | undefined): Symbol[] {
  if (!lesson) return [];
  return codeFilesOf(sources.course, lesson).flatMap((file) => {
    const path = `${lesson.folder}/${file}`;
    const lines = (sources.text(path) ?? "").split("\n");
    return (sources.declarations(path) ?? []).map((each) => {
      const text = lines.slice(each.from, each.to + 1).join("\n");
      return { ...each, file, body: text.replace(/^(\s*\/\/[^\n]*\n)+|^\s*\/\*[\s\S]*?\*\/\n/, "") };
    });
  });
}

/** Pairs by name: first within the same file, then a name that went to another file. */
function pairsOf(sources: Sources, before: Lesson | undefined, lesson: Lesson): Pair[] {
  const left = symbolsOf(sources, before);
  const take = (fits: (old: Symbol) => boolean): Symbol | undefined => {
    const at = left.findIndex(fits);
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  const all: Pair[] = symbolsOf(sources, lesson).map((now) => {
    const old = take((each) => each.name === now.name && each.file === now.file);
    return old ? { old, now } : { now };
  });
  const paired = all.map(({ old, now }): Pair => {
    const moved = old ?? (now?.exported ? take((each) => each.name === now.name && each.exported) : undefined);
    return { ...(moved ? { old: moved } : {}), ...(now ? { now } : {}) };
  });
  return [...paired, ...left.map((old) => ({ old }))];
}

function symbolTable(pairs: readonly Pair[], before: Lesson | undefined, lesson: Lesson, said: Words): string {
  const rows = [
    ...(["type", "interface", "class", "function", "const"] as const).flatMap((kind) =>
      pairs
        .filter(({ old, now }) => !old && now?.exported && now.kind === kind)
        .map(({ now }) => newRow(now!, said)),
    ),
    ...pairs.flatMap((pair) => changedRows(pair, said)),
    ...pairs
      .filter(({ old, now }) => old?.exported && !now)
      .map(({ old }) => [said.gone, fullName(old!, said), "–"]),
    ...(before ? helpersRow(pairs, said) : []),
  ];
  const cells = before ? rows : rows.map(([what = "", , now = ""]) => [what, now]);
  return table(before ? ["", before.id, lesson.id] : ["", lesson.id], cells);
}

function newRow(now: Symbol, said: Words): string[] {
  return [said[now.kind], "–", fullName(now, said)];
}

function fullName(symbol: Symbol, said: Words): string {
  const shown = symbol.kind === "function" ? shortSignature(symbol) : symbol.name;
  return code(shown) + said.in(symbol.file);
}

/** `executeToolCall(call: ToolCall): ToolResultMessage` */
function shortSignature(symbol: Symbol): string {
  return symbol.signature.replace(/^(async )?(function\*?|class|interface|type|const) /, "$1");
}

/** Exports whose signature, members or place changed. */
function changedRows({ old, now }: Pair, said: Words): string[][] {
  if (!old || !now || !(old.exported || now.exported)) return [];
  const rows: string[][] = [];
  const what = said.changed + said.colon + code(now.name);
  if (old.file !== now.file) rows.push([said.moved + said.colon + code(now.name), code(old.file), code(now.file)]);
  if (old.signature !== now.signature) rows.push([what, code(shortSignature(old)), code(shortSignature(now))]);
  const [fewer, more] = [membersLeft(old, now), membersLeft(now, old)];
  if (fewer.length + more.length > 0) rows.push([what, membersCell(fewer, said), membersCell(more, said)]);
  return rows;
}

/** Members of `from` that `other` does not have like this; what is private does not count. */
function membersLeft(from: Symbol, other: Symbol): string[] {
  const visible = from.members.filter(({ name, text }) => !name.startsWith("#") && !text.startsWith("private "));
  return visible.filter(({ text }) => !other.members.some((each) => each.text === text)).map(({ text }) => text);
}

function membersCell(members: readonly string[], said: Words): string {
  return members.length === 0 ? "–" : members.map(code).join(said.join);
}

function isChangedInside(pair: Pair): boolean {
  const { old, now } = pair;
  return Boolean(old && now?.exported && old.body !== now.body && changedRows(pair, words.en).length === 0);
}

/** Files that existed before and differ now. */
function touchedFiles(pairs: readonly Pair[]): Set<string> {
  const changed = pairs.filter(({ old, now }) => !old || !now || old.body !== now.body || old.file !== now.file);
  const names = new Set(changed.map(({ old, now }) => (now ?? old)!.file));
  return new Set([...names].filter((file) => pairs.some(({ old }) => old?.file === file)));
}

function unchangedIn(pairs: readonly Pair[], files: ReadonlySet<string>): Symbol[] {
  return pairs
    .filter(
      ({ old, now }) =>
        old && now?.exported && files.has(now.file) && old.body === now.body && old.file === now.file,
    )
    .map(({ now }) => now!);
}

function helpersRow(pairs: readonly Pair[], said: Words): string[][] {
  const helpers = pairs.filter(({ old, now }) => !old && now && !now.exported).map(({ now }) => now!);
  return helpers.length === 0 ? [] : [[said.helper, "–", namesOf(helpers, said, "<br>")]];
}

/** What needs no second column: exports that only changed inside, and those that did not change. */
function restOf(pairs: readonly Pair[], said: Words): string {
  const inside = pairs.filter(isChangedInside).map(({ now }) => now!);
  const lists = [
    [said.body, inside],
    [said.same, unchangedIn(pairs, touchedFiles(pairs))],
  ] as const;
  const lines = lists.filter(([, symbols]) => symbols.length > 0);
  return lines.map(([what, symbols]) => `- ${what}${said.colon}${namesOf(symbols, said, said.next)}`).join("\n");
}

/** Names gathered by file. */
function namesOf(symbols: readonly Symbol[], said: Words, between: string): string {
  const files = [...new Set(symbols.map((each) => each.file))];
  const lists = files.map((file) => {
    const names = symbols.filter((each) => each.file === file).map((each) => code(each.name));
    return names.join(said.join) + said.in(file);
  });
  return lists.join(between);
}

function fileTable(sources: Sources, before: Lesson | undefined, lesson: Lesson, said: Words): string {
  const now = codeFilesOf(sources.course, lesson);
  const old = before ? codeFilesOf(sources.course, before) : [];
  const rows: string[][] = [];
  const same: string[] = [];
  for (const file of [...new Set([...old, ...now])].sort()) {
    const [from, to] = [before, lesson].map((each, index) =>
      (index ? now : old).includes(file) ? `${each!.folder}/${file}` : undefined,
    );
    if (!from || !to) {
      const [what, sign, path] = from ? [said.deleted, "−", from] : [said.new, "+", to!];
      rows.push([code(file), `${what}${said.comma}${sign}${lineCount(sources.text(path) ?? "")}`]);
      continue;
    }
    const { added, deleted } = countLines(sources.diff(from, to, 0));
    if (added + deleted === 0) same.push(code(file));
    else rows.push([code(file), `+${added} −${deleted}`]);
  }
  if (same.length > 0) rows.push([same.join(said.join), said.sameBytes]);
  return table([said.file, said.lines], rows);
}

function lineCount(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

function countLines(diff: readonly string[]): { added: number; deleted: number } {
  const count = (sign: string) => diff.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), deleted: count("-") };
}
