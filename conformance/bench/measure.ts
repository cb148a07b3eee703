/** Time and allocated bytes of two sides, in one process, taking turns. */

import { Session } from "node:inspector/promises";
import type { Answer, Script, Side } from "./players.ts";

/** `repeat` plays are one sample; figures are per play. `units`: how many turns, calls or deltas a play has. */
export type Row = { name: string; script: Script; repeat: number; units: number };

export type Figures = { microseconds: number; kilobytes: number };
export type Measured = { row: Row; figures: Figures[] };

const toolTurns = (turns: number): Answer[] => [...Array.from({ length: turns - 1 }, () => ({ deltas: 0, calls: 1 })), { deltas: 1, calls: 0 }];

/** The rows; `turns` are the lengths of the growing transcript, in turns. */
export function rows(turns: readonly number[] = [100, 1_000, 4_000], deltas = 10_000, repeat = 200): Row[] {
  return [
    { name: "a text turn", script: { answers: [{ deltas: 1, calls: 0 }], hooks: false }, repeat, units: 1 },
    { name: "a tool turn, all hooks", script: { answers: toolTurns(2), hooks: true }, repeat, units: 1 },
    { name: "a batch of 32", script: { answers: [{ deltas: 0, calls: 32 }, { deltas: 1, calls: 0 }], hooks: false }, repeat: Math.ceil(repeat / 10), units: 32 },
    { name: `${deltas} deltas`, script: { answers: [{ deltas, calls: 0 }], hooks: false }, repeat: 1, units: deltas },
    ...turns.map((length) => ({ name: `${length} turns`, script: { answers: toolTurns(length), hooks: false }, repeat: 1, units: length })),
  ];
}

/** Medians over `samples` of each, after `warmUps` that do not count. The sides take turns, the first one changes. */
export async function measure(row: Row, sides: readonly Side[], samples = 9, warmUps = 2): Promise<Measured> {
  const times: number[][] = sides.map(() => []);
  for (let round = -warmUps; round < samples; round++) {
    const order = [...sides.keys()];
    if (round % 2 !== 0) order.reverse();
    for (const index of order) {
      const side = sides[index];
      if (!side) continue;
      collectGarbage();
      await side.play(row.script);
      const took = await timed(row, side);
      if (round >= 0) times[index]?.push(took);
    }
  }
  const figures: Figures[] = [];
  for (const [index, side] of sides.entries()) figures.push({ microseconds: median(times[index] ?? []), kilobytes: await allocated(row, side) });
  return { row, figures };
}

/**
 * Only what is alive should be in the way of a sample. It also throws away what the engine had compiled, so one play that
 * does not count comes behind it. Does nothing without --expose-gc.
 */
function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}

async function timed({ script, repeat }: Row, { play }: Side): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < repeat; n++) await play(script);
  return ((performance.now() - start) * 1000) / repeat;
}

/** How many kilobytes one play allocates, garbage included; from samples, so only roughly the same twice. */
async function allocated({ script, repeat }: Row, { play }: Side): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: 4_096,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    } as never);
    for (let n = 0; n < repeat; n++) await play(script);
    const { profile } = (await session.post("HeapProfiler.stopSampling")) as unknown as { profile: { head: Node } };
    return sizeOf(profile.head) / 1024 / repeat;
  } finally {
    session.disconnect();
  }
}

type Node = { selfSize: number; children: Node[] };

function sizeOf(head: Node): number {
  let total = 0;
  const open = [head];
  for (let node = open.pop(); node; node = open.pop()) {
    total += node.selfSize;
    open.push(...node.children);
  }
  return total;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : [sorted[middle - 1], sorted[middle]];
  return (low + high) / 2;
}
