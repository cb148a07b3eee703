/** One line of trace per event, the same in every lesson, and the colours it has on a terminal. */

import pc from "picocolors";
import type { FakeEvent } from "./fake-provider.ts";
import type { Io } from "./io.ts";

/** Where a lesson's loop writes its trace: one line per call, without the line break. */
export type Output = { log(line: string): void };

type TraceEvent = FakeEvent | { type: "tool_result"; content: string };

/** The trace line of a provider event or of a tool result. */
export function describe(event: TraceEvent): string {
  switch (event.type) {
    case "message_start":
      return "message_start";
    case "text_delta":
      return `text_delta: ${oneLine(event.delta)}`;
    case "tool_call":
      return `tool_call: ${oneLine(event.call.name)}`;
    case "tool_result":
      return `tool_result: ${oneLine(event.content)}`;
    case "message_end":
      return `message_end: ${event.stopReason}`;
  }
}

/** What the trace reads of a run's events, from the lesson on that has them. */
type LifecycleEvent =
  | { type: "agent_start" | "turn_start" }
  | { type: "message_start" | "message_end"; message: TracedMessage }
  | { type: "message_update"; assistantMessageEvent: FakeEvent }
  | { type: "tool_execution_start"; toolName: string }
  | { type: "tool_execution_update"; toolName: string; partialResult: { content: string } }
  | { type: "tool_execution_end"; toolName: string; result: string | TracedResult; isError?: boolean }
  | { type: "turn_end"; toolResults: readonly unknown[] }
  | { type: "agent_end"; messages: readonly unknown[] };

type TracedResult = { content: string; terminate?: boolean };

type TracedMessage = { role: string; content: string; stopReason?: string; toolCalls?: readonly { name: string }[] };

export type LifecycleTrace = {
  /** To be subscribed: writes a line per event, indented by how deep the run is. Tools that run together stand side by side. */
  listener(event: LifecycleEvent): void;
  /** A line of the demo's own, at the same depth. */
  log(line: string): void;
};

export function createTrace(output: Output): LifecycleTrace {
  let depth = 0;
  let tools = 0;
  const write = (line: string) => output.log(`${"  ".repeat(depth)}${line}`);
  const log = (line: string) => write(tools > 0 ? `  ${line}` : line);
  return {
    log,
    listener(event) {
      const isTool = event.type === "tool_execution_start" || event.type === "tool_execution_end";
      const change = event.type.endsWith("_start") ? 1 : event.type.endsWith("_end") ? -1 : 0;
      if (isTool) tools += change;
      else if (change < 0) depth += change;
      if (isTool) write(describeLifecycle(event));
      else log(describeLifecycle(event));
      if (!isTool && change > 0) depth += change;
    },
  };
}

function describeLifecycle(event: LifecycleEvent): string {
  switch (event.type) {
    case "agent_start":
    case "turn_start":
      return event.type;
    case "message_start":
      return `message_start: ${event.message.role}`;
    case "message_update":
      return `message_update: ${describe(event.assistantMessageEvent)}`;
    case "message_end":
      return `message_end: ${event.message.role}${describeMessage(event.message)}`;
    case "tool_execution_start":
      return `tool_execution_start: ${oneLine(event.toolName)}`;
    case "tool_execution_update":
      return `tool_execution_update: ${oneLine(event.toolName)} ${oneLine(event.partialResult.content)}`;
    case "tool_execution_end":
      return describeToolEnd(event.toolName, event.result, event.isError ?? false);
    case "turn_end":
      return `turn_end: tool results ${event.toolResults.length}`;
    case "agent_end":
      return `agent_end: new messages ${event.messages.length}`;
  }
}

/** An error result says so, unless its text already does. */
function describeToolEnd(toolName: string, result: string | TracedResult, isError: boolean): string {
  const { content, terminate = false } = typeof result === "string" ? { content: result } : result;
  const marks = [isError && !/^(error|blocked): /.test(content) ? " (isError)" : "", terminate ? " (terminate)" : ""];
  return `tool_execution_end: ${oneLine(toolName)} -> ${oneLine(content)}${marks.join("")}`;
}

function describeMessage({ content, stopReason, toolCalls = [] }: TracedMessage): string {
  const parts = [content === "" ? "" : oneLine(content), ...toolCalls.map((call) => `call ${oneLine(call.name)}`)];
  const said = parts.filter((part) => part !== "").join(", ");
  return `${stopReason === undefined ? "" : `, ${stopReason}`}${said === "" ? "" : `: ${said}`}`;
}

const controls = /[\u0000-\u001f\u007f-\u009f]/g;

/** The text with line breaks and other control characters written out, so that no text can look like a second trace line. */
export function oneLine(text: string): string {
  const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return text.replace(controls, (found) => named[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** An Output that writes to standard output, in colour on a terminal only. A colour never changes what a line says. */
export function printer(io: Io): Output {
  const paint = painter(io);
  return { log: (line) => void io.stdout.write(`${paint(line)}\n`) };
}

/** True only on a terminal, and not when NO_COLOR holds anything. FORCE_COLOR and CI are not asked. */
export function wantsColor(io: Io): boolean {
  return io.stdout.isTTY && !io.env.NO_COLOR && io.env.TERM !== "dumb";
}

function painter(io: Io): (line: string) => string {
  const { bold, cyan, dim, green, red, yellow } = pc.createColors(wantsColor(io));
  const rules: [RegExp, (text: string) => string][] = [
    [/^s\d\d: /, bold],
    [/^ *\[\w+\] block: /, red],
    [/^ *\[/, cyan],
    [/^allow: /, green],
    [/^block: /, red],
    [/^tool_result: (blocked|error): /, red],
    [/^ *tool_execution_end: .* -> (blocked|error): /, red],
    [/^(errorMessage|outcome): /, yellow],
    [/^ *(agent|turn|message)_(start|end)/, dim],
  ];
  return (line) => (rules.find(([pattern]) => pattern.test(line))?.[1] ?? String)(line);
}
