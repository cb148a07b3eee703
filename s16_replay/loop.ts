/**
 * s01: asks, keeps the answer, and asks again only when there is a reason to.
 * s02: collects the answer from a stream, and shows every event when it arrives.
 * s03: builds a request from the transcript; it is no longer the transcript.
 * s04: executes the calls of an answer, and sends their results with the next request.
 * s05: leads each call through the hooks of the host.
 * s06: works with a snapshot of the turn, and takes one object of options.
 * s07: tells every start and every end, and runs tools only when their answer is whole.
 * s08: lets the host change a request before it leaves.
 * s09: shows the tools of a turn what the run works with.
 * s10: lets the host decide, when a turn is over, whether there is a next one.
 * s11: a broken gate can end the run.
 * s13: ends as soon as a signal says so.
 * s14: looks at two queues for what was said in the meantime.
 */

import { AbortedError } from "./abort.ts";
import { runBatch } from "./batch.ts";
import { collect } from "./collect.ts";
import { toAgentEvent, type Emit, type Events } from "./events.ts";
import type { ToolHooks } from "./execute.ts";
import {
  checkTurnLimit,
  messageOf,
  type AgentState,
  type AssistantMessage,
  type Message,
  type Outcome,
  type RunResult,
} from "./messages.ts";
import type { Provider, ProviderEvent } from "./provider.ts";
import { applyUpdate, buildRequest, prepareRequest, type RequestHooks } from "./request.ts";
import { createTurnSnapshot, messagesOf, type Replaced } from "./snapshot.ts";
import type { ToolRegistry } from "./tools.ts";
import { askNextTurn, askQueue, decideTurn, nextTurnHook, type FinishedTurn, type QueueHooks, type TurnHooks } from "./turn.ts";

export type LoopHooks =
  & ToolHooks
  & RequestHooks
  & TurnHooks
  & QueueHooks;

type LoopOptions = {
  state: AgentState;
  provider: Provider;
  registry: ToolRegistry;
  hooks: LoopHooks;
  /** What the user says. Without it the run starts with `prompts`, and without those from the transcript as it is. */
  userInput?: string;
  prompts?: readonly Message[];
  events: Events;
  /** Ends the run as soon as it is aborted: no new effect, no new request. */
  signal?: AbortSignal;
};

/** What the user would type after an answer that was cut. */
const CONTINUE = "continue";

/**
 * Runs from one user prompt to the end. Appends every message to `state.messages`, and makes at most
 * `state.turnLimit` requests. A provider that fails is an outcome, never an exception.
 * Every call gets exactly one result, which stands behind its message before the next request.
 * @throws RangeError before anything happens, when `state.turnLimit` is no whole number of 0 or more.
 */
