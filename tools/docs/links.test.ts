/** Anchors as GitHub makes them. */

import { expect, test } from "vitest";
import { anchorsOf, slugOf } from "./links.ts";

test.each([
  ["How it works", "how-it-works"],
  ["`runLoop(state)` and *more*!", "runloopstate-and-more"],
  ["In Pi: 1.0.3", "in-pi-103"],
  ["Pi 里的样子", "pi-里的样子"],
  ["s05：工具 hook 边界（上）", "s05工具-hook-边界上"],
  ["a - b_c", "a---b_c"],
  ["[link](x.md) text", "link-text"],
])("%s → #%s", (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

test("a heading that comes again gets a number, headings in fences count for nothing", () => {
  const page = '# One\n\n```sh\n# One\n```\n\n## One\n\n<a id="here"></a>\n\n### One\n';
  expect(anchorsOf(page)).toEqual(["one", "one-1", "one-2", "here"]);
});
