import { describe, expect, test } from "vitest";
import { ask, call, failed, say } from "../shared/fake-provider.ts";
import { nestingFault, scripted } from "../shared/testing.ts";
import { createEvents, type AgentEvent } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState, type Message } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { createSession, type Session, type SessionOptions } from "./session.ts";
import { ToolRegistry } from "./tools.ts";

type Script = Parameters<typeof scripted<ProviderRequest, ProviderEvent>>[0];
type Given = Partial<SessionOptions> & { during?: (session: Session) => unknown; on?: (event: AgentEvent, session: Session) => unknown };

/** A session with one tool, during which something can be said. */
function stage(script: Script, { during, on, ...given }: Given = {}) {
  const provider = scripted<ProviderRequest, ProviderEvent>(script);
  const state = given.state ?? createState();
  const registry = new ToolRegistry();
  registry.register({ name: "work", description: "", parameters: { type: "object" } }, async () => {
    await during?.(session);
    return "worked";
  }, { effects: [], paths: () => [] });
  const told: AgentEvent[] = [];
  const events = createEvents(() => {});
  events.subscribe(async (event) => {
    told.push(event);
    await on?.(event, session);
  });
  const session: Session = createSession({ provider, registry, hooks: {}, events, ...given, state });
  const kept = () => state.messages.map((message) => (message.role === "user" ? message.content : message.role));
  return { session, provider, state, told, kept };
}

const toolTurn = ask(call("c1", "work"));

describe("one run at a time", () => {
  test("a second prompt while a run is going on is refused, and disturbs nothing", async () => {
    const refusals: string[] = [];
    const note = (error: Error) => void refusals.push(error.message);
    const { session, kept } = stage([toolTurn, say("done")], {
      during: async (running) => {
        await running.prompt("second").catch(note);
        await running.continue().catch(note);
      },
    });
    expect(await session.prompt("first")).toEqual({ outcome: "stop" });
    const text = "a run is going on already; use steer or followUp, or wait for its end";
    expect(refusals).toEqual([text, text]);
    expect(kept()).toEqual(["first", "assistant", "toolResult", "assistant"]);
  });

  test("the run is still going on while agent_end is told, and over afterwards", async () => {
    const refusals: unknown[] = [];
    const { session } = stage([say("one"), say("two")], {
      on: async (event, running) => {
        if (event.type === "agent_end" && refusals.length === 0) await running.prompt("inside").catch((error: unknown) => refusals.push(error));
      },
    });
    await session.prompt("first");
    expect(refusals).toHaveLength(1);
    expect((await session.prompt("second")).outcome).toBe("stop");
  });

  test("after a run that was refused at the start the session is free", async () => {
    const state = createState({ turnLimit: Number.NaN });
    const { session } = stage([say("done")], { state });
    await expect(session.prompt("first")).rejects.toThrow(/turnLimit must be a whole number/);
    state.turnLimit = 3;
    expect((await session.prompt("second")).outcome).toBe("stop");
  });
});

describe("steer", () => {
  test("is sent with the next request, behind all results, and skips no call", async () => {
    const two = ask(call("c1", "work"), call("c2", "work"));
    let said = 0;
    const { session, provider, kept } = stage([two, say("done")], { during: (running) => void (said++ === 0 && running.steer("hurry")) });
    await session.prompt("go");
    expect(kept()).toEqual(["go", "assistant", "toolResult", "toolResult", "hurry", "assistant"]);
    expect(provider.requests).toHaveLength(2);
  });

  test("before a run it joins the first request, behind the prompt", async () => {
    const { session, provider } = stage([say("done")]);
    session.steer("and be brief");
    await session.prompt("go");
    expect(provider.requests[0]?.messages.map((message) => message.content)).toEqual(["go", "and be brief"]);
  });

  test("while the last answer arrives it lets the run go on", async () => {
    const { session, kept } = stage([say("one"), say("two")], { on: (event, running) => void (event.type === "message_update" && running.queued().steering.length === 0 && kept().length < 3 && running.steer("more")) });
    await session.prompt("go");
    expect(kept()).toEqual(["go", "assistant", "more", "assistant"]);
  });

  test.each([["one-at-a-time", [["S1"], ["S2"], ["S3"]]], ["all", [["S1", "S2", "S3"]]]] as const)("%s", async (steeringMode, turns) => {
    const { session, provider } = stage([toolTurn, ...turns.map(() => say("done"))], {
      steeringMode,
      during: (running) => ["S1", "S2", "S3"].forEach((text) => running.steer(text)),
    });
    await session.prompt("go");
    const added = provider.requests.slice(1).map((request, index) => request.messages.slice((provider.requests[index]?.messages.length ?? 0) + (index === 0 ? 2 : 1)).map((message) => message.content));
    expect(added).toEqual(turns);
  });

  test("said while prepareNextTurn works it is taken for the same turn; its own messages come first", async () => {
    let session: Session | undefined;
    const hooks: LoopHooks = { prepareNextTurn: () => (session?.steer("hurry"), { messages: [{ role: "user", content: "prepared" }] }) };
    const staged = stage([toolTurn, say("done")], { hooks });
    session = staged.session;
    await session.prompt("go");
    expect(staged.kept()).toEqual(["go", "assistant", "toolResult", "prepared", "hurry", "assistant"]);
  });

  test("outvotes terminate, but not an end", async () => {
    const voting: LoopHooks = { afterToolCall: () => ({ terminate: true }) };
    const goesOn = stage([toolTurn, say("done")], { hooks: voting, during: (running) => running.steer("wait") });
    expect((await goesOn.session.prompt("go")).outcome).toBe("stop");
    const ends = stage([toolTurn], { hooks: { finishTurn: () => ({ action: "end" }) }, during: (running) => (running.steer("wait"), running.followUp("later")) });
    expect((await ends.session.prompt("go")).outcome).toBe("ended");
    expect(ends.session.queued()).toEqual({ steering: ["wait"], followUp: ["later"] });
  });
});

