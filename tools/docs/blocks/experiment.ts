/**
 * `<!-- experiment: npm run try s05 blocked file=execute.ts old="…" new="…" -->`: a small change, and what
 * it breaks.
 */

import { parseCommand } from "../commands.ts";
import { shortened, wrongStatus } from "./output.ts";
import { BlockError, lessonNamed, windowOptions, type Kind } from "./kind.ts";

export const experiment: Kind = {
  form: "fence",
  fence: "diff",
  usage:
    '<!-- experiment: npm run try s05 blocked file=execute.ts old="text in one line" new="text" --> ' +
    "with the options of output",
  options: [...windowOptions, "file", "old", "new", "stdin", "exit"],
  async produce(given) {
    const { sources, page, marker } = given;
    const { file, old, new: now, stdin, exit = "0" } = marker.options;
    if (!file || !old || now === undefined) throw new BlockError('name the change: file=… old="…" new="…"');
    const command = parseCommand(marker.words, sources.scripts);
    if (typeof command === "string") throw new BlockError(command);
    if (command.script !== "try") throw new BlockError("an experiment is run with npm run try and a lesson");
    const [, id, ...words] = command.words;
    const lesson = lessonNamed(given, id);
    const source = sources.text(`${lesson.folder}/${file}`);
    if (source === undefined) throw new BlockError(`there is no file ${lesson.folder}/${file}`);
    const lines = source.split("\n").filter((line) => line.includes(old));
    const [line] = lines;
    if (line === undefined) throw new BlockError(`no line of ${file} contains "${old}"`);
    if (lines.length > 1)
      throw new BlockError(`${lines.length} lines of ${file} contain "${old}"; give more of the one you mean`);
    const changed = source.replace(old, () => now);
    const { text, status } = await sources.tryOut({ lesson, file, changed }, words, page.language, stdin);
    if (status !== Number(exit)) throw new BlockError(wrongStatus(status, Number(exit), text));
    const after = line.replace(old, () => now).trim();
    const change = [
      `@@ ${file} @@`,
      `-${line.trim()}`,
      ...after
        .split("\n")
        .filter((each) => each !== "")
        .map((each) => `+${each}`),
    ];
    return [...change, "", ...shortened(text, marker.options)].join("\n");
  },
};
