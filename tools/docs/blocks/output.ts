/** `<!-- output: npm run s05 blocked -->`: what a command prints, in the language of the page. */

import { parseCommand } from "../commands.ts";
import type { Marker } from "../markers.ts";
import { BlockError, windowOf, windowOptions, type Kind } from "./kind.ts";

/** Commands whose output depends on the machine, takes long or changes files. */
const notShown = ["docs", "test", "check", "bench", "doctor", "carry", "try"];

export const output: Kind = {
  form: "fence",
  fence: "text",
  usage: `<!-- output: npm run s05 blocked --> with stdin='typed\\ntext', exit=2, from="text" to="text"`,
  options: [...windowOptions, "stdin", "exit"],
  async produce({ sources, page, marker }) {
    const command = parseCommand(marker.words, sources.scripts);
    if (typeof command === "string") throw new BlockError(command);
    if (notShown.includes(command.words[0]!))
      throw new BlockError(`the output of "${command.script}" cannot be shown`);
    const { text, status } = await sources.print(command.words, page.language, marker.options.stdin);
    const meant = Number(marker.options.exit ?? "0");
    if (status !== meant) throw new BlockError(wrongStatus(status, meant, text));
    return shortened(text, marker.options).join("\n");
  },
};

/** The lines of an output, or the part that the options ask for, with `…` where something is left out. */
export function shortened(text: string, options: Marker["options"]): string[] {
  const lines = text.replace(/\n+$/, "").split("\n");
  const part = windowOf(lines, options);
  const first = lines.indexOf(part[0] ?? "");
  const cutAtEnd = first + part.length < lines.length;
  return [...(first === 0 ? [] : ["…"]), ...part, ...(cutAtEnd ? ["…"] : [])];
}

/** What to say about a command that did not end with the status it was meant to. */
export function wrongStatus(status: number, meant: number, text: string): string {
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  if (meant !== 0) return `is marked exit=${meant}, but ended with status ${status}`;
  return `the command fails with status ${status} (${last}); if it is meant to, say exit=${status}`;
}
