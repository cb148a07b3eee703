/** What both drivers need to act out a scenario: the log, the reactions of its hooks, and the actions inside hooks and tools. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Action, Call, HookAnswer, Reaction, Scenario, Tool } from "./scenarios/kinds.ts";
import type { Entry, HookName } from "./trace.ts";

/** How long a call from outside may take before it counts as one that never settles. Milliseconds. */
export const patience = 400;

/** What an action can reach of the player's session. What a player does not have, its scenarios must not need. */
export type World = {
  steer(text: string): void;
  followUp(text: string): void;
  abort(): void;
  /** The calls from outside that a running agent refuses. */
  intrude(): Promise<void>;
};

/** What an action can reach at the place where it is done. */
export type Place = {
  name: string;
  signal?: AbortSignal | undefined;
  /** The object that a hook was given; its `args` can be edited or replaced. */
  given?: { args?: unknown };
  list?: { role: string }[];
  update?: (text: string) => unknown;
  innerCall?: (call: Call, onUpdate: (() => void) | undefined) => Promise<Heard>;
};

/** What a nested call returned. */
export type Heard = { text: string; isError: boolean; timed?: boolean };

export type Stage = {
  log: Entry[];
  effects: Record<string, { started: number; effects: number }>;
  note(note: Record<string, unknown>): void;
  /** Does the actions in order. Resolves to what the last inner call returned. */
  perform(actions: readonly Action[] | undefined, place: Place): Promise<Heard | undefined>;
  /** Logs a hook, lets it react, and gives its answer. Rejects when the scenario says that the hook throws. */
  hook(name: HookName, entry: Record<string, unknown>, place: Place, told?: (answer: HookAnswer | undefined) => unknown): Promise<HookAnswer | undefined>;
  /** Runs a tool's body. Resolves to what it heard from an inner call. */
  body(tool: Tool, call: { id: string; args: unknown }, place: Place): Promise<Heard | undefined>;
  /** Tells the update that a tool kept back. */
  lateUpdate(): void;
};

/** The hooks that are quick even where the scenario makes hooks slow: they do nothing but change a list. */
const quick: readonly string[] = ["transformContext", "convertToLlm"];

