/** A clock that only moves when it is told to. Nothing in this repository sleeps on the real clock. */

export type Clock = {
  /** Milliseconds since the clock was made. */
  now(): number;
  /** Settles when `ms` have passed; rejects with the signal's reason as soon as the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
};

export type ManualClock = Clock & {
  /** Moves time forward and wakes, in order of time, everybody whose waiting is over. Resolves after they have run. */
  advance(ms: number): Promise<void>;
  /** Resolves to the time at which the next waiting is over, as soon as somebody waits. */
  next(): Promise<number>;
};

type Sleeper = { at: number; wake: () => void };

export function manualClock(): ManualClock {
  let time = 0;
  let sleepers: Sleeper[] = [];
  let someoneWaits = () => {};

  const earliest = (): Sleeper | undefined => sleepers.toSorted((a, b) => a.at - b.at)[0];

  async function wait(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const sleeper: Sleeper = { at: time + ms, wake: resolve };
      sleepers.push(sleeper);
      someoneWaits();
      signal?.addEventListener(
        "abort",
        () => {
          sleepers = sleepers.filter((each) => each !== sleeper);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  async function advance(ms: number): Promise<void> {
    const until = time + ms;
    for (;;) {
      await everythingElse();
      const sleeper = earliest();
      if (!sleeper || sleeper.at > until) break;
      sleepers = sleepers.filter((each) => each !== sleeper);
      time = sleeper.at;
      sleeper.wake();
    }
    time = until;
  }

  async function next(): Promise<number> {
    if (sleepers.length === 0) await new Promise<void>((resolve) => (someoneWaits = resolve));
    return earliest()?.at ?? time;
  }

  return { now: () => time, wait, advance, next };
}

/** Lets time pass whenever somebody waits for it, until `work` has settled. @throws Error after `limit` milliseconds */
export async function passTime<Value>(clock: ManualClock, work: Promise<Value>, limit = 10_000): Promise<Value> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  const ended = work.then(done, done);
  for (;;) {
    await everythingElse();
    const at = await Promise.race([ended, clock.next()]);
    if (settled || at === undefined) return work;
    if (at > limit) throw new Error(`still not settled after ${limit} ms`);
    await clock.advance(at - clock.now());
  }
}

/** Everything that can run without waiting has run. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
