/** `<!-- hunk: s04 s05 loop.ts -->`: what changed in one file between two lessons. */

import { BlockError, lessonNamed, windowOf, windowOptions, type Kind } from "./kind.ts";

const longest = 40;

export const hunk: Kind = {
  form: "fence",
  fence: "diff",
  usage:
    '<!-- hunk: s04 s05 loop.ts --> with with="text" for the hunks that change such a line, context=3, from="text" to="text"',
  options: [...windowOptions, "with", "context", "long"],
  produce(given) {
    const { words, options } = given.marker;
    const [before, after] = [lessonNamed(given, words[0]), lessonNamed(given, words[1])];
    const file = words[2];
    if (file === undefined) throw new BlockError("name a file after the two lessons");
    const paths = [`${before.folder}/${file}`, `${after.folder}/${file}`] as const;
    const [old, now] = paths.map((path) => given.sources.text(path) !== undefined);
    if (!now) throw new BlockError(`there is no file ${paths[1]}`);
    if (!old) throw new BlockError(`${file} is new in ${after.id}; show it as an excerpt`);
    const all = hunksOf(given.sources.diff(...paths, Number(options.context ?? "2")), file);
    if (all.length === 0) throw new BlockError(`${file} is the same in ${before.id} and ${after.id}`);
    const wanted = all.filter(
      (each) => options.with === undefined || each.some((line) => isChanged(line) && line.includes(options.with!)),
    );
    if (wanted.length === 0) throw new BlockError(`no hunk changes a line with "${options.with}"`);
    const shown = windowOf(wanted.flat(), options);
    if (shown.length > longest && !options.long) {
      throw new BlockError(
        `${shown.length} lines, and ${longest} is the limit: choose a hunk (with="…"), or say long="why"`,
      );
    }
    return shown.join("\n");
  },
};

function isChanged(line: string): boolean {
  return line.startsWith("+") || line.startsWith("-");
}

/** One list of lines per hunk. Line numbers go: they would make a block stale that nobody touched. */
function hunksOf(lines: readonly string[], file: string): string[][] {
  const hunks: string[][] = [];
  for (const line of lines) {
    const head = /^@@ [^@]* @@ ?(.*)$/.exec(line);
    if (head) hunks.push([`@@ ${file} @@${head[1] ? ` ${head[1]}` : ""}`]);
    else if (!line.startsWith("\\")) hunks.at(-1)?.push(line);
  }
  return hunks;
}
