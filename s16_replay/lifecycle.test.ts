/** Random scripts with faults: on every path each start has one end, each call one result, and no history is refused. */

import { expect, test } from "vitest";
import { breakOff, call, delta, messageStart, throwing, type Step, type Turn } from "../shared/fake-provider.ts";
import { seeded, type Random } from "../shared/random.ts";
import { nestingFault, scripted } from "../shared/testing.ts";
import { createEvents, type AgentEvent } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

/** A tool that touches nothing. */
const harmless = { effects: [], paths: () => [] };

const RUNS = 400;

function randomTurn(random: Random): Turn<ProviderRequest, ProviderEvent> {
  const steps: Step<ProviderEvent>[] = random.once(8) ? [] : [messageStart];
  for (let count = random.below(5); count > 0; count--) {
    const id = random.pick(["c1", "c2", "c3", ""]);
    const name = random.pick(["echo", "broken", "unknown", "__proto__"]);
    steps.push(random.once(2) ? delta(random.pick(["", "a", "\ud83d"])) : call(id, name, random.pick([{ text: "hi" }, {}, "", "{", null, [1]])));
  }
  const stopReason = random.pick(["stop", "toolUse", "toolUse", "length", "error"] as const);
  const end: ProviderEvent = { type: "message_end", stopReason };
  return [...steps, random.pick([end, end, end, end, breakOff, throwing(random.pick([new Error("lost"), "lost", undefined]))]), delta("late")];
}

function randomHooks(random: Random): LoopHooks {
  const verdicts = [undefined, { type: "allow" }, { type: "block", reason: "no" }, {}, null, "allow"] as const;
  const overrides = [{ content: "checked" }, { content: "" }, undefined, 7, { isError: true }, { content: 7 }, { terminate: true }] as const;
  return {
    beforeToolCall: async () => {
      if (random.once(6)) throw new Error("gate broken");
      return random.pick(verdicts) as never;
    },
    afterToolCall: () => {
      if (random.once(6)) throw new Error("after broken");
      return random.pick(overrides) as never;
    },
    prepareRequest: () => {
      if (random.once(15)) throw new Error("prepare broken");
      return random.pick([undefined, { model: "large" }, 7] as const) as never;
    },
    transformContext: (messages) => {
      if (random.once(15)) throw new Error("transform broken");
      return messages;
    },
    finishTurn: () => {
      if (random.once(15)) throw new Error("finish broken");
      return random.pick([undefined, undefined, { action: "continue" }, { action: "end" }, null] as const) as never;
    },
    prepareNextTurn: () => {
      if (random.once(15)) throw new Error("next broken");
      return random.pick([undefined, { messages: [{ role: "user", content: "more" }] }, { messages: 7 }] as const) as never;
    },
  };
}

test.each(Array.from({ length: RUNS }, (_, seed) => seed))("seed %i", async (seed) => {
  const random = seeded(seed);
  const provider = scripted<ProviderRequest, ProviderEvent>({ forever: (request) => {
    const turn = randomTurn(random);
    return typeof turn === "function" ? turn(request) : turn;
  } });
  const registry = new ToolRegistry();
  registry.register({ name: "echo", description: "", parameters: { type: "object" } }, async (_args, { onUpdate }) => {
    void onUpdate({ content: "half" });
    if (random.once(2)) await onUpdate({ content: "nearly" });
    return "ran";
  }, harmless);
  registry.register({ name: "broken", description: "", parameters: { type: "object" } }, () => { throw random.pick([new Error("tool broken"), "tool broken", undefined]); }, harmless);
  const told: AgentEvent[] = [];
  const events = createEvents(() => {});
  events.subscribe(() => { if (random.once(5)) throw new Error("listener broken"); });
  events.subscribe((event) => void told.push(event));
  const state = createState({ turnLimit: random.below(6) });

  for (const userInput of ["first", "second"]) {
    const from = told.length;
    const { outcome } = await runEventedToolLoop({ state, provider, registry, hooks: randomHooks(random), userInput, events });
    expect(["stop", "turn_limit", "ended", "terminated", "error"], `seed ${seed}`).toContain(outcome);
    expect(nestingFault(told.slice(from)), `seed ${seed}`).toBeUndefined();
  }

  const calls = state.messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : []));
  const results = state.messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  expect(results, `seed ${seed}`).toEqual(calls);
  expect(provider.openStreams, `seed ${seed}`).toBe(0);
});
