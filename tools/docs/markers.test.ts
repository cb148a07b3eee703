/** Reading markers: words, options, quotes, and what is no marker at all. */

import { expect, test } from "vitest";
import { parsePage } from "./markers.ts";

const forms = { code: "fence", list: "section", note: "none" } as const;

function read(...lines: string[]) {
  return parsePage(lines.join("\n"), forms);
}

test("words, options and quotes", () => {
  const { blocks } = read(`<!-- code: npm run s05 play --say "a b" stdin='say "x"\\nend\\n' from="\\"q\\" > r" n=1 -->`, "```", "```");
  expect(blocks[0]?.marker.words).toEqual(["npm", "run", "s05", "play", "--say", "a b"]);
  expect(blocks[0]?.marker.options).toEqual({ stdin: 'say "x"\nend\n', from: '"q" > r', n: "1" });
});

test("a marker inside a fence is text, and so is a comment within a line", () => {
  const { blocks, fences, faults } = read("````md", "<!-- code: x -->", "```", "```", "````", "", "text <!-- aside -->");
  expect({ blocks, faults }).toEqual({ blocks: [], faults: [] });
  expect(fences).toEqual([{ line: 0, language: "md", lines: ["<!-- code: x -->", "```", "```"] }]);
});

test("the block of a list ends at its own closing marker, with other blocks and fences in it", () => {
  const source = "<!-- list -->\n\n```sh\nnpm test\n```\n\n<!-- /list -->\nafter\n";
  const { blocks, fences, isProse } = parsePage(source, forms);
  expect(fences).toEqual([]);
  expect(source.slice(blocks[0]!.start, blocks[0]!.end)).toBe("\n```sh\nnpm test\n```\n\n");
  expect(isProse).toEqual([false, false, false, false, false, false, false, true, true]);
});

test("of two lists the first without an end does not swallow the second", () => {
  const { blocks, faults } = read("<!-- list -->", "text", "<!-- list -->", "<!-- /list -->");
  expect(blocks.map(({ marker }) => marker.line)).toEqual([2]);
  expect(faults).toMatchObject([{ line: 0, message: expect.stringContaining("end it with <!-- /list -->") }]);
});

test("lines and places are the same with CRLF, except for the line breaks", () => {
  const source = "a\n<!-- code: x -->\n\n```ts\none\n\ntwo\n```\nb";
  const [lf, crlf] = [source, source.replaceAll("\n", "\r\n")].map((each) => parsePage(each, forms));
  expect(crlf!.lines).toEqual(lf!.lines);
  expect(crlf!.blocks[0]?.content).toBe(lf!.blocks[0]?.content);
  expect(crlf!.source.slice(crlf!.blocks[0]!.start, crlf!.blocks[0]!.end)).toBe("```ts\r\none\r\n\r\ntwo\r\n```");
});

test("a file without a line break at its end, an empty file, and a fence that never closes", () => {
  expect(read("").lines).toEqual([""]);
  expect(read("a", "b").lines).toEqual(["a", "b"]);
  expect(read("a", "").lines).toEqual(["a", ""]);
  expect(read("```sh", "npm test").faults).toMatchObject([{ line: 0, message: "this fenced block is never closed" }]);
});

test("a fence that somebody forgot to close does not swallow what follows", () => {
  const rest = ["", "Much text.", "", "<!-- code: y -->", "```", "```"];
  for (const lines of [["<!-- code: x -->", "```", ...rest], ["<!-- code: x -->", "```", "Much text."]]) {
    const { blocks, faults } = read(...lines);
    expect(blocks).toEqual([]);
    expect(faults[0]).toMatchObject({ line: 0, message: expect.stringContaining("is not closed before the next marker") });
  }
});
