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
    [/^\[.*\]$/, cyan],
    [/^allow: /, green],
    [/^block: /, red],
    [/^tool_result: (blocked|error): /, red],
    [/^(errorMessage|outcome): /, yellow],
    [/^(message_start|message_end: .*)$/, dim],
  ];
  return (line) => (rules.find(([pattern]) => pattern.test(line))?.[1] ?? String)(line);
}
