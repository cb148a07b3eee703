/** Commands as a reader would type them: which exist, and the words they hand to the dispatcher. */

import { languages, type Course, type Lesson } from "../../shared/course.ts";
import type { Sources } from "./sources.ts";

/** `npm run s05 -- --case blocked` → script `s05`, words `["s05", "--case", "blocked"]`. */
export type Command = { script: string; words: string[] };

/**
 * Reads `npm run …`, `npm start` or `npm test`, cut into words. Returns what is wrong, as a sentence, when
 * it is none.
 */
export function parseCommand(typed: readonly string[], scripts: ReadonlyMap<string, string>): Command | string {
  const [program, verb, ...rest] = typed.filter((word) => word !== "-s" && word !== "--silent" && word !== "--");
  if (program !== "npm") return `"${typed.join(" ")}" does not start with npm`;
  const [script, args] = verb === "run" ? [rest[0], rest.slice(1)] : [verb, rest];
  const known = script === undefined ? undefined : scripts.get(script);
  const needsRun = verb !== "run" && verb !== "start" && verb !== "test";
  if (script === undefined || known === undefined || needsRun) {
    return `"${typed.slice(0, 3).join(" ")}" is no command here; npm run knows: ${[...scripts.keys()].join(", ")}`;
  }
  return { script, words: [known, ...args] };
}

/** Cuts a line at blanks; quotes hold blanks together and go. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}

/** What is wrong with a line of a block of commands, or undefined. Comments (`# …`) and empty lines are fine. */
export async function faultOfLine(line: string, sources: Sources, mayJoin = false): Promise<string | undefined> {
  const bare = line.replace(/(^|\s)#.*$/, "").trim();
  if (bare === "") return undefined;
  if (bare.includes("&&") && !mayJoin) return "commands stand on a line of their own, never joined with &&";
  for (const part of bare.split("&&")) {
    const fault = await faultOfCommand(part.trim(), sources);
    if (fault) return fault;
  }
  return undefined;
}

/**
 * What is wrong with one command: a script, lesson, case or language that does not exist. Pipes into and
 * out of it are fine.
 */
export async function faultOfCommand(line: string, sources: Sources): Promise<string | undefined> {
  const piped = line
    .replace(/^(?:printf|echo)\s+(?:"[^"]*"|'[^']*'|\S+)\s*\|\s*/, "")
    .replace(/\s*\|\s*(?:head|less|more|cat)\b.*$/, "");
  const typed = wordsOf(piped);
  const [program, verb] = typed;
  if (program === "git" || program === "cd" || program === "node") return undefined;
  if (program === "npm" && (verb === "install" || verb === "ci")) return undefined;
  const command = parseCommand(typed, sources.scripts);
  if (typeof command === "string") return command;
  const [first = "", ...args] = command.words;
  const lesson = sources.course.lessons.find((each) => each.id === first);
  if (lesson) return faultOfLessonWords(lesson, args, sources);
  const tried = first === "try" ? sources.course.lessons.find((each) => each.id === args[0]) : undefined;
  if (tried) return faultOfLessonWords(tried, args.slice(1), sources, ["reset", "yes"]);
  return faultOfToolWords(args, sources.course);
}

async function faultOfLessonWords(
  lesson: Lesson,
  args: readonly string[],
  sources: Sources,
  more: readonly string[] = [],
): Promise<string | undefined> {
  const cases = await sources.casesOf(lesson);
  const known = ["play", "help", ...languages, ...cases, ...more];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word === "--say") at++;
    else if (["--case", "--lang", "--play"].includes(word)) continue;
    else if (!known.includes(word.replace(/^--(case|lang)=/, "")))
      return `${lesson.id} has no "${word}"; it knows: ${known.join(", ")}`;
  }
  return undefined;
}

function faultOfToolWords(args: readonly string[], course: Course): string | undefined {
  const unknown = args.find(
    (word) => /^s\d\d$/.test(word) && !course.lessons.some((lesson) => lesson.id === word),
  );
  return (
    unknown && `unknown lesson "${unknown}"; lessons: ${course.lessons.map((lesson) => lesson.id).join(", ")}`
  );
}
