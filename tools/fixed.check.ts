/** Promises about particular lessons that are fixed once and for all. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { courseRoot } from "../shared/course.ts";

test("s05 wraps the registry and does not change it: tools.ts is the same bytes as in s04", () => {
  const bytes = (folder: string) => readFileSync(join(courseRoot, folder, "tools.ts"));
  const same = bytes("s05_tool_hook_boundary").equals(bytes("s04_tool_registry"));
  expect(same, "s05_tool_hook_boundary/tools.ts differs from s04; put it back: git restore s04_tool_registry s05_tool_hook_boundary").toBe(true);
});
