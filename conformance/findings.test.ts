/**
 * The eight findings and the two observations about the seams of an agent core, on the last lesson and on both versions:
 * where a decision is still open, and where it is too late.
 */

import { describe, expect, test } from "vitest";
import { everyPlayer } from "./play.ts";
import type { Trace, TracedMessage } from "./trace.ts";

const marks = [
  "prepareRequest",
  "transformContext",
  "convertToLlm",
  "tool_execution_start",
  "beforeToolCall",
  "afterToolCall",
  "finishTurn",
  "turn_end",
];

/** The hooks and the two events of the finding, in the order in which they came. */
function marksOf({ log }: Trace): string[] {
  return log.map((entry) => String(entry.k === "event" ? entry["type"] : (entry["name"] ?? ""))).filter((name) => marks.includes(name));
}

const users = (messages: readonly TracedMessage[] = []) => messages.filter(({ role }) => role === "user").map(({ text }) => text);
const result = ({ kept }: Trace) => kept.find(({ role }) => role === "toolResult");
const runs = ({ effects }: Trace, tool = "alpha") => effects[tool]?.started;

describe.each(await everyPlayer())("$name", ({ play, kind }) => {
  test("finding 1: prepareRequest comes before transformContext, and a call is announced before its gate decides", async () => {
    expect(marksOf(await play("tool-one"))).toEqual([
      "prepareRequest",
      "transformContext",
      "convertToLlm",
      "tool_execution_start",
      "beforeToolCall",
      "afterToolCall",
      "finishTurn",
      "turn_end",
      "prepareRequest",
      "transformContext",
      "convertToLlm",
      "finishTurn",
      "turn_end",
    ]);
  });

  test("finding 2: a block keeps the tool's body from running, and the model reads the reason", async () => {
    const trace = await play("before-block-reason");
    expect(runs(trace)).toBe(0);
    expect(result(trace)).toMatchObject({ isError: true, text: expect.stringContaining("not today") });
    expect(trace.requestCount).toBe(2);
  });

  test("finding 3: rewriting a result changes what the model reads, and does not undo the effect", async () => {
    const trace = await play("after-redacts");
    expect(trace.effects["alpha"]).toEqual({ started: 1, effects: 1 });
    expect(trace.requests[1]?.messages.at(-1)).toMatchObject({ role: "toolResult", text: "[redacted]", isError: true });
  });

  test("finding 4: what is sent is not what is kept", async () => {
    const trace = await play("transform-strips-first");
    expect(users(trace.requests[1]?.messages)).toEqual(["more"]);
    expect(users(trace.kept)).toEqual(["go", "more"]);
  });

  test("finding 5: finishTurn can end the run, and the tool of that turn has run all the same", async () => {
    const trace = await play("next-turn-not-called-on-end");
    expect([trace.requestCount, runs(trace)]).toEqual([1, 1]);
  });

  test("finding 6: finishTurn can extend the run by one request", async () => {
    expect((await play("finish-continue-text-turn")).requestCount).toBe(2);
    expect((await play("plain-text")).requestCount).toBe(1);
  });

  test("finding 7: prepareRequest can swap the model of a request", async () => {
    expect((await play("prepare-request-model")).models).toEqual(["faux-a", "faux-b", "faux-a"]);
  });

  test("finding 8: a nested call goes through the gate: permitted runs once, blocked never, unknown is an error", async () => {
    const [permitted, blocked, unknown] = [await play("nested-permitted"), await play("nested-blocked"), await play("nested-unknown")];
    expect([permitted, blocked, unknown].map((trace) => runs(trace, "inner"))).toEqual([1, 0, 0]);
    const heard = (trace: Trace) => trace.log.find((entry) => entry["runToolCall"] !== undefined);
    expect(heard(permitted)).toMatchObject({ isError: false });
    expect(heard(blocked)).toMatchObject({ isError: true, text: expect.stringContaining("inner forbidden") });
    expect(heard(unknown)).toMatchObject({ isError: true, text: expect.stringContaining("missing") });
  });

  test("observation 1: a prepareRequest that throws means no request, and the last answer says error", async () => {
    const trace = await play("prepare-request-throws");
    expect(trace.requestCount).toBe(0);
    expect(trace.kept.at(-1)).toMatchObject({ role: "assistant", stopReason: "error", text: "" });
  });

  if (kind === "pi") {
    test("observation 2: an edit of args in place lands in the tool, and nobody validates it again", async () => {
      const trace = await play("before-mutates-args");
      const start = trace.log.find((entry) => entry.k === "tool" && entry["at"] === "start");
      expect(start?.["args"]).toEqual({ n: "seven", added: true });
    });
  } else {
    test("observation 2, and the lesson's answer: an edit of args in place throws, and the gate is closed", async () => {
      const trace = await play("before-mutates-args");
      expect(runs(trace)).toBe(0);
      expect(result(trace)).toMatchObject({ isError: true, text: expect.stringContaining("beforeToolCall") });
    });
  }
});
