import { describe, expect, test } from "vitest";
import { ask, breakOff, call, cut, delta, failed, messageStart, say, throwing, type Step } from "../shared/fake-provider.ts";
import { scripted } from "../shared/testing.ts";
import { collect } from "./collect.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";

const request: ProviderRequest = { messages: [{ role: "user", content: "hi" }], tools: [] };
const end: ProviderEvent = { type: "message_end", stopReason: "stop" };

async function read(steps: readonly Step<ProviderEvent>[]) {
  const provider = scripted<ProviderRequest, ProviderEvent>([steps]);
  const heard: ProviderEvent[] = [];
  const message = await collect(async () => provider.stream(request), (event) => void heard.push(event), new Set());
  return { message, heard: heard.map((event) => event.type), openStreams: provider.openStreams };
}

describe("collect", () => {
  test("joins the deltas of one answer", async () => {
    const { message, heard } = await read(say("Hel", "", "lo"));
    expect(message).toEqual({ role: "assistant", content: "Hello", toolCalls: [], stopReason: "stop" });
    expect(heard).toEqual(["message_start", "text_delta", "text_delta", "text_delta", "message_end"]);
  });

  test("a surrogate pair split over two deltas is whole again", async () => {
    const [high, low] = ["\ud83d", "\ude00"];
    expect((await read(say(`a${high}`, `${low}b`))).message.content).toBe("a😀b");
  });

  test("keeps the stop reason and the provider's own error text", async () => {
    expect((await read(cut("par"))).message.stopReason).toBe("length");
    expect((await read(failed("overloaded", "par"))).message).toEqual({
      role: "assistant",
      content: "par",
      toolCalls: [],
      stopReason: "error",
      errorMessage: "overloaded",
    });
  });

  test.each([
    ["ends without an end event", [messageStart, delta("par"), breakOff], "the stream ended without an end event"],
    ["throws an Error", [messageStart, delta("par"), throwing(new Error("socket closed"))], "socket closed"],
    ["throws a string", [messageStart, delta("par"), throwing("socket closed")], "socket closed"],
    ["throws nothing", [messageStart, delta("par"), throwing(undefined)], "unknown error"],
  ])("F2-12 a stream that %s is an error with the text so far", async (_what, steps, errorMessage) => {
    const { message, heard } = await read(steps);
    expect(message).toEqual({ role: "assistant", content: "par", toolCalls: [], stopReason: "error", errorMessage });
    expect(heard).toEqual(["message_start", "text_delta", "message_end"]);
  });

  test.each([
    ["ends before any event", [breakOff]],
    ["throws before any event", [throwing(new Error("refused"))]],
    ["gives only its end", [end]],
  ])("a stream that %s still has one start and one end", async (_what, steps) => {
    expect((await read(steps)).heard).toEqual(["message_start", "message_end"]);
  });

  test("a stream that cannot be opened still has one start and one end", async () => {
    const heard: string[] = [];
    const message = await collect(() => Promise.reject(new Error("no network")), (event) => void heard.push(event.type), new Set());
    expect(message).toEqual({ role: "assistant", content: "", toolCalls: [], stopReason: "error", errorMessage: "no network" });
    expect(heard).toEqual(["message_start", "message_end"]);
  });

  test.each([
    ["deltas", [delta("late")]],
    ["a second end", [end]],
    ["an exception", [throwing(new Error("late"))]],
  ])("F2-12 %s after the end event change nothing, and the stream is closed", async (_what, late) => {
    const { message, heard, openStreams } = await read([...say("done"), ...late]);
    expect(message).toEqual({ role: "assistant", content: "done", toolCalls: [], stopReason: "stop" });
    expect(heard).toEqual(["message_start", "text_delta", "message_end"]);
    expect(openStreams).toBe(0);
  });

  test("a stream whose closing fails has still given its answer", async () => {
    async function* stream(): AsyncGenerator<ProviderEvent> {
      try {
        yield* say("done");
      } finally {
        throw new Error("closing failed");
      }
    }
    expect((await collect(async () => stream(), () => {}, new Set())).stopReason).toBe("stop");
  });

  test("text before the start, and a second start, give one start", async () => {
    const { message, heard } = await read([delta("a"), messageStart, delta("b"), end]);
    expect(message.content).toBe("ab");
    expect(heard).toEqual(["message_start", "text_delta", "text_delta", "message_end"]);
  });

  test("collects calls beside the text, in order", async () => {
    const { message, heard } = await read(ask("let me ", call("c1", "echo", { text: "hi" }), "look", call("c2", "clock")));
    expect(message).toEqual({
      role: "assistant",
      content: "let me look",
      toolCalls: [
        { id: "c1", name: "echo", args: { text: "hi" } },
        { id: "c2", name: "clock", args: {} },
      ],
      stopReason: "toolUse",
    });
    expect(heard).toEqual(["message_start", "text_delta", "tool_call", "text_delta", "tool_call", "message_end"]);
  });

  test("a repeated id is unique before anyone hears of the call", async () => {
    const provider = scripted<ProviderRequest, ProviderEvent>([ask(call("c1", "a"), call("c1", "b"), call("c1#2", "c"), call("", "d"), call("", "e"), call(undefined as unknown as string, "f"), call(undefined as unknown as string, "g"))]);
    const heard: string[] = [];
    const hear = (event: ProviderEvent) => void (event.type === "tool_call" && heard.push(event.call.id));
    const message = await collect(async () => provider.stream(request), hear, new Set(["c0"]));
    expect(heard).toEqual(["c1", "c1#2", "c1#2#2", "", "#2", "call", "call#2"]);
    expect(message.toolCalls.map((each) => each.id)).toEqual(heard);
  });
});
