import { expect, test } from "vitest";
import { memoryIo } from "./io.ts";
import { oneLine, printer } from "./trace.ts";

const lines = ["s05: Tool Hook Boundary", "[user]", "allow: echo", "block: dangerous", "tool_result: error: no", "outcome: error", "message_start", "plain"];

function printed(given: Parameters<typeof memoryIo>[0]): string {
  const io = memoryIo(given);
  const output = printer(io);
  for (const line of lines) output.log(line);
  return io.out();
}

const escapes = /\u001b\[\d+m/g;
const plain = `${lines.join("\n")}\n`;

test("F1-10 a terminal gets colours, and without them the same text", () => {
  const coloured = printed({ isTTY: true, env: {} });
  expect(coloured).toMatch(escapes);
  expect(coloured.replace(escapes, "")).toBe(plain);
});

test.each([
  ["a pipe", false, {}],
  ["a pipe in CI", false, { CI: "true" }],
  ["a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }],
  ["NO_COLOR", true, { NO_COLOR: "1" }],
  ["a dumb terminal", true, { TERM: "dumb" }],
])("F1-10 %s gets none", (_what, isTTY, env) => {
  expect(printed({ isTTY, env })).toBe(plain);
});

test("F1-10 an empty NO_COLOR counts as unset", () => {
  expect(printed({ isTTY: true, env: { NO_COLOR: "" } })).toMatch(escapes);
});

test("no text can look like a second line or steer the terminal", () => {
  expect(oneLine("a\nmessage_end: stop\r\t\u001b[31m\u0000")).toBe("a\\nmessage_end: stop\\r\\t\\u001b[31m\\u0000");
  expect(oneLine("复读 😀")).toBe("复读 😀");
});
