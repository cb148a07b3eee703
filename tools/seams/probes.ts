/** Asks one hook of one lesson the same questions by running it: where it stands, what of it lands, what its faults do. */

import { isDeepStrictEqual } from "node:util";
import type { Driver, Hooks, Observed } from "./drivers.ts";

/** Where a change was seen. */
export type Place = "tool" | "result" | "request" | "transcript" | "outcome";

export type Observation = {
  /** What happened right before and right after the hook, with all hooks installed. */
  before: string;
  after: string;
  /** The names of what it is given. */
  sees: string[];
  /** Which of its answers changed something. */
  lands: string[];
  /** How many requests such a change reached: one, or the later ones of the run too; undefined when it is no matter of requests. */
  scope: "request" | "run" | undefined;
  /** The first run, when the hook threw the first time it was asked. */
  thrown: { requests: number; runs: number; outcome: string };
  /** Where an edit of what it was given was seen; "refused" when the edit itself failed. */
  edit: Place[] | "refused";
};

/** A hook that is probed. */
export type Subject = {
  name: string;
  /** Hands on what it got where an answer is required; everything else answers nothing. */
  handsOn?: boolean;
  /** The names of plain parameters, for a hook that does not get one object. */
  parameters?: string[];
  /** Answers that might change something, each made from what the hook was given. */
  offers: Record<string, (...given: unknown[]) => unknown>;
  /** A hook that must not be installed beside this one. */
  without?: string;
};

export async function observe(drive: Driver, subject: Subject, all: readonly Subject[]): Promise<Observation> {
  const plain = await drive(() => ({}));
  const { lands, scope } = await landing(drive, subject, plain);
  return {
    ...(await place(drive, subject, all)),
    lands,
    scope,
    thrown: await throwing(drive, subject),
    edit: await editing(drive, subject, plain),
  };
}

function neutral({ handsOn = false }: Subject, given: readonly unknown[]): unknown {
  return handsOn ? given[0] : undefined;
}

async function place(drive: Driver, subject: Subject, all: readonly Subject[]) {
  let sees: string[] | undefined;
  const installed = all.filter((each) => each.name !== subject.without && each.without !== subject.name);
  const { order } = await drive((log): Hooks =>
    Object.fromEntries(
      [...new Set([...installed, subject])].map((each) => [
        each.name,
        (...given: unknown[]) => {
          log(each.name);
          if (each.name === subject.name) sees ??= namesOf(subject, given);
          return neutral(each, given);
        },
      ]),
    ),
  );
  const at = order.indexOf(subject.name);
  return { before: order[at - 1] ?? "", after: order[at + 1] ?? "", sees: sees ?? [] };
}

/** The field names of the one object that a hook is given; for plain parameters the names that the lesson gives them. */
function namesOf({ parameters }: Subject, given: readonly unknown[]): string[] {
  const [first] = given;
  if (parameters) return given.map((_each, index) => parameters[index] ?? "?");
  return typeof first === "object" && first !== null ? Object.keys(first) : [];
}

async function landing(drive: Driver, subject: Subject, plain: Observed): Promise<Pick<Observation, "lands" | "scope">> {
  const lands: string[] = [];
  let reached = 0;
  for (const [name, offer] of Object.entries(subject.offers)) {
    const seen = await drive(() => ({ [subject.name]: onlyFirst(subject, offer) }));
    const places = differences(plain, seen);
    if (places.length > 0) lands.push(name);
    if (places.length === 1 && places[0] === "request") reached = Math.max(reached, requestsReached(plain, seen));
  }
  return { lands, scope: reached === 0 ? undefined : reached === 1 ? "request" : "run" };
}

/** A hook that gives its offer once, the first time that the offer is something, and nothing later. */
function onlyFirst(subject: Subject, offer: (...given: unknown[]) => unknown) {
  let given = false;
  return (...args: unknown[]) => {
    if (given) return neutral(subject, args);
    given = true;
    const answer = offer(...args);
    given = answer !== undefined;
    return answer;
  };
}

function requestsReached(plain: Observed, seen: Observed): number {
  return seen.requests.filter((request, index) => !isDeepStrictEqual(request, plain.requests[index])).length;
}

async function throwing(drive: Driver, subject: Subject): Promise<Observation["thrown"]> {
  const broken = onlyFirst(subject, () => {
    throw new Error("probe");
  });
  const seen = await drive(() => ({ [subject.name]: broken }));
  return { ...seen.first, outcome: seen.outcomes[0] ?? "" };
}

async function editing(drive: Driver, subject: Subject, plain: Observed): Promise<Observation["edit"]> {
  let refused = false;
  let done = false;
  const vandal = onlyFirst(subject, (...given) => {
    if (done) return neutral(subject, given);
    const before = neutral(subject, given);
    const whole = before === undefined ? undefined : structuredClone(before);
    refused = !vandalize(given);
    done = true;
    return whole;
  });
  const seen = await drive(() => ({ [subject.name]: vandal }));
  return refused ? "refused" : differences(plain, seen);
}

/** What names or pairs messages stays as it is: the question is whether an edit lands, not whether it breaks the history. */
const spared = ["role", "id", "toolCallId", "name", "type", "stopReason"];

/** Edits every text that can be reached. False when an edit was refused. */
function vandalize(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if ("unregister" in value && typeof value.unregister === "function") return Boolean(value.unregister("echo"));
  let done = true;
  for (const key of Object.keys(value)) {
    const held = Reflect.get(value, key) as unknown;
    if (typeof held !== "string") done = vandalize(held) && done;
    else if (!spared.includes(key) && key !== "model" && key !== "thinkingLevel") done = Reflect.set(value, key, "edited") && done;
    else if (!spared.includes(key)) done = Reflect.set(value, key, "high") && done;
  }
  return done;
}

function differences(plain: Observed, seen: Observed): Place[] {
  const places: [Place, unknown, unknown][] = [
    ["tool", plain.ran, seen.ran],
    ["result", plain.results, seen.results],
    ["request", plain.requests, seen.requests],
    ["transcript", plain.kept, seen.kept],
    ["outcome", plain.outcomes, seen.outcomes],
  ];
  return places.filter(([, one, other]) => !isDeepStrictEqual(one, other)).map(([name]) => name);
}