describe("followUp", () => {
  test("waits until the run would stop, and then goes on in the same run", async () => {
    const { session, told, kept } = stage([toolTurn, say("one"), say("two")], { during: (running) => running.followUp("and then") });
    await session.prompt("go");
    expect(kept()).toEqual(["go", "assistant", "toolResult", "assistant", "and then", "assistant"]);
    expect(told.filter((event) => event.type === "agent_start")).toHaveLength(1);
    expect(nestingFault(told)).toBeUndefined();
  });

  test("steering goes first", async () => {
    const { session, kept } = stage([toolTurn, say("one"), say("two")], { during: (running) => (running.followUp("later"), running.steer("now")) });
    await session.prompt("go");
    expect(kept()).toEqual(["go", "assistant", "toolResult", "now", "assistant", "later", "assistant"]);
  });

  test("all at once, when the session says so", async () => {
    const { session, provider } = stage([say("one"), say("two")], { followUpMode: "all" });
    for (const text of ["F1", "F2", "F3"]) session.followUp(text);
    await session.prompt("go");
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["go", "one", "F1", "F2", "F3"]);
  });

  test("serves as the request that a continue asks for: no third one", async () => {
    let asked = 0;
    const { session, provider } = stage([say("one"), say("two")], { hooks: { finishTurn: () => (++asked === 1 ? { action: "continue" } : undefined) } });
    session.followUp("and then");
    await session.prompt("go");
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["go", "one", "and then"]);
  });
});

