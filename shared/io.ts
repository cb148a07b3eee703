/** What a command may touch of the outside world, so that a test or the text machinery can run it in process. */

export type Sink = {
  write(text: string): unknown;
  /** True on a terminal. Only there may a line be coloured or a prompt be left open. */
  isTTY: boolean;
};

export type Io = {
  stdout: Sink;
  stderr: Sink;
  /** Lines or chunks of text; nothing is read before a command asks for it. */
  stdin: AsyncIterable<string>;
  /** True when a person types, so that what is typed need not be shown a second time. */
  stdinIsTTY: boolean;
  env: Readonly<Record<string, string | undefined>>;
};

/**
 * A mistake in what the user typed. The dispatcher prints its message as one line on stderr, without a
 * stack trace, and the process ends with status 2. The message says what was wrong and lists what is valid.
 */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The real process. */
export function processIo(): Io {
  const sink = (stream: NodeJS.WriteStream): Sink => {
    stream.on("error", quietOnClosedPipe);
    return { write: (text) => stream.write(text), isTTY: stream.isTTY === true };
  };
  return {
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    stdin: textOf(process.stdin),
    stdinIsTTY: process.stdin.isTTY === true,
    env: process.env,
  };
}

/** A reader such as `head` that closes the pipe early is no fault of ours. */
function quietOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(process.exitCode ?? 0);
}

async function* textOf(stream: NodeJS.ReadStream): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  for await (const chunk of stream) yield String(chunk);
}

export type MemoryIo = Io & { out(): string; err(): string };

/** An Io in memory: no terminal, no colour, `input` as standard input, English unless `env` says otherwise. */
export function memoryIo(given: { input?: string; env?: Io["env"]; isTTY?: boolean } = {}): MemoryIo {
  const kept = { out: "", err: "" };
  const isTTY = given.isTTY ?? false;
  async function* input() {
    if (given.input) yield given.input;
  }
  return {
    stdout: { write: (text) => (kept.out += text), isTTY },
    stderr: { write: (text) => (kept.err += text), isTTY },
    stdin: input(),
    stdinIsTTY: isTTY,
    env: given.env ?? { LANG: "en_US.UTF-8" },
    out: () => kept.out,
    err: () => kept.err,
  };
}
