import { describe, expect, test } from "vitest";
import { breakOff, cut, delta, failed, messageStart, say, throwing } from "../shared/fake-provider.ts";
import { scripted } from "../shared/testing.ts";
import { runLoop } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";

const fake = scripted<ProviderRequest, ProviderEvent>;
const silent = { log: () => {} };

describe("runLoop", () => {
  test("keeps the prompt and the answer, and stops", async () => {
    const provider = fake([say("hello")]);
    const state = createState();
    expect(await runLoop(state, provider, "hi", silent)).toEqual({ outcome: "stop" });
    expect(state.messages).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello", stopReason: "stop" },
    ]);
    expect(provider.requests).toEqual([{ messages: [{ role: "user", content: "hi" }] }]);
  });

  test("asks again after a cut answer, with both parts kept apart", async () => {
    const provider = fake([cut("one"), say("two")]);
    const state = createState();
    expect((await runLoop(state, provider, "go", silent)).outcome).toBe("stop");
    expect(state.messages.map((message) => message.content)).toEqual(["go", "one", "continue", "two"]);
    expect(provider.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
  });

  test.each([0, 1, 3])("F2-18 a limit of %i means exactly that many requests", async (turnLimit) => {
    const provider = fake({ forever: cut("more") });
    const state = createState({ turnLimit });
    expect((await runLoop(state, provider, "go", silent)).outcome).toBe("turn_limit");
    expect(provider.requests).toHaveLength(turnLimit);
    expect(state.messages.at(-1)?.content).toBe(turnLimit === 0 ? "go" : "more");
  });

  test("F2-18 stopping by itself at the last allowed turn is a stop", async () => {
    const provider = fake([cut("a"), cut("b"), say("c")]);
    expect((await runLoop(createState({ turnLimit: 3 }), provider, "go", silent)).outcome).toBe("stop");
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("F2-18 a limit of %s is refused before anything happens", async (turnLimit) => {
    const provider = fake([]);
    const state = createState({ turnLimit });
    await expect(runLoop(state, provider, "go", silent)).rejects.toThrow(/turnLimit must be a whole number, 0 or more/);
    expect(state.messages).toEqual([]);
    expect(provider.requests).toEqual([]);
  });

  test.each([
    ["an Error", new Error("no network"), "no network"],
    ["a string", "no network", "no network"],
    ["nothing", undefined, "unknown error"],
    ["an Error without a text", new Error(""), "unknown error"],
    ["an object that has no text", Object.create(null), "unknown error"],
  ])("a provider that throws %s is an outcome", async (_what, thrown, text) => {
    const state = createState();
    const provider = fake([[messageStart, throwing(thrown)]]);
    expect(await runLoop(state, provider, "hi", silent)).toEqual({ outcome: "error" });
    expect(state.messages.at(-1)).toEqual({ role: "assistant", content: "", stopReason: "error", errorMessage: text });
  });

  test("a provider that throws before it returns a promise is an outcome too", async () => {
    const state = createState();
    const provider = { stream: () => { throw new Error("at once"); } };
    expect((await runLoop(state, provider, "hi", silent)).outcome).toBe("error");
  });

  test("a provider that says it failed keeps its text", async () => {
    const state = createState();
    expect((await runLoop(state, fake([failed("overloaded", "par")]), "hi", silent)).outcome).toBe("error");
    expect(state.messages.at(-1)).toEqual({ role: "assistant", content: "par", stopReason: "error", errorMessage: "overloaded" });
  });

  test("an answer without an end is an error", async () => {
    const provider = fake([[messageStart, delta("hel"), breakOff]]);
    expect((await runLoop(createState(), provider, "hi", silent)).outcome).toBe("error");
  });

  test("shows every event when it arrives", async () => {
    const lines: string[] = [];
    await runLoop(createState(), fake([say("a", "b\nc")]), "hi", { log: (line) => lines.push(line) });
    expect(lines).toEqual(["message_start", "text_delta: a", "text_delta: b\\nc", "message_end: stop"]);
  });

  test("a note is kept and never sent", async () => {
    const provider = fake([cut("one"), say("two")]);
    const state = createState({ messages: [{ role: "note", content: "model: small" }] });
    const noting = { log: (line: string) => void (line === "message_end: length" && state.messages.push({ role: "note", content: "cut" })) };
    await runLoop(state, provider, "go", noting);
    expect(state.messages.map((message) => message.role)).toEqual(["note", "user", "note", "assistant", "user", "assistant"]);
    expect(provider.requests.map(({ messages }) => messages.map((message) => message.content))).toEqual([
      ["go"],
      ["go", "one", "continue"],
    ]);
  });

  test("an answer that failed before any text is kept, and the next prompt is accepted", async () => {
    const provider = fake([failed("overloaded"), say("here")]);
    const state = createState();
    expect((await runLoop(state, provider, "first", silent)).outcome).toBe("error");
    expect((await runLoop(state, provider, "second", silent)).outcome).toBe("stop");
    expect(state.messages).toHaveLength(4);
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["first", "second"]);
  });

  test("an answer cut before any text is not sent either", async () => {
    const provider = fake([cut(""), say("here")]);
    expect((await runLoop(createState(), provider, "go", silent)).outcome).toBe("stop");
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["go", "continue"]);
  });

  test("a second prompt goes on in the same transcript", async () => {
    const provider = fake([say("one"), say("two")]);
    const state = createState();
    await runLoop(state, provider, "first", silent);
    await runLoop(state, provider, "second", silent);
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["first", "one", "second"]);
  });
});
