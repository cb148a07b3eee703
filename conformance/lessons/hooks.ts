/** The hooks of a scenario in the form that a lesson takes. */

import type { AfterToolCallContext, BeforeToolCallContext, BeforeToolCallResult } from "../../s14_steering/execute.ts";
import type { LoopHooks } from "../../s14_steering/loop.ts";
import type { Message } from "../../s14_steering/messages.ts";
import type { PrepareRequestContext, RequestUpdate } from "../../s14_steering/request.ts";
import type { AgentTurnContext, AgentTurnDecision } from "../../s14_steering/turn.ts";
import type { HookAnswer, Scenario } from "../scenarios/kinds.ts";
import { leftOf, type Place, type Stage } from "../stage.ts";
import type { HookName } from "../trace.ts";
import type { LessonModules } from "./load.ts";
import { outcomes, rolesOf, tracedResult } from "./trace.ts";

/** The signal of the run, wherever the lesson puts it: behind the other arguments, or in what the hook is given. */
function signalIn(given: readonly unknown[]): AbortSignal | undefined {
  const inside = given.map((each) => (typeof each === "object" && each !== null && "signal" in each ? each.signal : each));
  return inside.find((each) => each instanceof AbortSignal);
}

/** `idOf` gives the scenario's name of a call that the lesson has numbered itself. */
export function lessonHooks(lesson: LessonModules, scenario: Scenario, stage: Stage, idOf: (id: string) => string): LoopHooks {
  const watch = (
    name: HookName,
    entry: Record<string, unknown>,
    given: readonly unknown[],
    rest: Partial<Place> = {},
    told?: (answer: HookAnswer | undefined) => unknown,
  ) => stage.hook(name, entry, { name, signal: signalIn(given), ...rest }, told);

  const callEntry = ({ toolCall, args }: BeforeToolCallContext) => ({
    toolCallId: idOf(toolCall.id),
    toolName: toolCall.name,
    args: structuredClone(args),
  });
  const turnEntry = ({ message, toolResults, context, newMessages }: AgentTurnContext) => ({
    stopReason: message.stopReason,
    toolResults: outcomes(toolResults),
    contextRoles: rolesOf(context.messages),
    newMessages: rolesOf(newMessages),
  });
  const appended = (answer: HookAnswer | undefined) =>
    answer?.messages && { messages: answer.messages.map((content): Message => ({ role: "user", content })) };
  const tracedAppended = (answer: HookAnswer | undefined) =>
    answer?.messages && { messages: answer.messages.map((text) => ({ role: "user", text })) };

  const all = {
    async prepareRequest(...given: [PrepareRequestContext]): Promise<RequestUpdate | undefined> {
      const [{ context, model, thinkingLevel }] = given;
      const roles = rolesOf(context.messages);
      const tools = context.tools.getSpecs().map((spec) => spec.name);
      const told = (answer: HookAnswer | undefined) => (answer?.noTools ? { context: { roles, tools: [] } } : answer);
      const answer = await watch("prepareRequest", { roles, tools, model, thinkingLevel }, given, {}, told);
      if (answer?.noTools) return { context: { messages: context.messages, tools: new lesson.tools.ToolRegistry() } };
      if (answer?.model) return { model: answer.model };
      return answer?.thinkingLevel ? { thinkingLevel: answer.thinkingLevel } : undefined;
    },
    async transformContext(...given: [Message[]]): Promise<Message[]> {
      const [messages] = given;
      const told = (answer: HookAnswer | undefined) => {
        const left = leftOf(messages, answer);
        return left && { roles: rolesOf(left) };
      };
      const answer = await watch("transformContext", { roles: rolesOf(messages) }, given, { list: messages }, told);
      return leftOf(messages, answer) ?? messages;
    },
    async convertToLlm(...given: [Message[]]) {
      const sent = lesson.convert.toProviderMessages(given[0]);
      await watch("convertToLlm", { roles: rolesOf(given[0]) }, [], {}, () => ({ roles: rolesOf(sent) }));
      return sent;
    },
    async getApiKey(): Promise<string | undefined> {
      await watch("getApiKey", {}, []);
      return undefined;
    },
    async beforeToolCall(...given: [BeforeToolCallContext]): Promise<BeforeToolCallResult | undefined> {
      const [context] = given;
      const entry = { ...callEntry(context), contextRoles: rolesOf(context.context.messages) };
      return verdict(await watch("beforeToolCall", entry, given, { given: context as { args?: unknown } }));
    },
    async afterToolCall(...given: [AfterToolCallContext]) {
      const [context] = given;
      const entry = { ...callEntry(context), isError: context.isError, result: tracedResult(context.result) };
      const fields = (answer: HookAnswer | undefined) => {
        if (answer?.result === undefined) return undefined;
        const { text, ...rest } = answer.result;
        return { ...rest, ...(text === undefined ? {} : { content: text }) };
      };
      return fields(await watch("afterToolCall", entry, given, {}, fields));
    },
    async finishTurn(...given: [AgentTurnContext]): Promise<AgentTurnDecision | undefined> {
      const answer = await watch("finishTurn", turnEntry(given[0]), given);
      return answer?.action && { action: answer.action };
    },
    async prepareNextTurn(...given: unknown[]) {
      return appended(await watch("prepareNextTurn", {}, given, {}, tracedAppended));
    },
    async prepareNextTurnWithContext(...given: [AgentTurnContext]) {
      return appended(await watch("prepareNextTurnWithContext", turnEntry(given[0]), given, {}, tracedAppended));
    },
  };
  const { prepareNextTurn, prepareNextTurnWithContext, ...others } = all;
  switch (scenario.hooks ?? "usual") {
    case "none":
      return {};
    case "with context":
      return { ...others, prepareNextTurnWithContext };
    case "both":
      return all;
    default:
      return { ...others, prepareNextTurn };
  }
}

/** A block is said with `type` here. What is no block at all is handed on as it stands. */
function verdict(answer: HookAnswer | undefined): BeforeToolCallResult | undefined {
  if (answer === undefined) return undefined;
  if (answer.block !== true) return answer as unknown as BeforeToolCallResult;
  const { reason = "", terminate } = answer;
  return { type: "block", reason, ...(terminate === undefined ? {} : { terminate }) };
}
