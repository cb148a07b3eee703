/** What every lesson's demo has in common: its words on the command line, its frame on the screen, its exit status. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { courseRoot, languages, loadCourse, type Language } from "./course.ts";
import type { Demo, DemoCase, Ended, Scene } from "./demo.ts";
import { FakeProvider, type FakeEvent } from "./fake-provider.ts";
import type { WireRequest } from "./history.ts";
import { processIo, UsageError, type Io } from "./io.ts";
import { detectLanguage } from "./language.ts";
import { loadFault, requireFolder } from "./load-fault.ts";
import { playProvider } from "./play.ts";
import { oneLine, printer, type Output } from "./trace.ts";

/** A demo whatever the lesson's own types of request and event are. */
export type AnyDemo = Demo<WireRequest, FakeEvent>;

export type Choice = { caseName: string; language: Language; play: boolean; say?: string; help?: true };

/**
 * Imports a lesson's demo. `folder` is relative to the course's root; a copy such as `my_s05` works too.
 * @throws UsageError that names the file, when one is gone or has a syntax error.
 */
export async function loadDemo(folder: string, root: string = courseRoot): Promise<AnyDemo> {
  requireFolder(root, folder);
  try {
    const module = (await import(pathToFileURL(join(root, folder, "main.ts")).href)) as { default: AnyDemo };
    return module.default;
  } catch (error) {
    throw loadFault(error, root);
  }
}

/** Runs the lesson in `folder` with the words of the command line. Resolves to the exit status; may throw UsageError. */
export async function runLesson(folder: string, args: readonly string[], io: Io): Promise<number> {
  return runDemo(await loadDemo(folder), args, io);
}

/** The same for a demo that is already at hand. */
export async function runDemo<Request, Event>(demo: Demo<Request, Event>, args: readonly string[], io: Io): Promise<number> {
  const known = demo as unknown as AnyDemo;
  const choice = choose(known, args, io);
  if (choice.help) {
    io.stdout.write(`${usage(known)}\n`);
    return 0;
  }
  return choice.play ? playDemo(known, choice, io) : showDemo(known, choice, io);
}

/** For the last line of a main.ts: runs the demo when the file was started by itself, and does nothing when it was imported. */
export async function startDemo<Request, Event>(url: string, demo: Demo<Request, Event>): Promise<void> {
  const script = process.argv[1];
  if (!script || url !== pathToFileURL(script).href) return;
  const io = processIo();
  try {
    process.exitCode = await runDemo(demo, process.argv.slice(2), io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

function usage(demo: AnyDemo): string {
  return `${demo.lesson} takes a case (${Object.keys(demo.cases).join(", ")}), a language (${languages.join(", ")}), or play [--say "text"]`;
}

/**
 * Reads case, language, `play` and `help` from bare words or flags, in any letter case.
 * @throws UsageError that lists what is valid.
 */
export function choose(demo: AnyDemo, args: readonly string[], io: Io): Choice {
  const cases = Object.keys(demo.cases);
  const valid = usage(demo);
  const given = parse(args, valid);

  const picked = { cases: given.case === undefined ? [] : [given.case], languages: given.lang === undefined ? [] : [given.lang] };
  let { play, help } = given;
  for (const word of given.words) {
    const lower = word.toLowerCase();
    if (lower === "play") play = true;
    else if (lower === "help") help = true;
    else if (languages.some((each) => each === lower)) picked.languages.push(word);
    else picked.cases.push(word);
  }

  const caseName = only(picked.cases, cases, "case", valid) ?? cases[0] ?? "";
  const language = only(picked.languages, languages, "language", valid) ?? detectLanguage(io.env);
  if (given.say !== undefined && !play) throw new UsageError(`--say is what the user says in play; ${valid}`);
  return { caseName, language, play, ...(given.say === undefined ? {} : { say: given.say }), ...(help ? { help } : {}) };
}

function parse(args: readonly string[], valid: string) {
  const { values, positionals } = read(args, valid);
  const empty = Object.entries(values).find(([, value]) => value === "")?.[0];
  if (empty !== undefined) throw new UsageError(`--${empty} needs a value; ${valid}`);
  return { ...values, words: positionals };
}

function read(args: readonly string[], valid: string) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        case: { type: "string" },
        lang: { type: "string" },
        play: { type: "boolean", default: false },
        say: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const flag = /'(?:-h, )?(-[^' ]*)/.exec(message)?.[1] ?? "flag";
    const what = code !== "ERR_PARSE_ARGS_INVALID_OPTION_VALUE" ? "is not understood" : /does not take/.test(message) ? "takes no value" : "needs a value";
    throw new UsageError(`${flag} ${what}; ${valid}`);
  }
}

