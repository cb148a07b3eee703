/**
 * The one provider of all lessons: it replays a script, or computes a turn from the request it received.
 * It has no clock and no random number, so two runs give the same events. It is strict where a chat API is strict.
 */

import type { Clock } from "./clock.ts";
import { refusalOf, type WireRequest } from "./history.ts";

export type MessageStart = { type: "message_start" };
export type TextDelta = { type: "text_delta"; delta: string };
export type ToolCallEvent = { type: "tool_call"; call: { id: string; name: string; args: unknown } };
export type MessageEnd<Reason extends string> = { type: "message_end"; stopReason: Reason; errorMessage?: string };

/** Every event that a script helper can make. A lesson's own union takes the ones it knows. */
export type FakeEvent =
  | MessageStart
  | TextDelta
  | ToolCallEvent
  | MessageEnd<"stop" | "length" | "toolUse" | "error" | "aborted">;

/** Something that happens to the stream instead of an event. */
export type Mishap =
  | { type: "mishap_throw"; error: unknown }
  | { type: "mishap_break" }
  | { type: "mishap_wait"; ms: number };

export type Step<Event> = Event | Mishap;

/** One answer: its steps, or a function that computes them from the request. */
export type Turn<Request, Event> = readonly Step<Event>[] | ((request: Request) => readonly Step<Event>[]);

/** The answers in order, or one answer that is given for ever. */
export type Script<Request, Event> = readonly Turn<Request, Event>[] | { forever: Turn<Request, Event> };

/** A whole text answer, one event per delta. */
export function say(...deltas: string[]): (MessageStart | TextDelta | MessageEnd<"stop">)[] {
  return [messageStart, ...deltas.map(delta), { type: "message_end", stopReason: "stop" }];
}

/** A text answer that is cut at the token limit. */
export function cut(...deltas: string[]): (MessageStart | TextDelta | MessageEnd<"length">)[] {
  return [messageStart, ...deltas.map(delta), { type: "message_end", stopReason: "length" }];
}

/** An answer that asks for tools. A string part is text, in its place between the calls. */
export function ask(...parts: (string | ToolCallEvent)[]): (MessageStart | TextDelta | ToolCallEvent | MessageEnd<"toolUse">)[] {
  const events = parts.map((part) => (typeof part === "string" ? delta(part) : part));
  return [messageStart, ...events, { type: "message_end", stopReason: "toolUse" }];
}

/** An answer by which the provider itself says that it failed. */
export function failed(errorMessage: string, ...deltas: string[]): (MessageStart | TextDelta | MessageEnd<"error">)[] {
  return [messageStart, ...deltas.map(delta), { type: "message_end", stopReason: "error", errorMessage }];
}

export const messageStart: MessageStart = { type: "message_start" };

export function delta(text: string): TextDelta {
  return { type: "text_delta", delta: text };
}

/** A tool call. `args` is what the provider parsed; text that was no JSON is passed on as that text. */
export function call(id: string, name: string, args: unknown = {}): ToolCallEvent {
  return { type: "tool_call", call: { id, name, args } };
}

/** The stream ends here, without an end event. */
export const breakOff: Mishap = { type: "mishap_break" };

/** The stream throws here. `error` can be anything. */
export function throwing(error: unknown): Mishap {
  return { type: "mishap_throw", error };
}

/** The stream waits here, on the clock that was given to the provider. */
export function wait(ms: number): Mishap {
  return { type: "mishap_wait", ms };
}

export type FakeOptions = {
  /** Keep a deep copy of each request in `requests`. Default true; a benchmark switches it off. */
  record?: boolean;
  clock?: Clock;
};

export class FakeProvider<Request extends WireRequest, Event extends { type: string }> {
  /** A deep copy of each request that was accepted, as it was when it arrived. */
  readonly requests: Request[] = [];
  /** Why requests were refused. A refusal is an ordinary error for the loop, so whoever runs the loop must look here. */
  readonly refusals: string[] = [];
  /** Streams that were begun and are neither finished nor closed. */
  openStreams = 0;

  readonly #script: Script<Request, Event>;
  readonly #options: FakeOptions;
  #asked = 0;

  constructor(script: Script<Request, Event>, options: FakeOptions = {}) {
    this.#script = script;
    this.#options = options;
  }

  /** How many scripted answers nobody asked for. */
  get left(): number {
    return "forever" in this.#script ? 0 : Math.max(0, this.#script.length - this.#asked);
  }

  /**
   * Answers with the next scripted turn.
   * @throws Error when the history breaks a rule of history.ts, or when it is asked once more than scripted.
   */
  stream(request: Request, signal?: AbortSignal): AsyncGenerator<Event> {
    const refusal = refusalOf(request.messages);
    if (refusal) this.#refuse(`request ${this.#asked + 1} refused, ${refusal}`);
    const turn = "forever" in this.#script ? this.#script.forever : this.#script[this.#asked];
    if (!turn) this.#refuse(`request ${this.#asked + 1} refused, only ${this.#asked} answers are scripted`);
    this.#asked++;
    if (this.#options.record ?? true) this.requests.push(structuredClone(request));
    return this.#play(typeof turn === "function" ? turn(request) : turn, signal);
  }

  async *#play(steps: readonly Step<Event>[], signal: AbortSignal | undefined): AsyncGenerator<Event> {
    this.openStreams++;
    try {
      for (const step of steps) {
        signal?.throwIfAborted();
        if (!isMishap(step)) yield step;
        else if (step.type === "mishap_throw") throw step.error;
        else if (step.type === "mishap_break") return;
        else await this.#clock().wait(step.ms, signal);
      }
    } finally {
      this.openStreams--;
    }
  }

  #clock(): Clock {
    if (this.#options.clock) return this.#options.clock;
    throw new Error("a script that waits needs a clock: new FakeProvider(script, { clock })");
  }

  #refuse(reason: string): never {
    this.refusals.push(reason);
    throw new Error(reason);
  }
}

function isMishap<Event extends { type: string }>(step: Step<Event>): step is Mishap {
  return step.type.startsWith("mishap_");
}
