import { describe, expect, test } from "vitest";
import { ask, call, say } from "../shared/fake-provider.ts";
import { nestingFault, scripted } from "../shared/testing.ts";
import { createEvents, type AgentEvent } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState, type Message } from "./messages.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

/** A tool that touches nothing. */
const harmless = { effects: [], paths: () => [] };

type Script = Parameters<typeof scripted<ProviderRequest, ProviderEvent>>[0];

function stage(script: Script, hooks: LoopHooks, given: Parameters<typeof createState>[0] = {}) {
  const provider = scripted<ProviderRequest, ProviderEvent>(script);
  const state = createState({ model: "small", ...given });
  const registry = new ToolRegistry();
  let runs = 0;
  registry.register({ name: "echo", description: "", parameters: { type: "object" } }, () => `ran ${++runs}`, harmless);
  const told: AgentEvent[] = [];
  const events = createEvents();
  events.subscribe((event) => void told.push(event));
  const run = (userInput: string, through: Provider = provider) => runEventedToolLoop({ state, provider: through, registry, hooks, userInput, events });
  const sent = () => provider.requests.map((request) => request.messages.map((message) => message.content));
  return { provider, state, registry, told, run, sent, ran: () => runs };
}

const user = (content: string): Message => ({ role: "user", content });
const toolTurn = ask(call("c1", "echo"));

describe("the order", () => {
  test("prepareRequest, transformContext, convertToLlm, getApiKey, request: before every request, the first one included", async () => {
    const order: string[] = [];
    const { provider, run } = stage([toolTurn, say("done")], {
      prepareRequest: async () => void order.push("prepareRequest"),
      transformContext: async (messages) => (order.push("transformContext"), messages),
      convertToLlm: async (messages) => (order.push("convertToLlm"), messages.filter((message) => message.role !== "note")),
      getApiKey: async (model) => (order.push(`getApiKey ${model}`), "key"),
    });
    await run("go");
    const once = ["prepareRequest", "transformContext", "convertToLlm", "getApiKey small"];
    expect(order).toEqual([...once, ...once]);
    expect(provider.requests.map((request) => request.apiKey)).toEqual(["key", "key"]);
  });

  test("where both touch one message, the second works on what the first made", async () => {
    const { run, sent } = stage([say("done")], {
      transformContext: (messages) => messages.map((message) => ({ ...message, content: `(${message.content})` })),
      convertToLlm: (messages) => messages.flatMap((message) => (message.role === "note" ? [] : [{ ...message, content: `[${message.content}]` }])),
    });
    await run("go");
    expect(sent()).toEqual([["[(go)]"]]);
  });
});

describe("sent is not kept", () => {
  test("a message that transformContext takes away is kept: sent 1, kept 2", async () => {
    const { state, run, sent } = stage([say("done")], { transformContext: (messages) => messages.slice(-1) }, { messages: [user("earlier")] });
    await run("go");
    expect(sent()).toEqual([["go"]]);
    expect(state.messages.map((message) => message.content)).toEqual(["earlier", "go", "done"]);
  });

  test("F2-22 an edit in place changes neither the transcript nor the next request", async () => {
    const lengths: number[] = [];
    const vandal = (messages: Message[]) => {
      lengths.push(messages.length);
      messages[0]!.content = "edited";
      messages.splice(1);
    };
    const hooks: LoopHooks = {
      prepareRequest: ({ context }) => {
        vandal(context.messages);
        context.tools.unregister("echo");
      },
      transformContext: (messages) => {
        const whole = structuredClone(messages);
        vandal(messages);
        return whole;
      },
    };
    const { state, run, sent } = stage([toolTurn, say("done")], hooks);
    await run("go");
    expect(lengths).toEqual([1, 1, 3, 3]);
    expect(sent()).toEqual([["go"], ["go", "", "ran 1"]]);
    expect(state.messages[0]).toEqual({ role: "user", content: "go" });
  });
});

describe("how long a change lasts", () => {
  test("prepareRequest: this and the later requests of the run, and not the next run", async () => {
    let asked = 0;
    const { provider, run } = stage([toolTurn, ask(call("c2", "echo")), say("done"), say("done")], {
      prepareRequest: () => (++asked === 2 ? { model: "large", thinkingLevel: "high" } : undefined),
    });
    await run("go");
    await run("again");
    expect(provider.requests.map(({ model, thinkingLevel }) => `${model} ${thinkingLevel}`)).toEqual(["small off", "large high", "large high", "small off"]);
  });

  test("a replaced context is built upon, and the transcript is not touched", async () => {
    let asked = 0;
    const { state, run, sent } = stage(
      [toolTurn, say("done"), say("done")],
      { prepareRequest: ({ context }) => (++asked === 1 ? { context: { ...context, messages: [user("short")] } } : undefined) },
      { messages: [user("long"), user("longer")] },
    );
    await run("go");
    await run("again");
    expect(sent()).toEqual([["short"], ["short", "", "ran 1"], ["long", "longer", "go", "", "ran 1", "done", "again"]]);
    expect(state.messages).toHaveLength(8);
  });

  test("a tool that prepareRequest took away is unknown in this turn", async () => {
    const { state, run, ran } = stage([toolTurn, say("done")], {
      prepareRequest: ({ context }) => (context.tools.unregister("echo"), { context }),
    });
    await run("go");
    expect(ran()).toBe(0);
    expect(state.messages[2]).toMatchObject({ role: "toolResult", content: 'error: unknown tool "echo"; tools: none' });
  });

  test("transformContext and convertToLlm: this request only", async () => {
    let asked = 0;
    const { run, sent } = stage([toolTurn, say("done")], {
      transformContext: (messages) => (++asked === 1 ? [user("only this once")] : messages),
    });
    await run("go");
    expect(sent()).toEqual([["only this once"], ["go", "", "ran 1"]]);
  });

  test("a key that is there but undefined changes nothing", async () => {
    const { provider, run } = stage([say("done")], { prepareRequest: () => ({ model: undefined, context: undefined }) as never });
    await run("go");
    expect(provider.requests[0]).toMatchObject({ model: "small" });
  });
});

