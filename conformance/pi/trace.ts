/** Pi's messages and events in the form of a trace. */

import type { Entry, TracedMessage } from "../trace.ts";
import type { PiBlock, PiEvent, PiMessage, PiResult } from "./types.ts";

export function tracedMessage(message: PiMessage): TracedMessage {
  const { role, stopReason, errorMessage, thinkingLevel, model, toolsAdded, toolsRemoved } = message;
  const calls = blocksOf(message).filter((block) => block.type === "toolCall");
  const traced: TracedMessage = { role, text: textOf(message.content) };
  if (calls.length > 0) traced.toolCalls = calls.map((call) => ({ id: call.id ?? "", name: call.name ?? "", args: call.arguments }));
  if (stopReason !== undefined) traced.stopReason = stopReason;
  if (errorMessage !== undefined) traced.errorMessage = errorMessage;
  if (thinkingLevel !== undefined && thinkingLevel !== "off") traced.thinkingLevel = thinkingLevel;
  if (model !== undefined) traced.model = model;
  if (toolsAdded !== undefined) traced.toolsAdded = toolsAdded.map((tool) => tool.name);
  if (toolsRemoved !== undefined) traced.toolsRemoved = toolsRemoved.map(nameOf);
  if (role === "toolResult") {
    Object.assign(traced, { toolCallId: message.toolCallId, toolName: message.toolName, isError: message.isError, details: message.details });
  }
  return structuredClone(traced);
}

function nameOf(tool: unknown): string {
  return typeof tool === "string" ? tool : (tool as { name: string }).name;
}

function blocksOf({ content }: PiMessage): PiBlock[] {
  return Array.isArray(content) ? content : [];
}

export function textOf(content: string | PiBlock[] | undefined): string {
  if (content === undefined) return "<undefined>";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "toolCall" ? `[call ${block.id} ${block.name}]` : (block.text ?? ""))).join("|");
}

export function tracedResult(result: PiResult): Record<string, unknown> {
  const { content, details, structuredContent, terminate } = result;
  return structuredClone({
    text: textOf(content),
    details,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(terminate === undefined ? {} : { terminate }),
  });
}

export const outcomes = (results: readonly PiMessage[]) => results.map((each) => `${each.toolCallId}:${each.isError ? "error" : "ok"}`);
export const rolesOf = (messages: readonly PiMessage[]) => messages.map((message) => message.role);

export function tracedEvent(event: PiEvent): Entry {
  const { type, message } = event;
  const entry: Entry = { k: "event", type };
  if (type === "message_update") {
    const { type: update, delta } = event.assistantMessageEvent ?? { type: "?" };
    return { ...entry, role: message?.role, update, ...(delta === undefined ? {} : { delta }) };
  }
  if (type === "turn_end" && message) {
    const { role, stopReason, errorMessage } = message;
    return { ...entry, role, stopReason, ...(errorMessage === undefined ? {} : { errorMessage }), toolResults: outcomes(event.toolResults ?? []) };
  }
  if (type === "agent_end") return { ...entry, messages: rolesOf(event.messages ?? []) };
  if (message) return { ...entry, ...tracedMessage(message) };
  const { toolCallId, toolName } = event;
  if (toolCallId === undefined) return entry;
  if (type === "tool_execution_start") return { ...entry, toolCallId, toolName, args: structuredClone(event.args) };
  if (type === "tool_execution_update") {
    const { text, details } = tracedResult(event.partialResult ?? {});
    return { ...entry, toolCallId, toolName, partial: { text, details } };
  }
  return { ...entry, toolCallId, toolName, isError: event.isError, result: tracedResult(event.result ?? {}) };
}
