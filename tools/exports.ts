/**
 * What a lesson's code offers: nothing is taken away from one lesson to the next, and nothing is offered that nobody takes.
 * Read by text. Types of parameters and results are left to the compiler: whether a new type is wider cannot be read.
 */

import type { Course, Lesson, Upgrade } from "../shared/course.ts";
import { codeFilesOf, filesOf, isTest, textOf } from "./lesson-files.ts";
import { mask } from "./mask.ts";
import type { Problem } from "./problems.ts";
import { declarations, type Declaration, type Member } from "./symbols.ts";

/** All checks, over the lessons that have code. */
export function exportProblems(course: Course): Problem[] {
  return [...lostExports(course), ...unusedExports(course), ...hiddenExports(course)];
}

/** Exports that do not stand before their declaration, and that the other checks therefore cannot see. */
export function hiddenExports(course: Course): Problem[] {
  return course.lessons.flatMap((lesson) =>
    codeFilesOf(course, lesson).flatMap((file) => {
      const hidden = /^export\s+(?:type\s+)?(?:\{[^}]*\}|\*[^;\n]*)/m.exec(mask(textOf(course.root, `${lesson.folder}/${file}`) ?? ""));
      if (!hidden) return [];
      const message = `says ${hidden[0].replace(/\s+/g, " ")} apart from the declaration`;
      return [{ file: `${lesson.folder}/${file}`, message, remedy: "write export before what is declared; import from where it is" }];
    }),
  );
}

/**
 * From one lesson to the next no exported name disappears, no member of an exported type or class, and no exported function,
 * method or function-typed member changes its parameters other than by new ones at the end. Allowed are the lesson's `upgrades`:
 * `from` is `name`, `Type.member`, or either with `(…)` behind it for the parameters. An upgrade that does not happen is a problem too.
 */
export function lostExports(course: Course): Problem[] {
  const lessons = withCode(course);
  return lessons.slice(1).flatMap((lesson, at) => {
    const before = lessons[at]!;
    const old = offersOf(course, before);
    const now = offersOf(course, lesson);
    const upgrades = lesson.upgrades ?? [];
    const allowed = new Set(upgrades.map(keyOf));
    const broken = breaks(old, now).filter((each) => !allowed.has(each.key));
    return [
      ...broken.map(({ key, file, message }) => ({
        file: `${lesson.folder}/${file}`,
        message: `${message} (${before.id} has it)`,
        remedy: `put it back, or list it under "upgrades" of ${lesson.id} in lessons.json: { "from": "${key}", … }`,
      })),
      ...upgrades.flatMap((upgrade) => upgradeProblems(lesson, upgrade, old, now)),
    ];
  });
}

/**
 * Every export of a code file is imported by another code file of its lesson or by its main.ts. A type may instead be named
 * by such an export of its own file: it belongs to the shape of what is taken. A test is no use of an export that is new in
 * its lesson; of one that the lesson before has it is, because that one may be a door for the host that only an earlier demo opens.
 */
export function unusedExports(course: Course): Problem[] {
  const lessons = withCode(course);
  return lessons.flatMap((lesson, at) => {
    const old = at > 0 ? offersOf(course, lessons[at - 1]!) : new Map<string, Offer>();
    const names = codeFilesOf(course, lesson);
    const inCode = importsIn(course, lesson, [...names, "main.ts"]);
    const inTests = importsIn(course, lesson, filesOf(course, lesson).filter(isTest));
    const isTaken = (file: string, name: string) =>
      includes(inCode, file, name) || (old.has(name) && includes(inTests, file, name));
    return names.flatMap((file) =>
      unusedOf(exportedIn(course, lesson, file), (name) => isTaken(file, name)).map(({ name }) => ({
        file: `${lesson.folder}/${file}`,
        message: `exports ${name}, and ${userOf(lesson, old.has(name))} imports it`,
        remedy: old.has(name) ? "carry its test forward, or use it" : "drop the word export, or the code",
      })),
    );
  });
}

function userOf({ id }: Lesson, isOld: boolean): string {
  return isOld ? `nothing in ${id}, tests included,` : `neither main.ts nor another code file of ${id}`;
}