describe("a hook that fails means that no request is made", () => {
  const cut = (messages: Message[]) => messages.filter((message) => message.role !== "toolResult");
  test.each<[string, LoopHooks, string]>([
    ["prepareRequest throws", { prepareRequest: () => { throw new Error("no"); } }, "prepareRequest threw: no"],
    ["prepareRequest rejects", { prepareRequest: () => Promise.reject(new Error("no")) }, "prepareRequest threw: no"],
    ["transformContext throws", { transformContext: () => { throw "no"; } }, "transformContext threw: no"],
    ["convertToLlm throws", { convertToLlm: () => { throw undefined; } }, "convertToLlm threw: unknown error"],
    ["getApiKey throws", { getApiKey: () => { throw new Error("no"); } }, "getApiKey threw: no"],
    ["prepareRequest gives no update", { prepareRequest: () => 7 as never }, "prepareRequest returned no update"],
    ["prepareRequest gives half a context", { prepareRequest: () => ({ context: {} }) as never }, "prepareRequest returned a context without messages or tools"],
    ["prepareRequest gives a message that is none", { prepareRequest: ({ context }) => ({ context: { ...context, messages: [null] } }) as never }, "prepareRequest returned a context without messages or tools"],
    ["transformContext gives an answer without its calls", { transformContext: () => [{ role: "assistant", content: "x" }] as never }, "transformContext returned no list of messages"],
    ["convertToLlm gives an answer whose calls are a text", { convertToLlm: () => [{ role: "assistant", content: "x", toolCalls: "abc" }] as never }, "convertToLlm returned no list of messages"],
    ["transformContext gives no list", { transformContext: () => undefined as never }, "transformContext returned no list of messages"],
    ["convertToLlm gives a list of nothing", { convertToLlm: () => [null] as never }, "convertToLlm returned no list of messages"],
    ["transformContext gives an unknown role", { transformContext: () => [{ role: "system", content: "x" }] as never }, 'transformContext left a history that a provider refuses: unknown role "system"; roles: user, assistant, toolResult'],
    ["convertToLlm gives nothing at all", { convertToLlm: () => [] }, "convertToLlm left a history that a provider refuses: H7: the request is empty"],
    ["prepareRequest gives an empty context", { prepareRequest: ({ context }) => ({ context: { ...context, messages: [] } }) }, "prepareRequest left a history that a provider refuses: H7: the request is empty"],
  ])("no request leaves when %s", async (_what, hooks, errorMessage) => {
    const { provider, state, told, run } = stage([], hooks);
    expect((await run("go")).outcome).toBe("error");
    expect(provider.requests).toEqual([]);
    expect(state.messages.at(-1)).toEqual({ role: "assistant", content: "", toolCalls: [], stopReason: "error", errorMessage });
    expect(nestingFault(told)).toBeUndefined();
  });

  test("a trim that cuts a call from its result is refused by rule before anything leaves", async () => {
    const { provider, state, run } = stage([toolTurn], { transformContext: cut });
    expect((await run("go")).outcome).toBe("error");
    expect(provider.requests).toHaveLength(1);
    expect(state.messages.at(-1)).toMatchObject({
      errorMessage: "transformContext left a history that a provider refuses: H6: the request ends with an assistant message",
    });
  });

  test("the failed answer is kept, not sent, and the next run goes on", async () => {
    let broken = true;
    const { run, sent } = stage([say("done")], { getApiKey: () => { if (broken) throw new Error("no"); return undefined; } });
    expect((await run("first")).outcome).toBe("error");
    broken = false;
    expect((await run("second")).outcome).toBe("stop");
    expect(sent()).toEqual([["first", "second"]]);
  });
});

describe("the place that can refuse a request", () => {
  test("a wrapper around the provider: what it refuses never reaches the provider, in no later request either", async () => {
    const { provider, run } = stage([say("done")], {});
    const guarded = refusing(provider, (request) => request.messages.every((message) => message.content !== "secret"));
    expect((await run("harmless", guarded)).outcome).toBe("stop");
    expect(provider.requests).toHaveLength(1);
    expect((await run("secret", guarded)).outcome).toBe("error");
    expect((await run("harmless again", guarded)).outcome).toBe("error");
    expect(provider.requests).toHaveLength(1);
  });
});

/** A provider that asks before a request leaves. There is no other way to the provider behind it. */
function refusing(provider: Provider, mayLeave: (request: ProviderRequest) => boolean): Provider {
  return {
    stream(request) {
      if (!mayLeave(request)) throw new Error("this request may not leave");
      return provider.stream(request);
    },
  };
}
