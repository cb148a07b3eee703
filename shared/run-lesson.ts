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
import { playProvider } from "./play.ts";
import { oneLine, printer, type Output } from "./trace.ts";

/** A demo whatever the lesson's own types of request and event are. */
export type AnyDemo = Demo<WireRequest, FakeEvent>;

export type Choice = { caseName: string; language: Language; play: boolean; say?: string };

/** Imports a lesson's demo. `folder` is relative to the course's root; a copy such as `my_s05` works too. */
export async function loadDemo(folder: string, root: string = courseRoot): Promise<AnyDemo> {
  const module = (await import(pathToFileURL(join(root, folder, "main.ts")).href)) as { default: AnyDemo };
  return module.default;
}

/** Runs the lesson in `folder` with the words of the command line. Resolves to the exit status; may throw UsageError. */
export async function runLesson(folder: string, args: readonly string[], io: Io): Promise<number> {
  return runDemo(await loadDemo(folder), args, io);
}

/** The same for a demo that is already at hand. */
export async function runDemo<Request, Event>(demo: Demo<Request, Event>, args: readonly string[], io: Io): Promise<number> {
  const known = demo as unknown as AnyDemo;
  const choice = choose(known, args, io);
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

/**
 * Reads case, language and `play` from bare words or flags.
 * @throws UsageError that lists what is valid.
 */
export function choose(demo: AnyDemo, args: readonly string[], io: Io): Choice {
  const cases = Object.keys(demo.cases);
  const valid = `${demo.lesson} takes a case (${cases.join(", ")}), a language (${languages.join(", ")}), or play [--say "text"]`;
  const given = parse(args, valid);

  const picked = { cases: given.case === undefined ? [] : [given.case], languages: given.lang === undefined ? [] : [given.lang] };
  let play = given.play;
  for (const word of given.words) {
    if (word === "play") play = true;
    else if (languages.some((each) => each === word)) picked.languages.push(word);
    else picked.cases.push(word);
  }

  const caseName = only(picked.cases, cases, "case", valid) ?? cases[0] ?? "";
  const language = only(picked.languages, languages, "language", valid) ?? detectLanguage(io.env);
  if (given.say !== undefined && !play) throw new UsageError(`--say is what the user says in play; ${valid}`);
  return { caseName, language, play, ...(given.say === undefined ? {} : { say: given.say }) };
}

function parse(args: readonly string[], valid: string) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        case: { type: "string" },
        lang: { type: "string" },
        play: { type: "boolean", default: false },
        say: { type: "string" },
      },
    });
    return { ...values, words: positionals };
  } catch (error) {
    const flag = /'(-[^' ]*)/.exec(error instanceof Error ? error.message : "")?.[1] ?? "flag";
    throw new UsageError(`${flag} is not understood; ${valid}`);
  }
}

function only<Word extends string>(given: string[], known: readonly Word[], what: string, valid: string): Word | undefined {
  const words = [...new Set(given)];
  const unknown = words.find((word) => !known.some((each) => each === word));
  if (unknown !== undefined) throw new UsageError(`unknown ${what === "case" ? "word" : what} "${oneLine(unknown)}"; ${valid}`);
  if (words.length > 1) throw new UsageError(`one ${what} at a time, not ${words.join(" and ")}; ${valid}`);
  return known.find((each) => each === words[0]);
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
