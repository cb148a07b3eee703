/** s13: waiting that a signal can end. What is no longer waited for may go on behind; it is only not listened to any more. */

/** Thrown to whoever waits when the run was aborted. */
export class AbortedError extends Error {
  override name = "AbortedError";
  constructor() {
    super("the run was aborted");
  }
}

/**
 * Does `work` and gives what comes of it. After an abort it is waited for one more round of the event loop, so that work
 * that obeys the signal can still say how it ended; what comes later, a value or an error, is dropped.
 * @throws AbortedError when the abort came first, and whatever `work` throws
 */
export async function untilAborted<Value>(signal: AbortSignal, work: () => Value | Promise<Value>): Promise<Value> {
  const working = work();
  if (!isPromise(working)) return working;

  return new Promise((resolve, reject) => {
    const forget = whenAborted(signal, () => void setImmediate(() => reject(new AbortedError())));
    void Promise.resolve(working).then(resolve, reject).finally(forget);
  });
}

/** Who waits for which signal. A signal gets one listener for all of them: it warns about more than ten. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `tell` at the abort, or at once when it has been. Gives what ends this. */
function whenAborted(signal: AbortSignal, tell: () => void): () => void {
  if (signal.aborted) tell();
  let all = waiting.get(signal);
  if (!all) {
    const told = (all = new Set<() => void>());
    waiting.set(signal, told);
    signal.addEventListener("abort", () => told.forEach((each) => each()), { once: true });
  }
  all.add(tell);
  return () => void all.delete(tell);
}

function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  const holder = typeof value === "object" || typeof value === "function" ? value : undefined;
  return typeof (holder as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * The events of a stream, up to an abort. Whoever stops reading, and an abort, close the stream; nobody waits for it to close.
 * @throws AbortedError when the stream does not give its next event after an abort, and whatever the stream throws
 */
export async function* abortable<Event>(signal: AbortSignal, stream: AsyncIterable<Event>): AsyncGenerator<Event> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await untilAborted(signal, () => iterator.next());
      if (step.done) return;
      yield step.value;
    }
  } finally {
    void (async () => iterator.return?.())().catch(() => {});
  }
}
