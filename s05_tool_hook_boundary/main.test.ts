import { expect, test } from "vitest";
import { memoryIo } from "../shared/io.ts";
import { runCase, runDemo } from "../shared/run-lesson.ts";
import demo from "./main.ts";

const traces = {
  "normal en": `s05: Tool Hook Boundary

[user]
repeat hi

message_start
tool_call: echo
[beforeToolCall]
allow: echo
[afterToolCall]
echo -> hi
tool_result: checked: hi
message_end: toolUse
message_start
text_delta: the tool said: checked: hi
message_end: stop

[assistant]
content: the tool said: checked: hi
stopReason: stop
`,
  "normal zh": `s05: Tool Hook Boundary

[user]
复读一下 hi

message_start
tool_call: echo
[beforeToolCall]
allow: echo
[afterToolCall]
echo -> hi
tool_result: checked: hi
message_end: toolUse
message_start
text_delta: 工具结果是：checked: hi
message_end: stop

[assistant]
content: 工具结果是：checked: hi
stopReason: stop
`,
  "blocked en": `s05: Tool Hook Boundary

[user]
call the dangerous tool

message_start
tool_call: dangerous
[beforeToolCall]
block: dangerous
tool_result: blocked: this tool is disabled in the demo
message_end: toolUse
message_start
text_delta: the tool said: blocked: this tool is disabled in the demo
message_end: stop

[assistant]
content: the tool said: blocked: this tool is disabled in the demo
stopReason: stop
`,
  "blocked zh": `s05: Tool Hook Boundary

[user]
调用危险工具

message_start
tool_call: dangerous
[beforeToolCall]
block: dangerous
tool_result: blocked: 这个工具在演示里被禁用
message_end: toolUse
message_start
text_delta: 工具结果是：blocked: 这个工具在演示里被禁用
message_end: stop

[assistant]
content: 工具结果是：blocked: 这个工具在演示里被禁用
stopReason: stop
`,
};

test.each(Object.entries(traces))("%s prints exactly this trace", async (words, trace) => {
  const io = memoryIo();
  expect(await runDemo(demo, words.split(" "), io)).toBe(0);
  expect(io.out()).toBe(trace);
  expect(io.err()).toBe("");
});

test.each(["en", "zh"])("the text of the blocked tool's handler is nowhere in the output (%s)", async (language) => {
  const io = memoryIo();
  await runDemo(demo, ["blocked", language], io);
  expect(io.out()).not.toMatch(/this must not run|不该执行到这里/);
});

test("the blocked tool's handler never ran, the allowed one ran once", async () => {
  const silent = { log: () => {} };
  const run = (caseName: string) => runCase(demo, { caseName, language: "en" }, silent);
  expect((await run("blocked")).ended.effects).toEqual({ echo: 0, dangerous: 0 });
  expect((await run("normal")).ended.effects).toEqual({ echo: 1, dangerous: 0 });
  expect((await run("throws")).ended.effects).toEqual({ echo: 0, dangerous: 0 });
});
