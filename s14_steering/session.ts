/**
 * s14: the one who owns a transcript, the queues in front of it, and the signal of the run. Pi calls it Agent.
 * Still missing: the run belongs to the loop; nobody can stop between two steps and come back later (s15).
 */

import type { Events } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { checkTurnLimit, type AgentState, type RunResult, type UserMessage } from "./messages.ts";
import type { Provider } from "./provider.ts";
import type { ToolRegistry } from "./tools.ts";
import type { QueueHooks } from "./turn.ts";

/** How many queued messages one look at a queue takes. */
export type QueueMode =
  | "one-at-a-time"
  | "all";

export type SessionOptions = {
  state: AgentState;
  provider: Provider;
  registry: ToolRegistry;
  hooks: Omit<LoopHooks, keyof QueueHooks>;
  events: Events;
  /** Default `one-at-a-time`. */
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
};

export type Session = {
  /** Starts a run with what the user says. @throws Error when a run is going on already */
  prompt(text: string): Promise<RunResult>;
  /** Starts a run from the transcript as it is, or from what is queued. @throws Error when neither has anything to answer */
  continue(): Promise<RunResult>;
  /** Says something to the run that is going on: it is sent with the next request. Refuses no call and ends no run. */
  steer(text: string): void;
  /** Says something for when the run would stop: it goes on with it instead. */
  followUp(text: string): void;
  /** Ends the run that is going on, if there is one. What is queued stays queued. */
  abort(): void;
  /** What was said and not taken yet. Copies. */
  queued(): { steering: string[]; followUp: string[] };
};

export function createSession({ steeringMode, followUpMode, ...options }: SessionOptions): Session {
  const { state, hooks } = options;
  const steering = createQueue(steeringMode);
  const followUps = createQueue(followUpMode);
  let running: AbortController | undefined;

  async function run(prompts: UserMessage[]): Promise<RunResult> {
    if (running) throw new Error("a run is going on already; use steer or followUp, or wait for its end");
    running = new AbortController();
    const queues = { getSteeringMessages: steering.take, getFollowUpMessages: followUps.take };
    try {
      return await runEventedToolLoop({ ...options, hooks: { ...hooks, ...queues }, prompts, signal: running.signal });
    } finally {
      running = undefined;
    }
  }

  async function goOn(): Promise<RunResult> {
    if (running) return run([]);
    const last = state.messages.findLast((message) => message.role !== "note");
    if (last && last.role !== "assistant") return run([]);
    if (steering.texts().length > 0) return run([]);
    checkTurnLimit(state.turnLimit);
    const waiting = followUps.take();
    if (waiting.length > 0) return run(waiting);
    throw new Error(last ? "the transcript ends with an answer, and nothing is queued" : "the transcript is empty, and nothing is queued");
  }

  return {
    prompt: (text) => run([user(text)]),
    continue: goOn,
    steer: (text) => steering.add(text),
    followUp: (text) => followUps.add(text),
    abort: () => running?.abort(),
    queued: () => ({ steering: steering.texts(), followUp: followUps.texts() }),
  };
}

function createQueue(mode: QueueMode = "one-at-a-time") {
  const waiting: UserMessage[] = [];
  return {
    add: (text: string) => void waiting.push(user(text)),
    take: () => waiting.splice(0, mode === "all" ? waiting.length : 1),
    texts: () => waiting.map((message) => message.content),
  };
}

function user(content: string): UserMessage {
  return { role: "user", content };
}
