import { afterEach, describe, expect, test } from "vitest";
import { fenceProblems } from "./fences.ts";
import { report } from "./problems.ts";
import { replaceIn, toyCourse, type Files, type ToyCourse } from "./toy-course.ts";

let toy: ToyCourse | undefined;
afterEach(() => toy?.remove());

function check(edit: (files: Files) => void): string {
  toy?.remove();
  toy = toyCourse(edit);
  return report(fenceProblems(toy.course));
}

/** Adds a text to a section of a tutorial. */
const below = (path: string, heading: string, text: string) => (files: Files) =>
  replaceIn(files, path, `## ${heading}\n`, `## ${heading}\n\n${text}\n`);

const row = (line: string) => (files: Files) => (files["GLOSSARY.md"] += `${line}\n`);

test("the toy course has no problem", () => {
  expect(check(() => {})).toBe("");
});

describe("fences in code", () => {
  test.each([
    ["code", "loop.ts", "const ToolBox = 1;"],
    ["a comment", "messages.ts", "// the ToolBox comes later"],
    ["a string", "loop.ts", 'const name = "ToolBox";'],
    ["a test", "loop.test.ts", "// ToolBox"],
    ["the demo", "main.ts", "console.log(ToolBox);"],
  ])("F1-05 %s before the term's lesson", (_what, name, line) => {
    const lines = (files: Files) => files[`s01_one/${name}`]!.split("\n").length;
    let at = 0;
    const said = check((files) => {
      at = lines(files);
      files[`s01_one/${name}`] += `${line}\n`;
    });
    expect(said).toBe(
      `s01_one/${name}: uses "ToolBox" (line ${at}), which is fenced until s02 -> use another name or plain words; or change GLOSSARY.md`,
    );
  });

  test("the term's own lesson and the later ones are free", () => {
    expect(check((files) => (files["s02_two/loop.ts"] += "// ToolBox\n"))).toBe("");
    expect(check((files) => (files["s03_three/loop.ts"] += "// ToolBox askGate\n"))).toBe("");
  });

  test("whole words only, the right case only, and the term itself is free in code", () => {
    expect(check((files) => (files["s01_one/loop.ts"] += "// myToolBox ToolBoxes toolbox $ToolBox, a tool box, a gate\n"))).toBe("");
  });

  test("several places are one problem, several terms are several", () => {
    const said = check((files) => (files["s01_one/loop.ts"] = `// ToolBox Gate\n// Gate Gate\n${files["s01_one/loop.ts"]}`));
    expect(said.split("\n")).toEqual([expect.stringContaining('"ToolBox" (line 1)'), expect.stringContaining('"Gate" (line 1, 2)')]);
  });

  test("a term that is not fenced is free", () => {
    const edit = (files: Files) => {
      replaceIn(files, "GLOSSARY.md", "| s02 | yes |", "| s02 | no |");
      files["s01_one/loop.ts"] += "// ToolBox\n";
    };
    expect(check(edit)).toBe("");
  });
});

