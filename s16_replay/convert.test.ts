import { expect, test } from "vitest";
import { toProviderMessages } from "./convert.ts";
import type { Message } from "./messages.ts";

const kept: Message[] = [
  { role: "note", content: "12:00" },
  { role: "user", content: "hi" },
  { role: "assistant", content: "", toolCalls: [], stopReason: "error", errorMessage: "overloaded" },
  { role: "note", content: "retry" },
  { role: "user", content: "hi again" },
  { role: "assistant", content: "par", toolCalls: [], stopReason: "error" },
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "echo", args: {} }], stopReason: "toolUse" },
  { role: "toolResult", toolCallId: "c1", content: "hi", isError: false },
];

test("leaves out notes and answers with neither text nor calls, and keeps the order", () => {
  expect(toProviderMessages(kept).map((message) => message.content)).toEqual(["hi", "hi again", "par", "", "hi"]);
});

test("leaves the transcript as it was", () => {
  const before = structuredClone(kept);
  toProviderMessages(kept).pop();
  expect(kept).toEqual(before);
});