describe("nothing queued is lost", () => {
  const speak = (running: Session) => (running.steer("S"), running.followUp("F"));

  test.each<[string, Script, Given, string]>([
    ["the provider fails", [toolTurn, failed("overloaded")], { during: speak }, "error"],
    ["the turn limit is reached", [toolTurn], { during: speak, state: createState({ turnLimit: 1 }) }, "turn_limit"],
    ["finishTurn ends the run", [toolTurn], { during: speak, hooks: { finishTurn: () => ({ action: "end" }) } }, "ended"],
    ["finishTurn throws", [toolTurn], { during: speak, hooks: { finishTurn: () => { throw new Error("no"); } } }, "error"],
    ["finishTurn throws where the run would stop", [say("one")], { on: (event, running) => void (event.type === "message_update" && speak(running)), hooks: { finishTurn: () => { throw new Error("no"); } } }, "error"],
    ["prepareNextTurn throws", [toolTurn], { during: speak, hooks: { prepareNextTurn: () => { throw new Error("no"); } } }, "error"],
    ["the run is aborted", [toolTurn], { during: (running) => (speak(running), running.abort()) }, "aborted"],
    ["a listener aborts it before the first request", [], { state: createState(), on: (event, running) => void (event.type === "turn_start" && (speak(running), running.abort())) }, "aborted"],
    ["a listener aborts it at the end of the turn", [toolTurn], { during: speak, on: (event, running) => void (event.type === "turn_end" && running.abort()) }, "aborted"],
  ])("when %s: each is in the transcript or still queued, and only once", async (_what, script, given, outcome) => {
    const { session, told, kept } = stage(script, given);
    expect((await session.prompt("go")).outcome).toBe(outcome);
    const { steering, followUp } = session.queued();
    expect([...kept(), ...steering, ...followUp].filter((text) => text === "S" || text === "F").sort()).toEqual(["F", "S"]);
    expect(nestingFault(told)).toBeUndefined();
  });

  test.each(["getSteeringMessages", "getFollowUpMessages"] as const)("a %s that throws ends the run with an error that names it", async (queue) => {
    for (const [broken, text] of [[() => { throw new Error("no"); }, "threw: no"], [() => 7 as never, "returned no messages"], [() => [null] as never, "returned no messages"]] as const) {
      const told: AgentEvent[] = [];
      const events = createEvents();
      events.subscribe((event) => void told.push(event));
      let looks = 0;
      const source = (): Message[] => (queue === "getSteeringMessages" && looks++ === 0 ? [] : broken());
      const provider = scripted<ProviderRequest, ProviderEvent>([say("done")]);
      const state = createState();
      const result = await runEventedToolLoop({ state, provider, registry: new ToolRegistry(), hooks: { [queue]: source }, userInput: "go", events });
      expect(result).toEqual({ outcome: "error", errorMessage: `${queue} ${text}` });
      expect(state.messages).toHaveLength(2);
      expect(nestingFault(told)).toBeUndefined();
    }
  });

  test("one that throws before the first request means that no request is made", async () => {
    const provider = scripted<ProviderRequest, ProviderEvent>([]);
    const state = createState();
    const hooks: LoopHooks = { getSteeringMessages: () => { throw new Error("no"); } };
    const result = await runEventedToolLoop({ state, provider, registry: new ToolRegistry(), hooks, userInput: "go", events: createEvents() });
    expect(result.outcome).toBe("error");
    expect(state.messages.at(-1)).toMatchObject({ stopReason: "error", errorMessage: "getSteeringMessages threw: no" });
  });
});

describe("continue", () => {
  test("answers a transcript that ends with a user message or a result, without adding anything", async () => {
    const state = createState({ messages: [{ role: "user", content: "restored" }] });
    const { session, provider, told } = stage([say("done")], { state });
    expect((await session.continue()).outcome).toBe("stop");
    expect(provider.requests[0]?.messages).toEqual([{ role: "user", content: "restored" }]);
    expect(told.at(-1)).toMatchObject({ type: "agent_end", messages: [{ role: "assistant" }] });
  });

  test("behind an answer it starts with what is queued", async () => {
    const { session, kept } = stage([say("one"), say("two"), say("three")]);
    await session.prompt("go");
    session.followUp("later");
    session.steer("now");
    await session.continue();
    expect(kept()).toEqual(["go", "assistant", "now", "assistant", "later", "assistant"]);
  });

  test("one at a time: of two things said, the first request takes one", async () => {
    const { session, provider } = stage([say("one"), say("two"), say("three")]);
    await session.prompt("go");
    session.steer("S1");
    session.steer("S2");
    await session.continue();
    expect(provider.requests[1]?.messages.map((message) => message.content)).toEqual(["go", "one", "S1"]);
    expect(provider.requests[2]?.messages.at(-1)?.content).toBe("S2");
  });

  test("a run that is refused at the start takes nothing from the queues", async () => {
    const state = createState();
    const { session } = stage([say("one")], { state });
    await session.prompt("go");
    session.followUp("later");
    state.turnLimit = Number.NaN;
    await expect(session.continue()).rejects.toThrow(/turnLimit/);
    expect(session.queued().followUp).toEqual(["later"]);
  });

  test.each([
    ["behind an answer", true, "the transcript ends with an answer, and nothing is queued"],
    ["with an empty transcript", false, "the transcript is empty, and nothing is queued"],
  ])("%s and with nothing queued it is refused", async (_what, ran, message) => {
    const { session, told } = stage(ran ? [say("done")] : []);
    if (ran) await session.prompt("go");
    const before = told.length;
    await expect(session.continue()).rejects.toThrow(message);
    expect(told).toHaveLength(before);
  });
});

describe("abort", () => {
  test("ends the run that is going on; without one it does nothing", async () => {
    const { session } = stage([toolTurn, say("done")], { during: (running) => running.abort() });
    session.abort();
    expect((await session.prompt("go")).outcome).toBe("aborted");
    expect((await session.continue()).outcome).toBe("stop");
  });
});
