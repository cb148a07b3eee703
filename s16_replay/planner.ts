/**
 * s15: a planner that asks the provider, on the same way on which the loop does. The calls of an answer are the steps.
 * Still missing: a plan is only as good as the provider's answer.
 */

import { collect } from "./collect.ts";
import type { Planner } from "./harness.ts";
import { createState, toolError, type AssistantMessage, type Message } from "./messages.ts";
import type { Plan, Progress } from "./progress.ts";
import type { Provider } from "./provider.ts";
import { buildRequest, prepareRequest, type RequestHooks } from "./request.ts";
import { createTurnSnapshot } from "./snapshot.ts";
import { toolResult, type ToolRegistry } from "./tools.ts";

export type PlannerOptions = { provider: Provider; registry: ToolRegistry; hooks: RequestHooks; signal: AbortSignal };

/** Asks for a plan at the start, and again whenever the plan is done. An answer without calls is the last word. */
export function createProviderPlanner(options: PlannerOptions): Planner {
  const ask = (progress: Progress) => askProvider(options, toMessages(progress));
  return {
    plan: ask,
    replan: async (progress) => (progress.cursor < progress.plan.length ? undefined : ask(progress)),
  };
}

/** @throws Error with the provider's text, when it fails; Error for an answer that was cut, as its calls may be cut too */
async function askProvider({ provider, registry, hooks, signal }: PlannerOptions, messages: Message[]): Promise<Plan> {
  const state = createState({ messages });
  const open = async () => {
    const replaced = await prepareRequest(state, createTurnSnapshot(state, registry, {}), hooks, {}, signal);
    return provider.stream(await buildRequest(createTurnSnapshot(state, registry, replaced), hooks, signal), signal);
  };
  const callIds = new Set(messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map((call) => call.id) : [])));
  const answer = await collect(open, () => {}, callIds, signal);
  if (answer.stopReason === "error" || answer.stopReason === "aborted") throw new Error(answer.errorMessage ?? "the provider failed");
  if (answer.stopReason === "length") throw new Error("the answer was cut at the token limit, so it is no plan");
  return toPlan(answer);
}

function toPlan({ content, toolCalls }: AssistantMessage): Plan {
  return {
    answer: content,
    steps: toolCalls.map(({ id, name, args }) => ({ id, description: `call ${name}`, toolName: name, toolArgs: args })),
  };
}

/** The transcript, made from what is known of the session: a call and its result for every step that was tried. */
function toMessages({ goal, rounds }: Progress): Message[] {
  const messages: Message[] = [{ role: "user", content: goal }];
  for (const { plan, results } of rounds) {
    const toolCalls = plan.steps.map(({ id, toolName = "", toolArgs }) => ({ id, name: toolName, args: toolArgs }));
    messages.push({ role: "assistant", content: plan.answer, toolCalls, stopReason: "toolUse" });
    for (const call of toolCalls) {
      const result = results.find(({ stepId }) => stepId === call.id) ?? { ...toolError("not executed, because the plan was changed"), isError: true };
      messages.push(toolResult(call, { content: result.content, isError: result.isError ?? false }));
    }
  }
  return messages;
}
