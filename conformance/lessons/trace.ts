/** A lesson's messages and events in the form of a trace. */

import type { AgentEvent } from "../../s14_steering/events.ts";
import type { Message } from "../../s14_steering/messages.ts";
import type { AgentToolResult, ToolCall } from "../../s14_steering/tools.ts";
import type { Entry, TracedMessage } from "../trace.ts";

type Anything = Message | { role: "assistant"; content: ""; toolCalls: []; stopReason: "pending" };

export function tracedMessage(message: Anything): TracedMessage {
  const { role, content } = message;
  if (role === "toolResult") {
    const { toolCallId, isError, details } = message;
    return { role, text: content, toolCallId, isError, ...(details === undefined ? {} : { details: structuredClone(details) }) };
  }
  if (role !== "assistant") return { role, text: content };
  const { toolCalls, stopReason } = message;
  const errorMessage = "errorMessage" in message ? message.errorMessage : undefined;
  return {
    role,
    text: [...(content === "" ? [] : [content]), ...toolCalls.map((call) => `[call ${call.id} ${call.name}]`)].join("|"),
    ...(toolCalls.length === 0 ? {} : { toolCalls: structuredClone<ToolCall[]>(toolCalls) }),
    stopReason,
    ...(errorMessage === undefined ? {} : { errorMessage }),
  };
}

export function tracedResult({ content, details, structuredContent, terminate }: AgentToolResult): Record<string, unknown> {
  return structuredClone({
    text: content,
    ...(details === undefined ? {} : { details }),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(terminate === undefined ? {} : { terminate }),
  });
}

export const outcomes = (results: readonly { toolCallId: string; isError: boolean }[]) =>
  results.map((each) => `${each.toolCallId}:${each.isError ? "error" : "ok"}`);
export const rolesOf = (messages: readonly { role: string }[]) => messages.map((message) => message.role);

export function tracedEvent(event: AgentEvent): Entry {
  const { type } = event;
  switch (type) {
    case "agent_start":
    case "turn_start":
      return { k: "event", type };
    case "message_start":
    case "message_end":
      return { k: "event", type, ...tracedMessage(event.message) };
    case "message_update": {
      const { assistantMessageEvent: update } = event;
      return { k: "event", type, role: "assistant", update: update.type, ...(update.type === "text_delta" ? { delta: update.delta } : {}) };
    }
    case "tool_execution_start":
      return { k: "event", type, toolCallId: event.toolCallId, toolName: event.toolName, args: structuredClone(event.args) };
    case "tool_execution_update":
      return { k: "event", type, toolCallId: event.toolCallId, toolName: event.toolName, partial: tracedResult(event.partialResult) };
    case "tool_execution_end":
      return { k: "event", type, toolCallId: event.toolCallId, toolName: event.toolName, isError: event.isError, result: tracedResult(event.result) };
    case "turn_end": {
      const { role, stopReason, errorMessage } = event.message;
      const failed = errorMessage === undefined ? {} : { errorMessage };
      return { k: "event", type, role, stopReason, ...failed, toolResults: outcomes(event.toolResults) };
    }
    case "agent_end":
      return { k: "event", type, messages: rolesOf(event.messages) };
  }
}
