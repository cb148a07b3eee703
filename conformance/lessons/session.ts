/** What a lesson offers to the outside, in one shape: the bare loop of s10 to s12, an abort from s13, a session from s14. */

import type { Events, Listener } from "../../s14_steering/events.ts";
import type { LoopHooks } from "../../s14_steering/loop.ts";
import type { AgentState, RunResult } from "../../s14_steering/messages.ts";
import type { Provider } from "../../s14_steering/provider.ts";
import type { ToolRegistry } from "../../s14_steering/tools.ts";
import type { LessonModules } from "./load.ts";

export type LessonSession = {
  prompt(text: string): Promise<RunResult>;
  continue(): Promise<RunResult>;
  steer(text: string): void;
  followUp(text: string): void;
  abort(): void;
  subscribe(listener: Listener): () => void;
  hasQueued(): boolean;
};

export type SessionParts = {
  state: AgentState;
  provider: Provider;
  registry: ToolRegistry;
  hooks: LoopHooks;
  events: Events;
  queueMode: "all" | "one-at-a-time";
};

export function openSession(lesson: LessonModules, parts: SessionParts): LessonSession {
  const { queueMode, events, ...rest } = parts;
  if (lesson.session) {
    const options = { ...parts, steeringMode: queueMode, followUpMode: queueMode };
    const session = lesson.session.createSession(options);
    const hasQueued = () => Object.values(session.queued()).flat().length > 0;
    return { ...session, hasQueued, subscribe: (listener) => events.subscribe(listener) };
  }
  let controller = new AbortController();
  const cannot = (what: string) => (): never => {
    throw new Error(`${lesson.id} has no ${what}`);
  };
  return {
    prompt(userInput) {
      controller = new AbortController();
      const options = { ...rest, events, userInput };
      const withSignal = { ...options, signal: controller.signal };
      return lesson.loop.runEventedToolLoop(lesson.id < "s13" ? options : withSignal);
    },
    continue: async () => cannot("continue")(),
    steer: cannot("queue"),
    followUp: cannot("queue"),
    abort: lesson.id < "s13" ? cannot("abort") : () => controller.abort(),
    subscribe: (listener) => events.subscribe(listener),
    hasQueued: () => false,
  };
}
