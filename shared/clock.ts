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
};

type Sleeper = { at: number; wake: () => void };

export function manualClock(): ManualClock {
  let time = 0;
  let sleepers: Sleeper[] = [];

  async function wait(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const sleeper: Sleeper = { at: time + ms, wake: resolve };
      sleepers.push(sleeper);
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
      await settled();
      const next = sleepers.filter((each) => each.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      sleepers = sleepers.filter((each) => each !== next);
      time = next.at;
      next.wake();
    }
    time = until;
  }

  return { now: () => time, wait, advance };
}

/** Everything that can run without waiting has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