/** What is left of one file's exports when those taken, and the types that these name, are crossed off. */
function unusedOf(exported: readonly Declaration[], isTaken: (name: string) => boolean): Declaration[] {
  let left = exported.filter(({ name }) => !isTaken(name));
  let used = exported.filter(({ name }) => isTaken(name));
  while (used.length > 0) {
    const words = new Set(used.flatMap((each) => textOfDeclaration(each).match(/[\w$]+/g) ?? []));
    used = left.filter(({ kind, name }) => kind !== "function" && kind !== "const" && words.has(name));
    left = left.filter((each) => !used.includes(each));
  }
  return left;
}

function textOfDeclaration({ signature, members }: Declaration): string {
  return mask([signature, ...members.filter(isPublic).map((member) => member.text)].join(";\n"));
}

/** What a lesson offers under one name. Equal names in two files are one offer. */
type Offer = { file: string; text: string; parameters: string[] | undefined; members: Map<string, Part> };
type Part = { text: string; parameters: string[] | undefined };
type Offers = Map<string, Offer>;

function withCode(course: Course): Lesson[] {
  return course.lessons.filter((lesson) => codeFilesOf(course, lesson).length > 0);
}

function exportedIn(course: Course, lesson: Lesson, file: string): Declaration[] {
  return declarations(textOf(course.root, `${lesson.folder}/${file}`) ?? "").filter((each) => each.exported);
}

function offersOf(course: Course, lesson: Lesson): Offers {
  const offers: Offers = new Map();
  for (const file of codeFilesOf(course, lesson)) {
    for (const { name, signature, members } of exportedIn(course, lesson, file)) {
      const earlier = offers.get(name)?.members ?? [];
      const text = [signature, ...members.map((member) => member.text)].join("; ");
      offers.set(name, {
        file,
        text,
        parameters: parametersOf(signature, name),
        members: new Map([...earlier, ...members.filter(isPublic).map(partOf)]),
      });
    }
  }
  return offers;
}

function isPublic({ name, text }: Member): boolean {
  return !name.startsWith("#") && !/^(private|protected)\b/.test(text);
}

function partOf({ name, text }: Member): [string, Part] {
  return [name, { text, parameters: parametersOf(text, name) }];
}

type Break = { key: string; file: string; message: string };

function breaks(old: Offers, now: Offers): Break[] {
  return [...old].flatMap(([name, was]) => {
    const is = now.get(name);
    if (!is) return [{ key: name, file: was.file, message: `the export ${name} is gone` }];
    const own = parameterBreak(name, is.file, was.parameters, is.parameters);
    const inside = [...was.members].flatMap(([member, part]) => {
      const found = is.members.get(member);
      const key = `${name}.${member}`;
      if (!found) return [{ key, file: is.file, message: `the member ${key} is gone` }];
      return parameterBreak(key, is.file, part.parameters, found.parameters);
    });
    return [...own, ...inside];
  });
}

function parameterBreak(name: string, file: string, was?: readonly string[], is?: readonly string[]): Break[] {
  if (!was || (is && was.every((parameter, at) => parameter === is[at] || `${parameter}?` === is[at]))) return [];
  const now = is ? `${name}(${is.join(", ")})` : "no function";
  return [{ key: `${name}(…)`, file, message: `${name}(${was.join(", ")}) is now ${now}: parameters may only be added at the end` }];
}

function keyOf({ from }: Upgrade): string {
  const [name = "", parameters] = from.split("(");
  return parameters === undefined ? name.trim() : `${name.trim()}(…)`;
}

function upgradeProblems(lesson: Lesson, upgrade: Upgrade, old: Offers, now: Offers): Problem[] {
  const key = keyOf(upgrade);
  const name = key.replace("(…)", "");
  const problem = (message: string, remedy: string) => [{ file: "lessons.json", message: `${lesson.id}: ${message}`, remedy }];
  const was = textAt(old, name);
  if (was === undefined) return problem(`the upgrade from "${upgrade.from}" names nothing that the lesson before offers`, "correct or remove it");
  const happened = breaks(old, now).some((each) => each.key === key) || was !== textAt(now, name);
  if (!happened) return problem(`the upgrade from "${upgrade.from}" does not happen`, "remove it");
  const target = /^[\w$]+(\.[\w$]+)?/.exec(upgrade.to)?.[0];
  if (target === undefined || textAt(now, target) === undefined) {
    return problem(`the upgrade to "${upgrade.to}" names nothing that the lesson offers`, "begin it with the new name or Type.member");
  }
  return [];
}