/** The one known word among the given ones, whatever their letter case; undefined when none was given. */
function only<Word extends string>(given: string[], known: readonly Word[], what: string, valid: string): Word | undefined {
  const knownAs = (word: string) => known.find((each) => each.toLowerCase() === word.toLowerCase());
  const unknown = given.find((word) => knownAs(word) === undefined);
  if (unknown !== undefined) throw new UsageError(`unknown ${what === "case" ? "word" : what} "${oneLine(unknown)}"; ${valid}`);
  const words = [...new Set(given.map(knownAs))];
  if (words.length > 1) throw new UsageError(`one ${what} at a time, not ${words.join(" and ")}; ${valid}`);
  return words[0];
}

/** Shows a case as it is scripted. Status 1 when it did not end as it promises, a request was refused, or answers are left over. */
async function showDemo(demo: AnyDemo, choice: Choice, io: Io): Promise<number> {
  const { ended, provider } = await runCase(demo, choice, printer(io));
  const scripted = caseOf(demo, choice);
  const faults = [...provider.refusals];
  if (provider.left > 0) faults.push(`scripted answers that nobody asked for: ${provider.left}`);
  if (ended.outcome !== scripted.outcome) faults.push(`the case promises outcome ${scripted.outcome}, it ended with ${ended.outcome}`);
  for (const fault of faults) io.stderr.write(`${demo.lesson} ${choice.caseName}: ${oneLine(fault)}\n`);
  return faults.length === 0 ? (scripted.exit ?? 0) : 1;
}

/** Runs a case on a fresh fake provider and prints it; a test reads what came of it. */
export async function runCase<Request, Event>(
  given: Demo<Request, Event>,
  choice: Pick<Choice, "caseName" | "language">,
  output: Output,
): Promise<{ ended: Ended; provider: FakeProvider<WireRequest, FakeEvent> }> {
  const demo = given as unknown as AnyDemo;
  const scripted = caseOf(demo, choice);
  const provider = new FakeProvider<WireRequest, FakeEvent>(scripted.script(choice.language));
  const ended = await framed(demo, choice, scripted.user[choice.language], provider, output);
  return { ended, provider };
}

/** The person answers. Status 1 when a request was refused. */
async function playDemo(demo: AnyDemo, choice: Choice, io: Io): Promise<number> {
  const user = choice.say ?? caseOf(demo, choice).user[choice.language];
  const provider = playProvider(io, choice.language);
  try {
    await framed(demo, choice, user, provider, printer(io), provider);
  } finally {
    await provider.close();
  }
  return provider.refusals.length === 0 ? 0 : 1;
}

function caseOf(demo: AnyDemo, choice: Pick<Choice, "caseName">): DemoCase<WireRequest, FakeEvent> {
  const found = demo.cases[choice.caseName];
  if (!found) throw new UsageError(`unknown case "${choice.caseName}"; cases: ${Object.keys(demo.cases).join(", ")}`);
  return found;
}

/** The frame of every trace: title, what the user says, what happens, how it ended. */
async function framed(
  demo: AnyDemo,
  { caseName, language }: Pick<Choice, "caseName" | "language">,
  user: string,
  provider: { stream(request: WireRequest, signal?: AbortSignal): AsyncGenerator<FakeEvent> },
  output: Output,
  person?: Scene<WireRequest, FakeEvent>["person"],
): Promise<Ended> {
  const title = loadCourse().lessons.find((lesson) => lesson.id === demo.lesson)?.title.en ?? "";
  for (const line of [`${demo.lesson}: ${title}`, "", "[user]", oneLine(user), ""]) output.log(line);
  let shown = false;
  const showing: Output = {
    log(line) {
      shown = true;
      output.log(line);
    },
  };
  const ended = await demo.run({ user, language, caseName, provider, output: showing, ...(person ? { person } : {}) });
  const lines = closing(ended);
  if (shown && lines.length > 0) output.log("");
  for (const line of lines) output.log(line);
  return ended;
}

/** The last answer and, when the run did not simply stop, why it ended. */
function closing({ outcome, errorMessage, messages }: Ended): string[] {
  const last: { content: string; stopReason?: string; errorMessage?: string } | undefined = messages.findLast(
    (message) => message.role === "assistant",
  );
  const lines: string[] = [];
  if (last) {
    lines.push("[assistant]");
    if (last.content !== "") lines.push(`content: ${oneLine(last.content)}`);
    lines.push(`stopReason: ${last.stopReason ?? ""}`);
    if (last.errorMessage !== undefined) lines.push(`errorMessage: ${oneLine(last.errorMessage)}`);
  }
  if (errorMessage !== undefined) lines.push(`errorMessage: ${oneLine(errorMessage)}`);
  if (outcome !== "stop") lines.push(`outcome: ${outcome}`);
  return lines;
}
