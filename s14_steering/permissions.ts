/**
 * s11: a policy is data, and one function turns it into a gate. What no rule names is denied.
 * Still missing: nothing here can stop a process. A wall is built below it.
 */

import type { BeforeToolCallContext, BeforeToolCallResult } from "./execute.ts";
import { messageOf } from "./messages.ts";
import { isNamed, locate, matches, type Place } from "./paths.ts";
import type { Effect, PathUse } from "./tools.ts";

/** Patterns are names with `/` between them, from the root: `*` is a part of a name, `**` any number of names. */
export type Rule =
  | { verdict: "allow"; effects: readonly Effect[]; paths: readonly string[] }
  /** Also holds for everything below a place that it names. `except` takes single places out of it. */
  | { verdict: "deny"; effects: readonly Effect[]; paths: readonly string[]; except: readonly string[]; reason: string }
  | { verdict: "ask"; effects: readonly Effect[]; paths: readonly string[] };

export type Policy = {
  /** The workspace. Every path is judged as a place inside of it. */
  root: string;
  rules: readonly Rule[];
};

/** What was decided about one effect of one call, inner calls included. */
export type Decision = {
  toolCallId: string;
  tool: string;
  effect: Effect;
  /** The place as the gate saw it, from the root; the root itself is `.`. Missing when the path led nowhere. */
  path?: string;
  verdict: "allow" | "deny";
  /** Which rule decided, counted from 1, or why there was none. */
  rule: string;
};

export type PermissionOptions = {
  /** Asks a person about one effect of one call. The answer holds for this call only. Without it, what must be asked is denied. */
  ask?: (question: Omit<Decision, "verdict">) => boolean | Promise<boolean>;
  /** Hears every decision, before the call runs. It is not the gate: what it throws decides nothing, and goes to `onLost`. */
  onDecision?: (decision: Decision) => void;
  onLost?: (error: unknown) => void;
};

type Judgement = { verdict: "allow" | "ask"; rule: string } | { verdict: "deny"; rule: string; reason: string };

/**
 * The gate of a policy, to be hung on `beforeToolCall`. It judges every path that the tool declares for these arguments, and
 * allows the call only when all of them are allowed. An effect that is declared and names no path is judged as one on the
 * whole workspace. What the gate cannot judge it blocks, with a reason. The gate never throws.
 * @throws Error when a rule of the policy has a word that is unknown, lacks a field, or has a pattern that could never fit
 */
export function createPermissions(policy: Policy, options: PermissionOptions = {}) {
  policy.rules.forEach(checkRule);
  return async ({ toolCall, args, context }: BeforeToolCallContext): Promise<BeforeToolCallResult> => {
    try {
      const { effects, paths } = context.tools.find(toolCall.name);
      const uses = [...paths(args)];
      for (const effect of effects) if (!uses.some((use) => use.effect === effect)) uses.push({ path: ".", effect });
      for (const use of uses) {
        const reason = await decide(policy, options, effects, use, { toolCallId: toolCall.id, tool: toolCall.name });
        if (reason !== undefined) return { type: "block", reason };
      }
      return { type: "allow" };
    } catch (error) {
      return { type: "block", reason: `the policy could not decide: ${messageOf(error)}` };
    }
  };
}

/** The reason against one use of a path, or undefined when it is allowed. */
async function decide(
  policy: Policy,
  options: PermissionOptions,
  effects: readonly Effect[],
  use: PathUse,
  call: { toolCallId: string; tool: string },
): Promise<string | undefined> {
  const located = locate(policy.root, use.path);
  const judged = "refused" in located ? { verdict: "deny" as const, rule: "no place", reason: located.refused } : judge(policy, effects, use.effect, located.place);
  const path = "refused" in located ? {} : { path: shown(located.place) };
  const about = { ...call, effect: use.effect, ...path, rule: judged.rule };
  const { ask } = options;
  const allowed = judged.verdict === "ask" ? (await ask?.(about)) === true : judged.verdict === "allow";
  report(options, { ...about, verdict: allowed ? "allow" : "deny" });
  if (allowed) return undefined;
  if (judged.verdict === "deny") return judged.reason;
  return `to ${use.effect} ${shown("place" in located ? located.place : undefined)} a person must agree, and ${ask ? "did not" : "nobody is there to ask"}`;
}

function report({ onDecision, onLost = () => {} }: PermissionOptions, decision: Decision): void {
  try {
    const told: unknown = onDecision?.(decision);
    if (told instanceof Promise) told.catch(onLost);
  } catch (error) {
    onLost(error);
  }
}

const verdicts: Record<Rule["verdict"], true> = { allow: true, ask: true, deny: true };
const effectNames: Record<Effect, true> = { read: true, write: true, list: true };

/** A policy may come from a file, where nobody has checked its words. A misspelt deny rule would deny nothing. */
function checkRule(rule: Rule, index: number): void {
  const bad = (what: string, given: unknown, known: object) =>
    new Error(`rule ${index + 1}: unknown ${what} ${JSON.stringify(given)}; it is one of ${Object.keys(known).join(", ")}`);
  if (!Object.hasOwn(verdicts, rule.verdict)) throw bad("verdict", rule.verdict, verdicts);
  if (!Array.isArray(rule.effects) || !Array.isArray(rule.paths)) throw new Error(`rule ${index + 1} lacks its effects or its paths`);
  for (const effect of rule.effects) if (!Object.hasOwn(effectNames, effect)) throw bad("effect", effect, effectNames);
  if (rule.verdict === "deny" && !(Array.isArray(rule.except) && typeof rule.reason === "string")) {
    throw new Error(`rule ${index + 1} lacks its exceptions, which may be an empty list, or its reason`);
  }
  for (const pattern of [...rule.paths, ...(rule.verdict === "deny" ? rule.except : [])]) checkPattern(pattern);
}

/** Names with `/` between them. Another spelling would fit no place, and a deny rule that fits nothing denies nothing. */
function checkPattern(pattern: string): void {
  const names = pattern.split("/");
  const fits = !pattern.includes("\\") && !/^[a-z]:/i.test(pattern) && names.every((name) => name !== "" && name !== "." && name !== "..");
  if (fits) return;
  throw new Error(`the pattern ${JSON.stringify(pattern)} fits no place; write names with / between them, from the root, such as "private/**"`);
}

function judge({ rules }: Policy, effects: readonly Effect[], effect: Effect, place: Place): Judgement {
  if (!effects.includes(effect)) return { verdict: "deny", rule: "no declaration", reason: `the tool does not declare the effect ${effect}` };
  const named = [...rules.entries()].filter(([, rule]) => rule.effects.includes(effect) && isAbout(rule, place));
  const [at, rule] = named.find(([, each]) => each.verdict === "deny") ?? named[0] ?? [];
  if (!rule) return { verdict: "deny", rule: "no rule", reason: `no rule allows to ${effect} ${shown(place)}` };
  const counted = `rule ${(at ?? 0) + 1}`;
  return rule.verdict === "deny" ? { verdict: "deny", rule: counted, reason: rule.reason } : { verdict: rule.verdict, rule: counted };
}

/** A deny rule counts for both names of a place, an allow rule only for the one it really has. */
function isAbout(rule: Rule, { names, asked }: Place): boolean {
  if (rule.verdict === "deny") return isNamed(rule, names) || isNamed(rule, asked);
  return rule.paths.some((pattern) => matches(pattern, names));
}

function shown(place: Place | undefined): string {
  return place ? place.names.join("/") || "." : "it";
}
