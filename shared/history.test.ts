import { expect, test } from "vitest";
import { refusalOf, type WireMessage } from "./history.ts";

const user: WireMessage = { role: "user", content: "hi" };
const answer: WireMessage = { role: "assistant", content: "hello" };
const asks = (...ids: string[]): WireMessage => ({ role: "assistant", content: "", toolCalls: ids.map((id) => ({ id, name: "echo", args: {} })) });
const result = (toolCallId: string): WireMessage => ({ role: "toolResult", content: "ok", toolCallId });

test.each<[string, WireMessage[]]>([
  ["one user message", [user]],
  ["a conversation", [user, answer, user]],
  ["two user messages in a row", [user, user]],
  ["a call and its result", [user, asks("c1"), result("c1")]],
  ["two calls, answered in the other order", [user, asks("c1", "c2"), result("c2"), result("c1"), user]],
  ["two tool turns", [user, asks("c1"), result("c1"), asks("c2"), result("c2"), answer, user]],
  ["the id __proto__", [user, asks("__proto__"), result("__proto__")]],
])("accepts %s", (_what, messages) => {
  expect(refusalOf(messages)).toBeUndefined();
});

test.each<[string, WireMessage[]]>([
  ["H1: call \"c1\" has no result before message 3", [user, asks("c1"), user]],
  ["H1: call \"c2\" has no result before message 4", [user, asks("c1", "c2"), result("c1"), answer, user]],
  ["H1: call \"c2\" has no result before the end", [user, asks("c1", "c2"), result("c1")]],
  ["H2: message 2 is a result for call \"c1\", which nobody made", [user, result("c1")]],
  ["H2: message 3 is a result for call \"\", which nobody made", [user, asks("c1"), { role: "toolResult", content: "ok" }]],
  ["H3: message 4 is a second result for call \"c1\"", [user, asks("c1"), result("c1"), result("c1")]],
  ["H4: message 2 uses call id \"c1\" a second time", [user, asks("c1", "c1"), result("c1")]],
  ["H4: message 4 uses call id \"c1\" a second time", [user, asks("c1"), result("c1"), asks("c1"), result("c1")]],
  ["H5: message 2 is an assistant message with neither text nor call", [user, { role: "assistant", content: "" }, user]],
  ["H5: message 2 is an assistant message with neither text nor call", [user, { role: "assistant" } as WireMessage, user]],
  ["H6: the request ends with an assistant message", [user, answer]],
  ["H6: the request ends with an assistant message", [user, asks("c1")]],
  ["H7: the request is empty", []],
  ["unknown role \"note\"; roles: user, assistant, toolResult", [{ role: "note", content: "x" }, user]],
])("refuses by %s", (reason, messages) => {
  expect(refusalOf(messages)).toBe(reason);
});
