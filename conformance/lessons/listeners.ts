/** The subscribers of a scenario on a lesson. */

import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, Listener as Subscriber } from "../../s14_steering/events.ts";
import type { Listener } from "../scenarios/kinds.ts";
import { fromOutside, type Stage } from "../stage.ts";

/** What a subscriber of a scenario may do to the session. */
export type Reach = { abort(): void; prompt(text: string): Promise<unknown> };

export function subscriber(listener: Listener, stage: Stage, reach: Reach): Subscriber {
  switch (listener.listens) {
    case "in order":
      return async ({ type }) => {
        stage.note({ listener: listener.name, sees: type, at: "enter" });
        if (listener.ms > 0) await sleep(listener.ms);
        stage.note({ listener: listener.name, sees: type, at: "leave" });
      };
    case "and aborts":
      return counted(listener.at, listener.nth, () => {
        stage.log.push({ k: "abort" });
        reach.abort();
      });
    case "and prompts":
      return counted(listener.at, 1, () => fromOutside(stage.log, "prompt(inner)", () => reach.prompt("inner")));
    case "and throws":
      return throwing(listener, stage);
    default:
      throw new Error(`a subscriber cannot listen ${listener.listens} here`);
  }
}

function counted(at: string, nth: number, run: () => unknown): Subscriber {
  let seen = 0;
  return async (event) => {
    const inner = event.type === "message_update" ? event.assistantMessageEvent.type : undefined;
    if (event.type !== at && inner !== at) return;
    seen++;
    if (seen === nth) await run();
  };
}

function throwing(listener: Extract<Listener, { listens: "and throws" }>, stage: Stage): Subscriber {
  let thrown = false;
  return (event) => {
    if (listener.always) throw new Error(`${listener.text} ${event.type}`);
    if (thrown || event.type !== listener.at) return;
    if (listener.role !== undefined && roleIn(event) !== listener.role) return;
    thrown = true;
    stage.note({ listenerThrowsOn: event.type });
    throw new Error(listener.text);
  };
}

function roleIn(event: AgentEvent): string | undefined {
  return "message" in event ? event.message.role : undefined;
}