describe("fences in texts", () => {
  test.each([
    ["a code span", "`ToolBox`", '"ToolBox"'],
    ["a longer code span", "`new ToolBox()`", '"ToolBox"'],
    ["a span of two backticks", "`` a ` ToolBox ``", '"ToolBox"'],
    ["a code block", "```ts\nnew ToolBox();\n```", '"ToolBox"'],
    ["a block of tildes", "~~~~\n```\nToolBox\n```\n~~~~", '"ToolBox"'],
    ["a diff", "```diff\n+new ToolBox()\n```", '"ToolBox"'],
    ["the term in prose", "It has a tool box.", '"tool box"'],
    ["its plural, with capitals", "Tool Boxes are fine.", '"tool box"'],
    ["its two words on two lines", "There is a tool\nbox.", '"tool box"'],
    ["its two words with a hyphen", "a tool-box", '"tool box"'],
    ["in a table", "| a | the gate |", '"gate"'],
    ["in a folded answer", "<details>\nthe gate\n</details>", '"gate"'],
    ["in a heading", "### The gate", '"gate"'],
  ])("%s", (_what, text, word) => {
    expect(check(below("s01_one/README.md", "Try it", text))).toMatch(
      new RegExp(`^s01_one/README\\.md: uses ${word} \\(line \\d+\\), which is fenced until s0[23] -> say it in other words`),
    );
  });

  test.each([
    ["the Chinese term", "这里有一个工具箱。", '"工具箱"'],
    ["the English term in a Chinese text", "这里有一个tool box。", '"tool box"'],
    ["an identifier", "看 `askGate`。", '"askGate"'],
  ])("Chinese: %s", (_what, text, word) => {
    expect(check(below("s01_one/README.zh.md", "试一试", text))).toContain(`s01_one/README.zh.md: uses ${word} (line `);
  });

  test("the line is the line of the file", () => {
    const said = check((files) => (files["s01_one/README.md"] = `# s01\n\n<!-- gate\ngate -->\n\n\`a\` the gate\n`));
    expect(said).toContain('uses "gate" (line 6)');
  });

  test.each([
    ["a link", "[the tool box](../s02_two/README.md) and [`ToolBox`][box]\n\n[box]: ../ToolBox.md"],
    ["an address", "https://example.com/gate <https://example.com/gate>"],
    ["a comment for the machine", "<!-- excerpt ToolBox gate -->"],
    ["an identifier that is no code", "ToolBox"],
    ["a term that is code", "`gate`"],
    ["another word", "delegates, a gateway, aggregate"],
  ])("free: %s", (_what, text) => {
    expect(check(below("s01_one/README.md", "Try it", text))).toBe("");
  });

  test.each([
    ["README.md", "Still missing"],
    ["README.md", "In Pi"],
    ["README.zh.md", "还缺什么"],
    ["README.zh.md", "Pi 里的样子"],
  ])("free: %s, %s, with all below it", (name, heading) => {
    const text = "A tool box 工具箱 and `ToolBox`.\n\n### More of the gate\n\n```ts\n## ToolBox\n```";
    expect(check(below(`s01_one/${name}`, heading, text))).toBe("");
  });

  test("the section after a free one is not free", () => {
    const edit = (files: Files) => (files["s01_one/README.md"] = "# s01\n\n## Still missing\n\ngate\n\n## Next\n\ngate\n");
    expect(check(edit)).toContain('uses "gate" (line 9)');
  });

  test("a heading inside a code block ends nothing", () => {
    const edit = (files: Files) => (files["s01_one/README.md"] = "# s01\n\n```sh\n## In Pi\n```\n\nthe gate\n");
    expect(check(edit)).toContain('uses "gate" (line 7)');
  });
});

describe("the glossary itself", () => {
  test.each([
    ["a missing column", "| a | 甲 |  | b | 乙 | s01 |", "has a row with 6 columns instead of 7"],
    ["an empty cell", "| a | 甲 |  |  | 乙 | s01 | no |", "has a row without meaning"],
    ["identifiers without backticks", "| a | 甲 | loop | b | 乙 | s01 | no |", "names identifiers in another form"],
    ["no lesson", "| a | 甲 |  | b | 乙 | 1 | no |", 'says from "1"'],
    ["neither yes nor no", "| a | 甲 |  | b | 乙 | s01 | maybe |", 'says fenced "maybe"'],
    ["a term twice", "| Gate | 门 |  | b | 乙 | s01 | no |", "has the term gate a second time (first in line 7)"],
    ["a translation twice", "| door | 关口 |  | b | 乙 | s01 | no |", "has the translation 关口 a second time"],
    ["an identifier twice", "| door | 门 | `Gate` | b | 乙 | s03 | no |", "has the identifier Gate a second time"],
    ["an identifier that its lesson lacks", "| door | 门 | `runLoop`, `Door` | b | 乙 | s01 | no |", "says that Door comes with s01, and s01_one does not use it"],
  ])("%s", (_what, line, said) => {
    expect(check(row(line))).toContain(`GLOSSARY.md:8: ${said}`);
  });

  test("a lesson that is still to come is not looked for", () => {
    expect(check(row("| door | 门 | `Door` | b | 乙 | s09 | yes |"))).toBe("");
    const used = check((files) => {
      row("| door | 门 | `Door` | b | 乙 | s09 | yes |")(files);
      files["s03_three/main.ts"] += "// Door\n";
    });
    expect(used).toContain('s03_three/main.ts: uses "Door"');
    expect(used).toContain("until s09");
  });

  test("no glossary, and one without a table", () => {
    expect(check((files) => delete files["GLOSSARY.md"])).toContain("GLOSSARY.md: is not there");
    expect(check((files) => (files["GLOSSARY.md"] = "# Glossary\n"))).toContain("GLOSSARY.md: holds no term");
  });
});