export async function runEventedToolLoop(options: LoopOptions): Promise<RunResult> {
  const { state, provider, registry, hooks, userInput, signal = new AbortController().signal } = options;
  const emit: Emit = (event) => options.events.emit(event, signal);
  const events = { emit };
  checkTurnLimit(state.turnLimit);
  const callIds = callIdsOf(state.messages);
  const before = state.messages.length;
  const pending: Message[] = [...(options.prompts ?? [])];
  if (userInput !== undefined) pending.push({ role: "user", content: userInput });
  const append = async (message: Message) => {
    await events.emit({ type: "message_start", message });
    state.messages.push(message);
    await events.emit({ type: "message_end", message });
  };
  const appendPending = async () => {
    for (const message of pending.splice(0)) await append(message);
  };

  let replaced: Replaced = {};
  const messages = () => messagesOf(state, replaced);
  const newMessages = () => state.messages.slice(before);
  let errorMessage: string | undefined;
  const fail = (error: unknown): Outcome => {
    if (signal.aborted || error instanceof AbortedError) return "aborted";
    errorMessage = messageOf(error);
    return "error";
  };
  const prepareNextTurn = async (turn: FinishedTurn): Promise<Outcome | undefined> => {
    const update = await askNextTurn(hooks, turn, signal);
    if (update !== undefined) replaced = applyUpdate(nextTurnHook(hooks), update, replaced, state);
    const looked = pending.length > 0;
    pending.unshift(...structuredClone(update?.messages ?? []));
    if (!looked) pending.push(...(await askQueue(hooks, "getSteeringMessages", signal)));
    return undefined;
  };

  /** What was said in the meantime lets a run go on that would stop. Nobody looks after an end, a failure, or at the turn limit. */
  const lookAtQueues = async (ending: Outcome | undefined, wouldStop: boolean): Promise<Outcome | undefined> => {
    if (ending !== undefined && !wouldStop) return ending;
    pending.push(...(await askQueue(hooks, "getSteeringMessages", signal)));
    if (wouldStop && pending.length === 0) pending.push(...(await askQueue(hooks, "getFollowUpMessages", signal)));
    return pending.length > 0 ? undefined : ending;
  };

  let finished: FinishedTurn | undefined;
  let outcome: Outcome = "turn_limit";
  await events.emit({ type: "agent_start" });
  for (let turn = 0; turn < state.turnLimit; turn++) {
    const broken = finished && !signal.aborted && (await prepareNextTurn(finished).catch(fail));
    if (broken || signal.aborted) {
      outcome = broken || "aborted";
      break;
    }
    await events.emit({ type: "turn_start" });
    await appendPending();

    let snapshot = createTurnSnapshot(state, registry, replaced);
    const open = async () => {
      if (turn === 0) pending.push(...(await askQueue(hooks, "getSteeringMessages", signal)));
      await appendPending();
      if (needsUser(messages())) await append({ role: "user", content: CONTINUE });
      replaced = await prepareRequest(state, snapshot, hooks, replaced, signal);
      snapshot = createTurnSnapshot(state, registry, replaced);
      return provider.stream(await buildRequest(snapshot, hooks, signal), signal);
    };
    let answered = false;
    const onEvent = async (event: ProviderEvent) => {
      if (event.type === "message_end") answered = event.brokeOff !== true;
      const told = toAgentEvent(event);
      if (told) await events.emit(told);
    };
    const message = await collect(open, onEvent, callIds, signal);
    state.messages.push(message);
    await events.emit({ type: "message_end", message });
    const { toolResults, terminate, crash } = await runBatch({ message, snapshot, hooks, events, messages, publish: append, signal });

    finished = { message, toolResults, registry: snapshot.registry, messages, newMessages };
    const natural = crash.fault === undefined ? endOf(message, terminate) : fail(new Error(crash.fault));
    const decided = answered ? await decideTurn(hooks, finished, natural, signal).catch(fail) : natural;
    await events.emit({ type: "turn_end", message, toolResults });
    const course = decided ?? natural;
    const wouldStop = course === "stop" || course === "terminated";
    const limited = signal.aborted || turn + 1 === state.turnLimit;
    const queued = limited ? decided : await lookAtQueues(decided, wouldStop).catch(fail);
    const ending = signal.aborted ? "aborted" : queued;
    if (ending) {
      outcome = ending;
      break;
    }
  }
  await appendPending();
  await events.emit({ type: "agent_end", messages: newMessages() });
  return { outcome, ...(errorMessage === undefined ? {} : { errorMessage }) };
}

/** Why the run ends with this answer, or undefined when it goes on. */
function endOf(message: AssistantMessage, terminate: boolean): Outcome | undefined {
  if (message.stopReason === "error" || message.stopReason === "aborted") return message.stopReason;
  if (terminate) return "terminated";
  if (message.toolCalls.length > 0) return undefined;
  if (message.stopReason === "length") return undefined;
  return "stop";
}

/** A request that ends with an answer would be refused: somebody has to speak before the provider does. */
function needsUser(messages: readonly Message[]): boolean {
  return messages.findLast((message) => message.role !== "note")?.role === "assistant";
}

/** The ids of all calls that were ever made in this transcript. */
function callIdsOf(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map((call) => call.id) : [])));
}
