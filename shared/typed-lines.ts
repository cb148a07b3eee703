/** Lines that a person types, from a terminal or a pipe, one at a time and with a prompt. */

import { createInterface } from "node:readline";
import type { Io } from "./io.ts";
import { oneLine } from "./trace.ts";

export type TypedLines = {
  /** Shows a prompt and resolves to the next line that is not blank, or to undefined when the input is over. */
  next(prompt?: string): Promise<string | undefined>;
  /** Lets go of the input. Resolves to the lines that had arrived and that nobody asked for. */
  close(): Promise<string[]>;
};

type Source = { next(prompt: string): Promise<string | undefined>; close(): Promise<string[]> };

/**
 * Line editing when this process really sits at a terminal. From a pipe, the prompt and the line are written, so that
 * both transcripts read alike. Nothing is read before the first `next`.
 */
export function typedLines(io: Io, usualPrompt: string): TypedLines {
  const atTerminal = io.stdinIsTTY && io.stdout.isTTY;
  const edited = atTerminal && process.stdin.isTTY === true;
  let source: Source | undefined;

  async function next(prompt = usualPrompt): Promise<string | undefined> {
    source ??= edited ? terminal() : chunks(io.stdin);
    for (;;) {
      if (atTerminal && !edited) io.stdout.write(prompt);
      const line = await source.next(prompt);
      if (line?.trim() === "") continue;
      if (!atTerminal) io.stdout.write(`${prompt}${oneLine(line ?? "")}`.trimEnd() + "\n");
      return line;
    }
  }

  async function close(): Promise<string[]> {
    const unread = (await source?.close()) ?? [];
    return unread.filter((line) => line.trim() !== "");
  }

  return { next, close };
}

/** Cuts chunks into lines. `\r\n` ends a line too, and the last line needs no end. */
function chunks(input: AsyncIterable<string>): Source {
  const iterator = input[Symbol.asyncIterator]();
  let text = "";
  let over = false;
  let first = true;

  async function next(): Promise<string | undefined> {
    for (;;) {
      const end = text.indexOf("\n");
      if (end >= 0) return take(end);
      if (over) return text === "" ? undefined : take(text.length);
      const chunk = await iterator.next();
      over = chunk.done === true;
      if (!chunk.done) text += first ? chunk.value.replace(/^\uFEFF/, "") : chunk.value;
      first = false;
    }
  }

  function take(end: number): string {
    const line = text.slice(0, end).replace(/\r$/, "");
    text = text.slice(end + 1);
    return line;
  }

  async function close(): Promise<string[]> {
    const unread = text.split("\n");
    text = "";
    await iterator.return?.();
    return unread;
  }

  return { next, close };
}

/** The real terminal. Ctrl+D ends the input, Ctrl+C the process. */
function terminal(): Source {
  const typed: string[] = [];
  const editor = createInterface({ input: process.stdin, output: process.stdout });
  let over = false;
  let wake = () => {};

  editor.on("line", (line) => {
    typed.push(line);
    wake();
  });
  editor.on("close", () => {
    over = true;
    wake();
  });
  editor.on("SIGINT", () => {
    editor.close();
    process.stdout.write("\n");
    process.kill(process.pid, "SIGINT");
  });

  async function next(prompt: string): Promise<string | undefined> {
    if (typed.length === 0 && !over) {
      editor.setPrompt(prompt);
      editor.prompt();
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const line = typed.shift();
    if (line === undefined) process.stdout.write("\n");
    return line;
  }

  async function close(): Promise<string[]> {
    editor.close();
    return typed.splice(0);
  }

  return { next, close };
}
