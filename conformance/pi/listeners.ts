/** The subscribers of a scenario, behind the one that records. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../scenarios/kinds.ts";
import { fromOutside, type Stage } from "../stage.ts";
import type { PiAgent, PiEvent } from "./types.ts";

/** Resolves to a way to let all of them leave. */
export function listen(agent: PiAgent, listeners: readonly Listener[], stage: Stage): () => void {
  const leaves = listeners.map((listener) => agent.subscribe(subscriber(agent, listener, stage)));
  return () => leaves.forEach((leave) => leave());
}

function subscriber(agent: PiAgent, listener: Listener, stage: Stage): (event: PiEvent) => unknown {
  switch (listener.listens) {
    case "in order":
      return async ({ type }) => {
        stage.note({ listener: listener.name, sees: type, at: "enter" });
        if (listener.ms > 0) await sleep(listener.ms);
        stage.note({ listener: listener.name, sees: type, at: "leave" });
      };
    case "to the state":
      return ({ type }) => {
        if (!type.endsWith("_update")) noteState(agent, type, stage);
      };
    case "and prompts":
      return once(listener.at, () => fromOutside(stage.log, "prompt(inner)", () => agent.prompt("inner")));
    case "and aborts":
      return counted(listener.at, listener.nth, () => {
        stage.log.push({ k: "abort" });
        agent.abort();
      });
    case "and throws":
      return throwing(listener, stage);
  }
}

function noteState(agent: PiAgent, at: string, stage: Stage): void {
  const { messages, streamingMessage, pendingToolCalls, isStreaming } = agent.state;
  stage.note({ at, messages: messages.length, streaming: streamingMessage?.role ?? null, pending: [...pendingToolCalls], isStreaming });
}

function once(at: string, run: () => unknown): (event: PiEvent) => unknown {
  return counted(at, 1, run);
}

/** Runs at the nth event of this type; a type of a stream's event counts too. */
function counted(at: string, nth: number, run: () => unknown): (event: PiEvent) => unknown {
  let seen = 0;
  return (event) => {
    if (event.type !== at && event.assistantMessageEvent?.type !== at) return undefined;
    seen++;
    return seen === nth ? run() : undefined;
  };
}

function throwing(listener: Extract<Listener, { listens: "and throws" }>, stage: Stage): (event: PiEvent) => unknown {
  let thrown = false;
  return ({ type, message }) => {
    if (listener.always) throw new Error(`${listener.text} ${type}`);
    if (thrown || type !== listener.at) return;
    if (listener.role !== undefined && message?.role !== listener.role) return;
    thrown = true;
    stage.note({ listenerThrowsOn: type });
    throw new Error(listener.text);
  };
}
