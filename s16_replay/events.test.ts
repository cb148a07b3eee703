import { describe, expect, test, vi } from "vitest";
import { createEvents, toAgentEvent, type AgentEvent } from "./events.ts";

/** Nobody aborts. */
const calm = new AbortController().signal;

const start: AgentEvent = { type: "agent_start" };
const turn: AgentEvent = { type: "turn_start" };

describe("subscribe", () => {
  test("listeners hear in order, each awaited before the next, and emit waits for all", async () => {
    const order: string[] = [];
    const events = createEvents();
    events.subscribe(async () => {
      await Promise.resolve();
      order.push("slow");
    });
    events.subscribe(() => void order.push("fast"));
    await events.emit(start, calm);
    expect(order).toEqual(["slow", "fast"]);
  });

  test("what it returns takes away this subscription only, also when called twice", async () => {
    let heard = 0;
    const listener = () => void heard++;
    const events = createEvents();
    const undo = events.subscribe(listener);
    events.subscribe(listener);
    undo();
    undo();
    await events.emit(start, calm);
    expect(heard).toBe(1);
  });

  test("F2-09 a listener that leaves while it is called does not disturb the others", async () => {
    const heard: string[] = [];
    const events = createEvents();
    const undo = events.subscribe(() => {
      heard.push("first");
      undo();
    });
    events.subscribe(() => void heard.push("second"));
    await events.emit(start, calm);
    await events.emit(turn, calm);
    expect(heard).toEqual(["first", "second", "second"]);
  });

  test("a listener that takes another one away is obeyed at once", async () => {
    const heard: string[] = [];
    const events = createEvents();
    events.subscribe(() => undo());
    const undo = events.subscribe(() => void heard.push("taken away"));
    await events.emit(start, calm);
    expect(heard).toEqual([]);
  });
});

describe("a listener that fails", () => {
  test.each([
    ["throws", () => { throw new Error("gone"); }],
    ["rejects", () => Promise.reject(new Error("gone"))],
  ])("F2-09 %s: the others hear every event, and the fault is reported once per run", async (_what, broken) => {
    const reports: string[] = [];
    const heard: string[] = [];
    const events = createEvents((error, event) => reports.push(`${event.type} ${String(error)}`));
    events.subscribe(broken);
    events.subscribe((event) => void heard.push(event.type));
    for (const event of [start, turn, start, turn]) await events.emit(event, calm);
    expect(heard).toEqual(["agent_start", "turn_start", "agent_start", "turn_start"]);
    expect(reports).toEqual(["agent_start Error: gone", "agent_start Error: gone"]);
  });

  test.each([
    ["throws", () => { throw new Error("no space left"); }],
    ["rejects", () => Promise.reject(new Error("no space left"))],
  ])("a handler of such faults that %s stops nothing; both faults go to stderr", async (_what, handler) => {
    const lines: string[] = [];
    const write = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
    const heard: string[] = [];
    const events = createEvents(handler);
    events.subscribe(() => { throw new Error("gone"); });
    events.subscribe((event) => void heard.push(event.type));
    await events.emit(start, calm);
    await events.emit(turn, calm);
    write.mockRestore();
    expect(heard).toEqual(["agent_start", "turn_start"]);
    expect(lines).toEqual(["a subscriber failed at agent_start: gone\n", "a subscriber failed at agent_start: no space left\n"]);
  });
});

test("a provider's event: the start is pending, the end is not told here, the rest is an update", () => {
  expect(toAgentEvent({ type: "message_start" })).toMatchObject({ type: "message_start", message: { role: "assistant", stopReason: "pending" } });
  expect(toAgentEvent({ type: "message_end", stopReason: "stop" })).toBeUndefined();
  const delta = { type: "text_delta", delta: "x" } as const;
  expect(toAgentEvent(delta)).toEqual({ type: "message_update", assistantMessageEvent: delta });
});

test("without a handler a failure is one line on stderr, which names the event", async () => {
  const lines: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  const events = createEvents();
  events.subscribe(() => { throw new Error("gone"); });
  await events.emit(start, calm);
  await events.emit(turn, calm);
  stderr.mockRestore();
  expect(lines).toEqual(["a subscriber failed at agent_start: gone\n"]);
});
