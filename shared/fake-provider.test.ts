import { describe, expect, test } from "vitest";
import { manualClock } from "./clock.ts";
import { ask, breakOff, call, cut, delta, failed, FakeProvider, messageStart, say, throwing, wait, type FakeEvent, type Script } from "./fake-provider.ts";
import type { WireRequest } from "./history.ts";

const request: WireRequest = { messages: [{ role: "user", content: "hi" }] };
const fake = (script: Script<WireRequest, FakeEvent>) => new FakeProvider<WireRequest, FakeEvent>(script);

async function read(stream: AsyncIterable<FakeEvent>): Promise<FakeEvent[]> {
  const events: FakeEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("a script", () => {
  test("is replayed in order, and two runs give the same events", async () => {
    const script = [ask("let me look", call("c1", "echo", { text: "hi" })), cut("par"), failed("overloaded"), say("a", "b")];
    const run = async () => {
      const provider = fake(script);
      const all: FakeEvent[][] = [];
      for (const _turn of script) all.push(await read(provider.stream(request)));
      return all;
    };
    expect(await run()).toEqual(script);
    expect(JSON.stringify(await run())).toBe(JSON.stringify(await run()));
  });

  test("can compute a turn from the request", async () => {
    const provider = fake([({ messages }) => say(`you said ${messages.at(-1)?.content}`)]);
    expect(await read(provider.stream(request))).toContainEqual(delta("you said hi"));
  });

  test("can give one answer for ever", async () => {
    const provider = fake({ forever: say("again") });
    for (let turn = 0; turn < 5; turn++) expect(await read(provider.stream(request))).toEqual(say("again"));
    expect(provider.left).toBe(0);
  });

  test("can break off, throw anything, and go on after its end", async () => {
    expect(await read(fake([[messageStart, breakOff, delta("never")]]).stream(request))).toEqual([messageStart]);
    await expect(read(fake([[messageStart, throwing("no network")]]).stream(request))).rejects.toBe("no network");
    expect(await read(fake([[...say("a"), delta("late")]]).stream(request))).toEqual([...say("a"), delta("late")]);
  });

  test("waits on the clock it is given, and only there", async () => {
    const clock = manualClock();
    const provider = new FakeProvider<WireRequest, FakeEvent>([[messageStart, wait(50), ...say("late")]], { clock });
    const reading = read(provider.stream(request));
    await clock.advance(49);
    expect(provider.openStreams).toBe(1);
    await clock.advance(1);
    expect(await reading).toHaveLength(4);
    await expect(read(fake([[wait(1)]]).stream(request))).rejects.toThrow("a script that waits needs a clock");
  });

  test("stops at an aborted signal, also while it waits", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const provider = new FakeProvider<WireRequest, FakeEvent>([[messageStart, wait(50)]], { clock });
    const reading = read(provider.stream(request, controller.signal));
    reading.catch(() => {});
    await clock.advance(10);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    expect(provider.openStreams).toBe(0);
  });
});

describe("strictness", () => {
  test("one request more than scripted is refused, and the refusal is kept", () => {
    const provider = fake([say("only")]);
    provider.stream(request);
    expect(() => provider.stream(request)).toThrow("request 2 refused, only 1 answers are scripted");
    expect(provider.refusals).toEqual(["request 2 refused, only 1 answers are scripted"]);
  });

  test("a history that breaks a rule is refused by number, and uses up no answer", () => {
    const provider = fake([say("only")]);
    expect(() => provider.stream({ messages: [] })).toThrow("request 1 refused, H7: the request is empty");
    expect(provider.refusals).toHaveLength(1);
    expect(provider.left).toBe(1);
    expect(provider.requests).toEqual([]);
  });

  test("says how many answers nobody asked for", () => {
    const provider = fake([say("one"), say("two")]);
    provider.stream(request);
    expect(provider.left).toBe(1);
  });
});

describe("the record", () => {
  test("holds each request as it was when it arrived", () => {
    const provider = fake([say("one")]);
    const messages = [{ role: "user", content: "hi" }];
    provider.stream({ messages });
    messages.push({ role: "user", content: "later" });
    messages[0]!.content = "changed";
    expect(provider.requests).toEqual([{ messages: [{ role: "user", content: "hi" }] }]);
  });

  test("can be switched off", () => {
    const provider = new FakeProvider<WireRequest, FakeEvent>([say("one")], { record: false });
    provider.stream(request);
    expect(provider.requests).toEqual([]);
  });

  test("a stream that is left early is closed", async () => {
    const provider = fake([say("a", "b")]);
    for await (const _event of provider.stream(request)) break;
    expect(provider.openStreams).toBe(0);
  });
});
