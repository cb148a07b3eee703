/** The marker kinds. A new one is a file beside this one and a line here. */

import type { Form } from "../markers.ts";
import { changes } from "./changes.ts";
import { excerpt } from "./excerpt.ts";
import { experiment } from "./experiment.ts";
import { failures } from "./failures.ts";
import { hunk } from "./hunk.ts";
import type { Kind } from "./kind.ts";
import { lessons, nav, teachers } from "./lists.ts";
import { output } from "./output.ts";
import { seams } from "./seams.ts";

/** A block that is checked by nobody. The words say why. */
const free: Kind = { form: "fence", usage: "<!-- free: why no source can be named -->" };

/** Declares a section equal in both languages; written by `npm run docs parity` only. */
const parity: Kind = { form: "none", usage: "<!-- parity: en=1a2b3c4d zh=5e6f7a8b -->", options: ["en", "zh"] };

export const kinds: Readonly<Record<string, Kind>> = {
  excerpt,
  output,
  experiment,
  hunk,
  changes,
  failures,
  lessons,
  teachers,
  nav,
  seams,
  free,
  parity,
};

export const forms: Readonly<Record<string, Form>> = Object.fromEntries(
  Object.entries(kinds).map(([name, kind]) => [name, kind.form]),
);
