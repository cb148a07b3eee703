/** What is not compared exists: else it would have to be compared. */

import { describe, expect, test } from "vitest";
import { forms } from "./forms.ts";
import { everyPlayer } from "./play.ts";

describe.each(await everyPlayer())("$name", ({ play, kind }) => {
  test.each(forms)("$form", async ({ scenario, shows }) => {
    expect(shows(await play(scenario))).toBe(kind === "pi");
  });
});
