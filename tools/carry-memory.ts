/**
 * What carry has already carried but nobody has committed yet, kept beside git's own files. Without it a second run would
 * merge the same change again, and a conflict that was resolved would come back.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Texts of one later lesson's file; null where there was no file. */
type Entry = {
  /** The lesson before's file as committed: when a new commit changes it, the entry is void. */
  base: string | null;
  /** This file as it was before each merge: when it is back in such a state, somebody undid the merge, and the entry is void. */
  before: (string | null)[];
  /** The lesson before's file whose changes this file holds. */
  carried: string | null;
  /** This file as the last merge left it; missing after a conflict, which a person may resolve in any way. */
  after?: string | null;
};

export type Memory = {
  /** The state of the lesson before's file that `path` already holds, or undefined when nothing valid is known. */
  carried(path: string, base: string | undefined, now: string | undefined): { text: string | undefined } | undefined;
  /** What `path` was before the first merge into it; `now` when there was none. For lessons that are in no commit yet. */
  original(path: string, base: string | undefined, now: string | undefined): string | undefined;
  remember(
    path: string,
    texts: { base: string | undefined; before: string | undefined; carried: string | undefined; after: string | undefined; conflict: boolean },
  ): void;
  save(): void;
};

/** The name that git gives a path of its own to. */
export const memoryName = "course-carry.json";

/** Opens the memory in `file`, which is git's path for `memoryName`. One that cannot be read counts as empty. */
export function openMemory(file: string): Memory {
  const entries = new Map(Object.entries(load(file)));
  const isVoid = (entry: Entry, base: string | undefined, now: string | undefined) =>
    entry.base !== orNull(base) || entry.before.includes(orNull(now)) || isUndone(entry, now);
  return {
    carried(path, base, now) {
      const entry = entries.get(path);
      return entry && !isVoid(entry, base, now) ? { text: entry.carried ?? undefined } : undefined;
    },
    original(path, base, now) {
      const entry = entries.get(path);
      const first = entry?.base === orNull(base) ? entry.before[0] : undefined;
      return first === undefined ? now : (first ?? undefined);
    },
    remember(path, { base, before, carried, after, conflict }) {
      const known = entries.get(path);
      const earlier = known && known.base === orNull(base) ? known.before : [];
      const states = new Set([...earlier, orNull(before)]);
      states.delete(orNull(after));
      entries.set(path, { base: orNull(base), before: [...states], carried: orNull(carried), ...(conflict ? {} : { after: orNull(after) }) });
    },
    save() {
      writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
    },
  };
}

/** Nothing of a merge is in the file any more: it was undone, and something else was changed since. */
function isUndone({ before, after }: Entry, now: string | undefined): boolean {
  const [first] = before;
  if (typeof first !== "string" || typeof after !== "string" || now === undefined) return false;
  const [old, merged, present] = [first, after, now].map((text) => new Set(text.split("\n"))) as [Set<string>, Set<string>, Set<string>];
  const added = [...merged].filter((line) => !old.has(line));
  const removed = [...old].filter((line) => !merged.has(line));
  return added.length + removed.length > 0 && !added.some((line) => present.has(line)) && removed.every((line) => present.has(line));
}

function orNull(text: string | undefined): string | null {
  return text ?? null;
}

function load(file: string): Record<string, Entry> {
  if (!existsSync(file)) return {};
  try {
    return (JSON.parse(readFileSync(file, "utf8")) ?? {}) as Record<string, Entry>;
  } catch {
    return {};
  }
}
