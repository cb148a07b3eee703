/** The text parser of declarations: where each begins and ends, its one-line signature, its members. */

import { describe, expect, test } from "vitest";
import { declarations, membersAt } from "./symbols.ts";

const sample = `/** Header of the file. */

import { x } from "./x.ts";

/** Verdict of the hook. */
export type Verdict = { type: "allow" } | { type: "block"; reason: string };

export type Event =
  | { type: "start" }
  // the last one stays last
  | { type: "end"; message: { a: string; b: () => void } };

/**
 * Hooks.
 * Two of them.
 */
export type Hooks = {
  /** Asked before. */
  before?(call: Call): Verdict;
  after?: (call: Call, result: string) => string;
  readonly names: readonly string[];
};

interface Inner extends Base<Hooks> {
  run(): { a: 1 };
  "quoted-name": string;
}

// one line
// and another
export function ask(
  hooks: Hooks,
  call: Call,
): { reason: string } {
  const text = \`\\\`
}
export const notReal = 1;
\${\`nested \${"}"}\`}\`;
  return { reason: text + "}" };
}

export const small = 1;
const arrow = async (a: string): Promise<void> => {
  await a; // }
};
export const table: Record<string, () => void> = {
  a: () => {},
};

export class Registry<T> extends Map<string, T> {
  #private = new Map<string, () => void>();
  static count = 0;
  readonly pattern = /[/}]\\/{/;

  constructor(given: T[] = []) {
    super();
  }
  get left(): number { return 1; }
  async *run(
    name: string,
    call: { id: string },
  ): AsyncGenerator<{ a: string }> {
    if (name) { yield { a: "}" }; }
  }
}
export default function last() {}
`;

const found = declarations(sample);
const one = (name: string) => found.find((each) => each.name === name)!;
const lines = sample.split("\n");
const textOf = (name: string) => lines.slice(one(name).from, one(name).to + 1);

describe("declarations", () => {
  test("are found in order, and nothing inside a template is taken for one", () => {
    expect(found.map((each) => [each.kind, each.name, each.exported])).toEqual([
      ["type", "Verdict", true],
      ["type", "Event", true],
      ["type", "Hooks", true],
      ["interface", "Inner", false],
      ["function", "ask", true],
      ["const", "small", true],
      ["const", "arrow", false],
      ["const", "table", true],
      ["class", "Registry", true],
      ["function", "last", true],
    ]);
  });

  test("reach from the comment directly above to the line that ends them", () => {
    expect(textOf("Verdict")).toHaveLength(2);
    expect(textOf("Event").at(0)).toBe("export type Event =");
    expect(textOf("Event").at(-1)).toContain("b: () => void } };");
    expect(textOf("Hooks").at(0)).toBe("/**");
    expect(textOf("Hooks").at(-1)).toBe("};");
    expect(textOf("ask").at(0)).toBe("// one line");
    expect(textOf("ask").at(-1)).toBe("}");
    expect(textOf("ask")).toHaveLength(12);
    expect(textOf("small")).toEqual(["export const small = 1;"]);
    expect(textOf("arrow")).toHaveLength(3);
    expect(textOf("Registry").at(-1)).toBe("}");
    expect(textOf("last")).toEqual(["export default function last() {}"]);
  });

  test("have a signature of one line without body", () => {
    expect(found.map((each) => each.signature)).toEqual([
      'type Verdict = { type: "allow" } | { type: "block"; reason: string }',
      'type Event = { type: "start" } | { type: "end"; message: { a: string; b: () => void } }',
      "type Hooks",
      "interface Inner extends Base<Hooks>",
      "function ask(hooks: Hooks, call: Call): { reason: string }",
      "const small",
      "const arrow = async (a: string): Promise<void>",
      "const table: Record<string, () => void>",
      "class Registry<T> extends Map<string, T>",
      "function last()",
    ]);
  });

  test("list the members of object types, interfaces and classes", () => {
    expect(one("Verdict").members).toEqual([]);
    expect(one("Hooks").members).toEqual([
      { name: "before", text: "before?(call: Call): Verdict" },
      { name: "after", text: "after?: (call: Call, result: string) => string" },
      { name: "names", text: "readonly names: readonly string[]" },
    ]);
    expect(one("Inner").members).toEqual([
      { name: "run", text: "run(): { a: 1 }" },
      { name: "quoted-name", text: '"quoted-name": string' },
    ]);
    expect(one("Registry").members.map((each) => each.text)).toEqual([
      "#private = new Map<string, () => void>()",
      "static count = 0",
      "readonly pattern = /[/}]\\/{/",
      "constructor(given: T[] = [])",
      "get left(): number",
      "async *run(name: string, call: { id: string }): AsyncGenerator<{ a: string }>",
    ]);
    expect(one("Registry").members.at(-1)?.name).toBe("run");
  });

  test("are the same with CRLF", () => {
    expect(declarations(sample.replaceAll("\n", "\r\n"))).toEqual(found);
  });

  test("have members with places, comments included", () => {
    const places = (name: string) =>
      membersAt(lines, one(name)).map(({ name, from, to }) => [name, lines[from]!.trim(), lines[to]!.trim()]);
    expect(places("Hooks")[0]).toEqual(["before", "/** Asked before. */", "before?(call: Call): Verdict;"]);
    expect(places("Registry").at(-1)).toEqual(["run", "async *run(", "}"]);
    expect(places("Registry").at(-2)).toEqual(["left", "get left(): number { return 1; }", "get left(): number { return 1; }"]);
    expect(places("Verdict")).toEqual([]);
  });

  test("of a one-line object type have members too", () => {
    const [type] = declarations("export type Pair<T = { x: 1 }> = { a: T; b?: number };\n");
    expect(type).toMatchObject({ signature: "type Pair<T = { x: 1 }>", members: [{ name: "a" }, { name: "b", text: "b?: number" }] });
  });
});
