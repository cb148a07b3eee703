/** The shape of a lesson's `main.ts`: its cases, and how to run one on whatever provider it is given. */

import type { Language, Text } from "./course.ts";
import type { Script } from "./fake-provider.ts";
import type { WireMessage } from "./history.ts";
import type { Output } from "./trace.ts";

export type Scene<Request, Event> = {
  /** What the user says. */
  user: string;
  language: Language;
  /** The chosen case. It sets the stage (tools, hooks, limits); the provider may still be a person. */
  caseName: string;
  /** The fake provider with the case's script, or a person at the keyboard. */
  provider: { stream(request: Request, signal?: AbortSignal): AsyncGenerator<Event> };
  output: Output;
  /** Only in play: lets the person type something else while the harness is at work. Resolves when the person says `go`. */
  person?: { listen(words: readonly SideWord[]): Promise<void> };
};

/** A word that the person can type while the harness is at work, for example `steer <text>`. */
export type SideWord = { name: string; usage: string; help: Text; act(rest: string): void; /** True when nothing more is to be typed then. */ last?: boolean };

/** How the run ended, the transcript it left, and how often each counted tool really ran. */
export type Ended = {
  outcome: string;
  /** What failed, when no message of the transcript can say it. */
  errorMessage?: string;
  messages: readonly WireMessage[];
  effects?: Record<string, number>;
};

export type DemoCase<Request, Event> = {
  user: Text;
  script(language: Language): Script<Request, Event>;
  /** The outcome that this case promises. */
  outcome: string;
  /** The exit status that the case promises. Default 0. */
  exit?: number;
};

export type Demo<Request, Event> = {
  /** The id in lessons.json, `s05`. Its title is printed from there. */
  lesson: string;
  /** The first one is run when none is named. */
  cases: Record<string, DemoCase<Request, Event>>;
  run(scene: Scene<Request, Event>): Promise<Ended>;
};
