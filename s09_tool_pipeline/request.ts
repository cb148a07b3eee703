/**
 * s08: the places where the host can change a request before it leaves. None of them can refuse it.
 * Still missing: a hook that never answers holds the run (s13).
 */

import { refusalOf } from "../shared/history.ts";
import { askHook } from "./ask.ts";
import { toProviderMessages } from "./convert.ts";
import type { AgentState, Message, ProviderMessage, ThinkingLevel } from "./messages.ts";
import type { ProviderRequest } from "./provider.ts";
import { createTurnSnapshot, type Replaced, type TurnSnapshot } from "./snapshot.ts";
import { ToolRegistry } from "./tools.ts";

/** What a request is made from: the messages that may be sent, and the tools that may be called. */
export type AgentContext = { messages: Message[]; tools: ToolRegistry };

export type PrepareRequestContext = { context: Readonly<AgentContext>; model: string; thinkingLevel: ThinkingLevel };

/** What is given replaces the run's own, for this request and the later ones of the run. */
export type RequestUpdate = Partial<PrepareRequestContext>;

/**
 * Asked in this order before every request, the first one included. Each gets copies: an edit in place changes nothing,
 * only the answer does. One that throws means that no request is made, and the run ends with an error.
 */
export type RequestHooks = {
  prepareRequest?: (request: PrepareRequestContext) => RequestUpdate | undefined | Promise<RequestUpdate | undefined>;
  /** Changes which messages are sent, in this request only. The transcript stays as it is. */
  transformContext?: (messages: Message[]) => Message[] | Promise<Message[]>;
  /** Changes the shape in which they are sent, in this request only. Takes the place of `toProviderMessages`. */
  convertToLlm?: (messages: Message[]) => ProviderMessage[] | Promise<ProviderMessage[]>;
  getApiKey?: (model: string) => string | undefined | Promise<string | undefined>;
};

/**
 * Copies for a hook. They are made when it looks at them, so that a long transcript is not copied for a hook that does
 * not read it.
 */
export function contextOf(messages: () => readonly Message[], registry: ToolRegistry): Readonly<AgentContext> {
  const copied = once(() => structuredClone([...messages()]));
  const tools = once(() => registry.copy());
  return {
    get messages() {
      return copied();
    },
    get tools() {
      return tools();
    },
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Asks `prepareRequest`. Gives what the run has replaced from now on, or `replaced` as it is when there is no answer.
 * @throws Error that names the hook, when it throws or its answer makes no sense.
 */
export async function prepareRequest(
  state: AgentState,
  snapshot: TurnSnapshot,
  hooks: RequestHooks,
  replaced: Replaced,
): Promise<Replaced> {
  const ask = hooks.prepareRequest;
  if (!ask) return replaced;
  const { model, thinkingLevel } = snapshot;
  const context = contextOf(() => snapshot.messages, snapshot.registry);
  const update = await askHook("prepareRequest", () => ask({ context, model, thinkingLevel }));
  return update === undefined ? replaced : applyUpdate("prepareRequest", update, replaced, state);
}

/** A key that is there but undefined changes nothing. */
function applyUpdate(hook: string, update: RequestUpdate, replaced: Replaced, state: AgentState): Replaced {
  if (typeof update !== "object" || update === null) throw new Error(`${hook} returned no update`);
  const { context, model, thinkingLevel } = update;
  if (context && !(isListOfMessages(context.messages) && context.tools instanceof ToolRegistry)) {
    throw new Error(`${hook} returned a context without messages or tools`);
  }
  return {
    context: context ? { messages: [...context.messages], tools: context.tools.copy(), from: state.messages.length } : replaced.context,
    model: model ?? replaced.model,
    thinkingLevel: thinkingLevel ?? replaced.thinkingLevel,
  };
}

/**
 * Builds the request of a turn.
 * @throws Error that names the hook, when one throws, gives no list, or gives a history that a provider would refuse.
 */
export async function buildRequest(snapshot: TurnSnapshot, hooks: RequestHooks): Promise<ProviderRequest> {
  const messages = await messagesToSend(snapshot, hooks);
  const apiKey = await askHook("getApiKey", () => hooks.getApiKey?.(snapshot.model));
  return {
    messages,
    tools: snapshot.registry.getSpecs(),
    model: snapshot.model,
    thinkingLevel: snapshot.thinkingLevel,
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

async function messagesToSend(snapshot: TurnSnapshot, hooks: RequestHooks): Promise<ProviderMessage[]> {
  const { transformContext, convertToLlm } = hooks;
  let messages = snapshot.messages;
  const copy = () => structuredClone([...messages]);
  if (transformContext) messages = await askForList("transformContext", () => transformContext(copy()));
  const sent = convertToLlm ? await askForList("convertToLlm", () => convertToLlm(copy())) : toProviderMessages(messages);

  const author = lastToTouch(hooks);
  const refusal = author && refusalOf(sent);
  if (refusal) throw new Error(`${author} left a history that a provider refuses: ${refusal}`);
  return sent;
}

async function askForList<Item>(hook: string, ask: () => Item[] | Promise<Item[]>): Promise<Item[]> {
  const answer = await askHook(hook, ask);
  if (isListOfMessages(answer)) return answer;
  throw new Error(`${hook} returned no list of messages`);
}

/** What every later step relies on: messages are objects, and an answer has a list of its calls. */
function isListOfMessages(list: unknown): boolean {
  return Array.isArray(list) && list.every((each) => typeof each === "object" && each !== null && (each.role !== "assistant" || Array.isArray(each.toolCalls)));
}

function lastToTouch(hooks: RequestHooks): string | undefined {
  return (["convertToLlm", "transformContext", "prepareRequest"] as const).find((name) => hooks[name]);
}