/** The text behind `Name` or `Type.member`, or undefined when it is not offered. */
function textAt(offers: Offers, key: string): string | undefined {
  const [name = "", member] = key.split(".");
  const offer = offers.get(name);
  return member === undefined ? offer?.text : offer?.members.get(member)?.text;
}

/**
 * The names of the parameters in order (`a`, `b?`, `...rest`; `{}` for a pattern), or undefined when the text is no function:
 * `function f<T>(a: T)`, `const f = (a: T)`, `f?(a: T): U`, `f?: (a: T) => U`.
 */
function parametersOf(text: string, name: string): string[] | undefined {
  const bare = mask(text);
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const at = bare.search(new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`));
  const head = bare.slice(at + name.length).replace(/^\?/, "");
  const isProperty = head.startsWith(":");
  const list = skipTypeParameters(head.replace(/^(: ?| ?= ?(async )?)/, ""));
  if (!list.startsWith("(")) return undefined;
  const end = closing(list, 0);
  if (isProperty && !/^ ?=>/.test(list.slice(end + 1))) return undefined;
  return splitAtCommas(list.slice(1, end)).map(parameterName);
}

function skipTypeParameters(text: string): string {
  return text.startsWith("<") ? text.slice(closing(text, 0) + 1).trimStart() : text;
}

/** The place of the bracket that closes the one at `from`; the `>` of an arrow closes nothing. */
function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    depth += stepAt(text, at);
    if (depth === 0) return at;
  }
  return text.length;
}

function splitAtCommas(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length; at++) {
    depth += stepAt(list, at);
    if (depth !== 0 || list[at] !== ",") continue;
    parts.push(list.slice(start, at));
    start = at + 1;
  }
  return [...parts, list.slice(start)].map((part) => part.trim()).filter(Boolean);
}

function stepAt(text: string, at: number): number {
  const char = text[at]!;
  if ("([{<".includes(char)) return 1;
  if (char === ">" && text[at - 1] === "=") return 0;
  return ")]}>".includes(char) ? -1 : 0;
}

function parameterName(parameter: string): string {
  if (/^[{[]/.test(parameter)) return "{}";
  const [, name = parameter, optional = ""] = /^((?:\.\.\.)?[\w$]+)(\?)?/.exec(parameter) ?? [];
  return name + (optional || (hasDefault(parameter) ? "?" : ""));
}

/** Whether a parameter has a default value: an `=` outside of brackets that is no arrow. */
function hasDefault(parameter: string): boolean {
  let depth = 0;
  for (let at = 0; at < parameter.length; at++) {
    depth += stepAt(parameter, at);
    if (depth === 0 && parameter[at] === "=" && parameter[at + 1] !== ">") return true;
  }
  return false;
}

/** A name that is taken from a file of the same lesson; `*` for the whole module. */
type Import = { file: string; name: string };

function includes(imports: readonly Import[], file: string, name: string): boolean {
  return imports.some((each) => each.file === file && (each.name === name || each.name === "*"));
}

function importsIn(course: Course, lesson: Lesson, names: readonly string[]): Import[] {
  return names.flatMap((name) => importsOf(textOf(course.root, `${lesson.folder}/${name}`) ?? ""));
}

function importsOf(source: string): Import[] {
  const code = mask(source, "comments");
  const statements = code.matchAll(/^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)\s+from\s+["']\.\/([^"']+)["']/gm);
  return [...statements].flatMap(([, what = "", file = ""]) => {
    if (what.startsWith("*")) return [{ file, name: "*" }];
    const names = what.slice(1, -1).split(",").map((each) => each.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0]!);
    return names.filter(Boolean).map((name) => ({ file, name }));
  });
}
