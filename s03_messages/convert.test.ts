import { expect, test } from "vitest";
import { toProviderMessages } from "./convert.ts";
import type { Message } from "./messages.ts";

const kept: Message[] = [
  { role: "note", content: "12:00" },
  { role: "user", content: "hi" },
  { role: "assistant", content: "", stopReason: "error", errorMessage: "overloaded" },
  { role: "note", content: "retry" },
  { role: "user", content: "hi again" },
  { role: "assistant", content: "par", stopReason: "error" },
];

test("leaves out notes and answers without text, and keeps the order", () => {
  expect(toProviderMessages(kept).map((message) => message.content)).toEqual(["hi", "hi again", "par"]);
});

test("leaves the transcript as it was", () => {
  const before = structuredClone(kept);
  toProviderMessages(kept).pop();
  expect(kept).toEqual(before);
});
