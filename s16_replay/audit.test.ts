import { expect, test } from "vitest";
import { createAudit, type AuditEntry } from "./audit.ts";
import type { AgentEvent, Listener } from "./events.ts";

/** Nobody aborts. */
const calm = new AbortController().signal;

async function tell(listener: Listener, args: unknown, content: string, isError = false): Promise<void> {
  const named = { toolCallId: "c1", toolName: "save" };
  const events: AgentEvent[] = [{ type: "tool_execution_start", ...named, args }, { type: "tool_execution_end", ...named, result: { content }, isError }];
  for (const event of events) await listener(event, calm);
}

async function entryFor(args: unknown, result = "saved", isError = false): Promise<AuditEntry | undefined> {
  const entries: AuditEntry[] = [];
  await tell(createAudit({ now: () => 7, write: (entry) => void entries.push(entry), onLost: () => {} }), args, result, isError);
  return entries[0];
}

test("an entry says when, which call, which tool, how it ended, and what the arguments look like", async () => {
  expect(await entryFor({ path: "a.txt", size: 7, tags: ["x", "y"], deep: { key: "s" }, none: null })).toEqual({
    at: 7,
    toolCallId: "c1",
    tool: "save",
    outcome: "ok",
    args: "path: string(5), size: number, tags: array(2), deep: object, none: null",
  });
});

test.each([[true, "error"], [false, "ok"]])("isError %j is %s, whatever the text says", async (isError, outcome) => {
  expect((await entryFor({}, "error: or not", isError))?.outcome).toBe(outcome);
});

test.each([["raw text", "string(8)"], [null, "null"], [[1], "array(1)"], [undefined, "undefined"]])("arguments that are no object: %j", async (args, shape) => {
  expect((await entryFor(args))?.args).toBe(shape);
});

test("a value never reaches the record", async () => {
  expect(JSON.stringify(await entryFor({ token: "hunter2", nested: { token: "hunter2" }, list: ["hunter2"] }, "hunter2"))).not.toContain("hunter2");
});

test.each([
  ["throws", () => { throw new Error("disk full"); }],
  ["rejects", () => Promise.reject(new Error("disk full"))],
])("a record that %s is lost, said so, and stops nothing", async (_what, write) => {
  const lost: unknown[] = [];
  await tell(createAudit({ now: () => 7, write, onLost: (error) => lost.push(error) }), {}, "saved");
  expect(lost.map(String)).toEqual(["Error: disk full"]);
});
