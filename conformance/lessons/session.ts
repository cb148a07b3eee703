/** What a lesson offers to the outside, in one shape: the bare loop of s10 to s12, an abort from s13, a session from s14. */

import type { Events, Listener } from "../../s10_turn_decisions/events.ts";
import type { LoopHooks } from "../../s10_turn_decisions/loop.ts";
import type { AgentState, RunResult } from "../../s10_turn_decisions/messages.ts";
import type { Provider } from "../../s10_turn_decisions/provider.ts";
import type { ToolRegistry } from "../../s10_turn_decisions/tools.ts";
import type { LessonModules } from "./load.ts";

export type LessonSession = {
  prompt(text: string): Promise<RunResult>;
  continue(): Promise<RunResult>;
  steer(text: string): void;
  followUp(text: string): void;
  abort(): void;
  subscribe(listener: Listener): () => void;
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
  const { queueMode: _unused, events, ...rest } = parts;
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
  };
}
