import { describe, expect, expectTypeOf, test } from "vitest";
import type { ToolHooks as S05Hooks } from "../s05_tool_hook_boundary/execute.ts";
import type { LoopHooks } from "../s10_turn_decisions/loop.ts";
import { memoryIo, UsageError } from "../shared/io.ts";
import { run, seamLessons, seamTable } from "./seams.ts";
import { driveS05, driveS08, driveS10, type Driver } from "./seams/drivers.ts";
import { observe } from "./seams/probes.ts";
import { declared, subjects } from "./seams/subjects.ts";

/** What a hook answers, out of its promise. */
type Answer<Name extends keyof LoopHooks> = Awaited<ReturnType<NonNullable<LoopHooks[Name]>>>;
type CanBlock<Value> = Extract<Value, { type: "block" } | { block: unknown }> extends never ? false : true;

describe("what the table declares about refusing is what the types say", () => {
  test("only beforeToolCall can refuse a call", () => {
    expectTypeOf<CanBlock<Answer<"beforeToolCall">>>().toEqualTypeOf<true>();
    expectTypeOf<CanBlock<ReturnType<NonNullable<S05Hooks["beforeToolCall"]>>>>().toEqualTypeOf<true>();
    expectTypeOf<CanBlock<Answer<"prepareRequest">>>().toEqualTypeOf<false>();
    expectTypeOf<CanBlock<Answer<"transformContext">>>().toEqualTypeOf<false>();
    expectTypeOf<CanBlock<Answer<"convertToLlm">>>().toEqualTypeOf<false>();
    expectTypeOf<CanBlock<Answer<"getApiKey">>>().toEqualTypeOf<false>();
    expectTypeOf<CanBlock<Answer<"afterToolCall">>>().toEqualTypeOf<false>();
    expectTypeOf<CanBlock<Answer<"finishTurn">>>().toEqualTypeOf<false>();
    expectTypeOf<CanBlock<Answer<"prepareNextTurn">>>().toEqualTypeOf<false>();
    expectTypeOf<CanBlock<Answer<"prepareNextTurnWithContext">>>().toEqualTypeOf<false>();
  });

  test("only finishTurn can end the run, and the nine are all there are", () => {
    expectTypeOf<Answer<"finishTurn">>().toEqualTypeOf<{ action: "end" } | { action: "continue" } | undefined>();
    expectTypeOf<keyof LoopHooks>().toEqualTypeOf<
      | "prepareRequest" | "transformContext" | "convertToLlm" | "getApiKey" | "beforeToolCall"
      | "afterToolCall" | "finishTurn" | "prepareNextTurn" | "prepareNextTurnWithContext"
    >();
    expect(subjects.s10.map(({ name }) => name)).toEqual(Object.keys(declared));
  });
});

const drivers: Record<string, Driver> = { s05: driveS05, s08: driveS08, s10: driveS10 };

async function observed(lesson: keyof typeof subjects, name: string) {
  const subject = subjects[lesson].find((each) => each.name === name)!;
  return observe(drivers[lesson]!, subject, subjects[lesson]);
}

describe("what is observed", () => {
  test("s05: a block is the only answer of the gate that lands, and an edit of the call in place lands everywhere", async () => {
    expect(await observed("s05", "beforeToolCall")).toEqual({
      before: "tool_call",
      after: "tool",
      sees: ["call"],
      lands: ["block"],
      scope: undefined,
      thrown: { requests: 3, runs: 1, outcome: "stop" },
      edit: ["tool", "request", "transcript"],
    });
  });

  test("s08: a prepareRequest that throws means no request, and its model holds for the rest of the run", async () => {
    const seen = await observed("s08", "prepareRequest");
    expect(seen).toMatchObject({ scope: "run", thrown: { requests: 0, runs: 0, outcome: "error" }, edit: [] });
    expect((await observed("s08", "transformContext")).scope).toBe("request");
  });

  test("s10: the gate's arguments cannot be edited, and no field for new ones exists", async () => {
    const seen = await observed("s10", "beforeToolCall");
    expect(seen).toMatchObject({ before: "tool_execution_start", after: "tool", edit: "refused" });
    expect(seen.lands).not.toContain("args");
  });

  test("s10: finishTurn stands before turn_end; prepareNextTurn sees nothing, its other form the turn", async () => {
    expect(await observed("s10", "finishTurn")).toMatchObject({ after: "turn_end", lands: ["end", "continue"] });
    expect((await observed("s10", "prepareNextTurn")).sees).toEqual([]);
    expect((await observed("s10", "prepareNextTurnWithContext")).sees).toEqual(["message", "toolResults", "context", "newMessages"]);
  });
});

test.each([["s05", 2], ["s08", 6], ["s10", 9]] as const)("%s has %i rows, in both languages alike, and the same twice", async (lesson, rows) => {
  const en = await seamTable(lesson, "en");
  expect(en.split("\n")).toHaveLength(rows + 2);
  expect((await seamTable(lesson, "zh")).split("\n")).toHaveLength(rows + 2);
  expect(await seamTable(lesson, "en")).toBe(en);
});

test("the command prints the last lesson's table, or the one that is named", async () => {
  const io = memoryIo();
  expect(await run(["s05", "zh"], io)).toBe(0);
  expect(io.out()).toBe(`${await seamTable("s05", "zh")}\n`);
  expect(seamLessons.at(-1)).toBe("s10");
});

test.each([[["s99"]], [["--nonsense"]], [["s06"]]])("%j is one line that lists what is valid", async (args) => {
  await expect(run(args, memoryIo())).rejects.toThrow(UsageError);
  await expect(run(args, memoryIo())).rejects.toThrow(/takes a lesson \(s05, s08, s10\)/);
});
