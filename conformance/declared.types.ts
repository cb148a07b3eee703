/**
 * What the course says that Pi declares, held against the type declarations of both versions: this file only has to compile
 * (`npm run types` in this folder, and declared.test.ts). A cell of the hook table that says "no field" stands here.
 */

import type * as v1_0_3 from "pi-agent-core-1.0.3";
import type * as v1_6_0 from "pi-agent-core-1.6.0";

type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
type Holds<Claims extends Record<string, true>> = Claims;
type Returned<Hook> = Hook extends (...given: never[]) => infer Answer ? Exclude<Awaited<Answer>, undefined | void> : never;
type Options<Agent> = Agent extends abstract new (options: infer Given) => unknown ? Given : never;
type HookOf<Given, Name extends keyof Given> = Exclude<Given[Name], undefined>;

/** What is claimed of a version, as far as it does not depend on how that version spells its types. */
type Claims<Given, Before, After, Decision, Tool> = {
  prepareRequest: Equal<keyof Returned<HookOf<Given, "prepareRequest" & keyof Given>>, "context" | "model" | "thinkingLevel">;
  nextTurn: Equal<keyof Returned<HookOf<Given, "prepareNextTurn" & keyof Given>>, "context" | "model" | "thinkingLevel" | "messages">;
  nextTurnWithContext: Equal<keyof Returned<HookOf<Given, "prepareNextTurnWithContext" & keyof Given>>, "context" | "model" | "thinkingLevel" | "messages">;
  getApiKey: Equal<Returned<HookOf<Given, "getApiKey" & keyof Given>>, string>;
  /** A block, a reason, a vote; no field for other arguments. */
  beforeToolCall: Equal<keyof Before, "block" | "reason" | "terminate">;
  afterToolCall: Equal<keyof After, "content" | "details" | "structuredContent" | "isError" | "usage" | "terminate">;
  finishTurn: Equal<Decision, { action: "continue" } | { action: "end" }>;
  /** The four callbacks that are not among the nine hooks. */
  callbacks: "streamFn" | "onPayload" | "onResponse" | "onProviderStreamEvent" extends keyof Given ? true : false;
  /** No turn limit in the core. */
  turnLimit: Extract<keyof Given, `${string}${"limit" | "Limit" | "maxTurns" | "maxSteps"}${string}`> extends never ? true : false;
  replay: Tool extends { replay?: infer Policy } ? Equal<Exclude<Policy, undefined>, "never" | "safe"> : false;
};

export type Declared_1_0_3 = Holds<
  Claims<Options<typeof v1_0_3.Agent>, v1_0_3.BeforeToolCallResult, v1_0_3.AfterToolCallResult, v1_0_3.AgentTurnDecision, v1_0_3.AgentTool>
>;
export type Declared_1_6_0 = Holds<
  Claims<Options<typeof v1_6_0.Agent>, v1_6_0.BeforeToolCallResult, v1_6_0.AfterToolCallResult, v1_6_0.AgentTurnDecision, v1_6_0.AgentTool>
>;