export function createStage(scenario: Scenario, world: () => World): Stage {
  const log: Entry[] = [];
  const effects = Object.fromEntries((scenario.tools ?? []).map((tool) => [tool.name, { started: 0, effects: 0 }]));
  const seen = new Map<string, number>();
  let keptUpdate: (() => unknown) | undefined;

  const note = (fields: Record<string, unknown>) => void log.push({ k: "note", ...fields });

  function reactionFor(name: HookName, call: unknown): Reaction | undefined {
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return scenario.reactions?.find(
      (each) => each.at === name && (each.call === undefined || each.call === call) && (each.nth === undefined || each.nth === nth),
    );
  }

  async function perform(actions: readonly Action[] | undefined, place: Place): Promise<Heard | undefined> {
    let heard: Heard | undefined;
    for (const action of actions ?? []) heard = (await act(action, place)) ?? heard;
    return heard;
  }

  async function act(action: Action, place: Place): Promise<Heard | undefined> {
    switch (action.do) {
      case "wait":
        await sleep(action.ms);
        return undefined;
      case "wait for ever":
        await new Promise(() => {});
        return undefined;
      case "wait for abort":
        await aborted(place.signal);
        throw new Error(`${place.name} stopped`);
      case "steer":
        log.push({ k: "queue", steer: action.text });
        world().steer(action.text);
        return undefined;
      case "follow up":
        log.push({ k: "queue", followUp: action.text });
        world().followUp(action.text);
        return undefined;
      case "abort":
        log.push({ k: "abort" });
        world().abort();
        return undefined;
      case "update":
        place.update?.(action.text);
        return undefined;
      case "keep update":
        keptUpdate = () => place.update?.("late");
        return undefined;
      case "throw":
        throw action.as === "string" ? action.text : new Error(action.text);
      case "inner call":
        return innerCall(action, place);
      case "intrude":
        await world().intrude();
        return undefined;
      case "note":
        note(action.note);
        return undefined;
      case "edit args":
        Object.assign(place.given?.args as object, action.set);
        return undefined;
      case "reassign args":
        if (place.given) place.given.args = action.to;
        return undefined;
      case "take out first":
        if (place.list) place.list.splice(0, place.list.length, ...takenOutFirst(place.list));
        return undefined;
      case "take out": {
        const at = place.list?.findIndex((message) => message.role === action.role) ?? -1;
        if (at !== -1) place.list?.splice(at, 1);
        return undefined;
      }
    }
  }

  async function innerCall(action: Extract<Action, { do: "inner call" }>, place: Place): Promise<Heard> {
    if (!place.innerCall) throw new Error("no door for an inner call");
    const onUpdate = action.updates && (() => { throw new Error("sink broke"); });
    const heard = await place.innerCall(action.call, onUpdate);
    note({ runToolCall: action.call.id, isError: heard.isError, text: heard.text });
    return heard;
  }

  async function hook(
    name: HookName,
    fields: Record<string, unknown>,
    place: Place,
    told: (answer: HookAnswer | undefined) => unknown = (answer) => answer,
  ): Promise<HookAnswer | undefined> {
    const entry: Entry = { k: "hook", name, ...fields, ...(place.signal?.aborted ? { aborted: true } : {}) };
    log.push(entry);
    const reaction = reactionFor(name, fields["toolCallId"]);
    if (scenario.slowHooks !== undefined && !quick.includes(name)) {
      await sleep(scenario.slowHooks);
      note({ left: name });
    }
    try {
      if (reaction?.does) await perform(reaction.does, place);
    } catch (error) {
      entry["threw"] = String(error);
      throw error;
    }
    const returned = told(reaction?.answers);
    if (returned !== undefined) entry["returned"] = returned;
    return reaction?.answers;
  }

  async function body(tool: Tool, call: { id: string; args: unknown }, place: Place): Promise<Heard | undefined> {
    const counter = effects[tool.name] ?? { started: 0, effects: 0 };
    counter.started++;
    log.push({ k: "tool", at: "start", toolCallId: call.id, toolName: tool.name, args: structuredClone(call.args) });
    const heard = await perform(tool.before, place);
    if (!tool.before?.some((action) => action.do === "wait")) await sleep(0);
    counter.effects++;
    log.push({ k: "tool", at: "effect", toolCallId: call.id, toolName: tool.name });
    await perform(tool.after, place);
    return heard;
  }

  return { log, effects, note, perform, hook, body, lateUpdate: () => void keptUpdate?.() };
}

/** What transformContext leaves of the messages, or undefined when it changes nothing. */
export function leftOf<Message extends { role: string }>(messages: readonly Message[], answer: HookAnswer | undefined): Message[] | undefined {
  if (answer?.without !== undefined) return messages.filter(({ role }) => role !== answer.without);
  if (answer?.withoutFirst) return takenOutFirst(messages);
  return undefined;
}

/** Without the first user message, when there is a later one. */
function takenOutFirst<Message extends { role: string }>(messages: readonly Message[]): Message[] {
  const users = messages.filter(({ role }) => role === "user");
  return users.length < 2 ? [...messages] : messages.filter((message) => message !== users[0]);
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
}

/** What a tool gives back when it says nothing else. */
export function usualResult(tool: string, id: string): { text: string; details: unknown } {
  return { text: `${tool} result ${id}`, details: { from: tool } };
}

/** Logs a call from outside and how it settled. Resolves to false when it did not settle in time. */
export async function fromOutside(log: Entry[], name: string, run: () => unknown): Promise<boolean> {
  log.push({ k: "call", name });
  const settled = Promise.resolve()
    .then(run)
    .then(
      () => ({ outcome: "resolved" as const }),
      (error: unknown) => ({ outcome: "rejected" as const, error: String(error) }),
    );
  const result = await Promise.race([settled, sleep(patience, undefined, { ref: true })]);
  if (result === undefined) return false;
  log.push({ k: "settled", name, ...result });
  return true;
}
