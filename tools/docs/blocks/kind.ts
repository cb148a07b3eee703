/** What a marker kind is, and helpers that several kinds share. */

import type { Lesson } from "../../../shared/course.ts";
import type { Form, Marker } from "../markers.ts";
import type { Page } from "../page.ts";
import type { Sources } from "../sources.ts";

export type Given = { sources: Sources; page: Page; marker: Marker };

/** To add a kind, write one of these and name it in blocks/index.ts. */
export type Kind = {
  form: Form;
  /** Language of the fence that it writes. */
  fence?: string;
  /** How the marker is written, for error messages. */
  usage: string;
  /** Names of the options that it understands. */
  options?: readonly string[];
  /** The block's text, LF, without fence. @throws BlockError when the marker cannot be followed */
  produce?(given: Given): string | Promise<string>;
};

/** A marker that cannot be followed. The message is for the writer: what is wrong and what is valid. */
export class BlockError extends Error {
  override name = "BlockError";
}

/**
 * The path from the root of a file that a marker names: `loop.ts` in the page's lesson, `s04/loop.ts` in another,
 * `shared/history.ts` from the root.
 */
export function pathOf({ sources, page }: Given, named: string): string {
  const [first = "", ...rest] = named.split("/");
  if (rest.length === 0) return page.lesson ? `${page.lesson.folder}/${named}` : named;
  const lesson = sources.course.lessons.find((each) => each.id === first);
  return lesson ? [lesson.folder, ...rest].join("/") : named;
}

/** The lesson that this page teaches. @throws BlockError on other pages */
export function lessonOf({ page, marker }: Given): Lesson {
  if (page.lesson) return page.lesson;
  throw new BlockError(`${marker.kind} belongs in the README of a lesson`);
}

/** A lesson by its id. @throws BlockError that lists the lessons */
export function lessonNamed({ sources }: Given, id: string | undefined): Lesson {
  const found = sources.course.lessons.find((lesson) => lesson.id === id);
  if (found) return found;
  throw new BlockError(
    `unknown lesson "${id ?? ""}"; lessons: ${sources.course.lessons.map((each) => each.id).join(", ")}`,
  );
}

export const windowOptions = ["from", "to", "lines"] as const;

/**
 * The part of `lines` that the options ask for: from the first line that contains `from`, to the next line that contains
 * `to` or for `lines` lines. Without options all of it. @throws BlockError when a text is not there
 */
export function windowOf(
  lines: readonly string[],
  { from, to, lines: count }: Marker["options"],
): readonly string[] {
  const first = from === undefined ? 0 : placeOf(lines, from, 0);
  if (count !== undefined && !/^[1-9]\d*$/.test(count))
    throw new BlockError(`lines="${count}" is not a number of lines`);
  if (count !== undefined) return lines.slice(first, first + Number(count));
  const last = to === undefined ? lines.length - 1 : placeOf(lines, to, first);
  return lines.slice(first, last + 1);
}

function placeOf(lines: readonly string[], text: string, start: number): number {
  const found = lines.findIndex((line, index) => index >= start && line.includes(text));
  if (found !== -1) return found;
  throw new BlockError(
    `no line contains "${text}"${start > 0 ? ` at or after line ${start + 1} of what is shown` : ""}`,
  );
}

/** A Markdown table; bars inside cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const code = (text: string) => `\`${text}\``;
