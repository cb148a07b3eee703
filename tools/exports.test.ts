import { afterEach, describe, expect, test } from "vitest";
import { exportProblems, hiddenExports, lostExports, unusedExports } from "./exports.ts";
import { report, type Problem } from "./problems.ts";
import { editLessons, replaceIn, toyCourse, type Files, type ToyCourse } from "./toy-course.ts";

let toy: ToyCourse | undefined;
afterEach(() => toy?.remove());

const why = { en: "because", zh: "因为" };

/** Two lessons whose only code file is loop.ts. */
function step(before: string, after: string, upgrade?: { from: string; to: string }): string {
  toy = toyCourse((files) => {
    for (const path of Object.keys(files)) if (/^s\d/.test(path)) delete files[path];
    files["s01_one/loop.ts"] = before;
    files["s02_two/loop.ts"] = after;
    editLessons(files, ([, s02]) => upgrade && (s02!.upgrades = [{ ...upgrade, why }]));
  });
  return report(lostExports(toy.course));
}

function check(find: (course: ToyCourse["course"]) => Problem[], edit: (files: Files) => void): string {
  toy = toyCourse(edit);
  return report(find(toy.course));
}

test("the toy course has no problem", () => {
  expect(check(exportProblems, () => {})).toBe("");
});

describe("lostExports", () => {
  test.each([
    ["a function", "export function ask(a: string): void {\n}\n"],
    ["an async function", "export async function ask(): Promise<void> {\n}\n"],
    ["a type", "export type ask = { a: string };\n"],
    ["a class", "export class ask {\n}\n"],
    ["a constant", "export const ask = 1;\n"],
    ["a generator", "export function* ask(): Generator<string> {\n}\n"],
  ])("%s that is gone, or no longer exported", (_what, code) => {
    const said = /^s02_two\/loop\.ts: the export ask is gone \(s01 has it\) -> put it back, or list .*"from": "ask"/;
    expect(step(code, "export const other = 1;\n")).toMatch(said);
    toy?.remove();
    expect(step(code, code.replace("export ", ""))).toMatch(said);
    toy?.remove();
    expect(step(code, code)).toBe("");
  });

  test("an export may move to another file", () => {
    const edit = (files: Files) => {
      replaceIn(files, "s03_three/tools.ts", "export class", "class");
      files["s03_three/box.ts"] = files["s02_two/tools.ts"]!;
    };
    expect(check(lostExports, edit)).toBe("");
  });

  test.each([
    ["a type's", "export type T = {\n  a: string;\n  b(x: string): void;\n};\n", "  b(x: string): void;\n"],
    ["a class's", "export class T {\n  a = 1;\n\n  b(): void {\n    this.a = 2;\n  }\n}\n", "\n  b(): void {\n    this.a = 2;\n  }\n"],
    ["an interface's", "export interface T {\n  b?: string;\n}\n", "  b?: string;\n"],
  ])("%s member that is gone", (_what, code, member) => {
    expect(step(code, code.replace(member, ""))).toMatch(/^s02_two\/loop\.ts: the member T\.b is gone .*"from": "T\.b"/);
    toy?.remove();
    expect(step(code.replace(member, ""), code)).toBe("");
  });

  test("members that nobody outside can use may go", () => {
    expect(step("export class T {\n  #a = 1;\n  private b = 2;\n}\n", "export class T {\n  c = 1;\n}\n")).toBe("");
  });

  const f = (parameters: string) => `export function f(${parameters}): void {\n}\n`;

  test.each([
    ["one in front", "a: A", "b: B, a: A"],
    ["one in the middle", "a: A, c: C", "a: A, b: B, c: C"],
    ["one behind a function", "a: (x: X) => Y, c: C", "a: (x: X) => Y, b: B, c: C"],
    ["one missing", "a: A, b: B", "a: A"],
    ["two changed over", "a: A, b: B", "b: B, a: A"],
    ["one with another name", "a: A", "b: A"],
    ["an object for all", "a: A, b: B", "options: { a: A, b: B }"],
    ["an optional one that is needed now", "a?: A", "a: A"],
    ["a rest that is none now", "...a: A[]", "a: A[]"],
  ])("parameters: %s", (_what, before, after) => {
    expect(step(f(before), f(after))).toMatch(/^s02_two\/loop\.ts: f\(.*\) is now f\(.*\): parameters may only be added at the end .*"from": "f\(…\)"/);
  });

  test.each([
    ["the same", "a: A, b: B", "a: A, b: B"],
    ["one more at the end", "a: A", "a: A, b: B"],
    ["the first one", "", "a: A"],
    ["on several lines", "a: A, b: B", "\n  a: A,\n  b: B,\n"],
    ["one that became optional", "a: A", "a?: A"],
    ["one that got a default", "a: A", 'a: A = { x: "(" }'],
    ["functions and generics among them", "a: (x: X, y: Y) => Z, b: Map<K, V>", "a: (x: X, y: Y) => Z, b: Map<K, V>, c: C"],
    ["a type that is wider", "a: () => void", "a: () => void | Promise<void>"],
    ["a pattern with one more name", "{ a }: O", "{ a, b }: O"],
  ])("parameters that fit: %s", (_what, before, after) => {
    expect(step(f(before), f(after))).toBe("");
  });

  test.each([
    ["a method", "T.m", "export type T = {\n  m(a: A): void;\n};\n"],
    ["a function-typed member", "T.m", "export type T = {\n  m?: (a: A) => void;\n};\n"],
    ["a class's method", "T.m", "export class T {\n  async m<X>(a: A): Promise<X> {\n    return a;\n  }\n}\n"],
    ["an arrow function", "m", "export const m = (a: A): void => {};\n"],
  ])("parameters of %s", (_what, name, code) => {
    expect(step(code, code.replace("(a: A)", "(b: B, a: A)"))).toContain(`${name}(a) is now ${name}(b, a)`);
    toy?.remove();
    expect(step(code, code.replace("(a: A)", "(a: A, b: B)"))).toBe("");
  });
});

describe("upgrades", () => {
  const one = "export type P = {\n  ask(a: A): void;\n};\nexport function run(a: A, b: B): void {\n}\n";
  const renamed = one.replace("run(", "go(");
  const streamed = one.replace("ask(", "stream(");
  const optioned = one.replace("run(a: A, b: B)", "run(options: { a: A; b: B })");
  const awaited = one.replace("ask(a: A): void", "ask(a: A): Promise<void>");

  test.each([
    ["a name", renamed, { from: "run", to: "go" }],
    ["a member", streamed, { from: "P.ask", to: "P.stream" }],
    ["parameters", optioned, { from: "run(a, …)", to: "run({ a, b })" }],
  ])("%s may change only when it is listed", (_what, after, upgrade) => {
    expect(step(one, after)).not.toBe("");
    toy?.remove();
    expect(step(one, after, upgrade)).toBe("");
  });

  test("what a member returns may change, and may be listed", () => {
    expect(step(one, awaited)).toBe("");
    toy?.remove();
    expect(step(one, awaited, { from: "P.ask", to: "P.ask, asynchronous" })).toBe("");
  });

  test("an upgrade covers only what it names", () => {
    expect(step(one, renamed, { from: "run(…)", to: "go" })).toContain("the export run is gone");
    toy?.remove();
    expect(step(one, optioned, { from: "run", to: "run" })).toContain("run(a, b) is now run(options)");
  });

  test.each([
    ["that does not happen", one, { from: "run", to: "run" }, /lessons\.json: s02: the upgrade from "run" does not happen -> remove it/],
    ["of parameters that stay", renamed.replace("go(", "run("), { from: "run(a, b)", to: "run(b)" }, /does not happen/],
    ["from nothing", one, { from: "P.nothing", to: "P.ask" }, /from "P\.nothing" names nothing/],
    ["to nothing", renamed, { from: "run", to: "start" }, /to "start" names nothing/],
  ])("an upgrade %s", (_what, after, upgrade, said) => {
    expect(step(one, after, upgrade)).toMatch(said);
  });
});

describe("unusedExports", () => {
  const types = "\nexport type Inner = { a: string };\nexport type Outer = { inner: Inner[] };\n";

  test("a type in the shape of what is taken is used, through several steps", () => {
    const edit = (files: Files) => {
      files["s02_two/tools.ts"] += `${types}export function outer(): Outer {\n  return { inner: [] };\n}\n`;
      files["s02_two/main.ts"] += 'import { outer } from "./tools.ts";\n';
    };
    expect(check(unusedExports, edit)).toBe("");
  });

  test("a type that only unused exports name, or only a body, is not", () => {
    const edit = (files: Files) => {
      files["s02_two/tools.ts"] += `${types}export function use(): void {\n  const outer: Outer = { inner: [] };\n}\n`;
      files["s02_two/main.ts"] += 'import { use } from "./tools.ts";\n';
    };
    expect(check(unusedExports, edit)).toMatch(/^s02_two\/tools\.ts: exports Inner,.*\ns02_two\/tools\.ts: exports Outer,.*$/);
  });

  describe("an export that the lesson before used", () => {
    const carried = (files: Files) => {
      for (const folder of ["s02_two", "s03_three"]) files[`${folder}/door.ts`] = "export const door = 1;\n";
      files["s02_two/main.ts"] += 'import { door } from "./door.ts";\n';
    };

    test("must still be used", () => {
      expect(check(unusedExports, carried)).toBe(
        "s03_three/door.ts: exports door, and nothing in s03, tests included, imports it -> carry its test forward, or use it",
      );
    });

    test("may be used by a test only", () => {
      const edit = (files: Files) => {
        carried(files);
        files["s03_three/door.test.ts"] = 'import { door } from "./door.ts";\n';
      };
      expect(check(unusedExports, edit)).toBe("");
    });
  });

  test("a function is not used by being named in a type", () => {
    const edit = (files: Files) => {
      files["s02_two/tools.ts"] += "\nexport function spare(): void {}\nexport type Spare = { spare: typeof spare };\n";
      files["s02_two/main.ts"] += 'import type { Spare } from "./tools.ts";\n';
    };
    expect(check(unusedExports, edit)).toMatch(/^s02_two\/tools\.ts: exports spare,.*$/);
  });

  test("an export that nobody imports", () => {
    const said = check(unusedExports, (files) => (files["s02_two/tools.ts"] += "\nexport const spare = 1;\n"));
    expect(said).toBe(
      "s02_two/tools.ts: exports spare, and neither main.ts nor another code file of s02 imports it -> drop the word export, or the code",
    );
  });

  test("its own file, a test, a comment and another lesson do not count", () => {
    const said = check(unusedExports, (files) => {
      files["s02_two/tools.ts"] += "\nexport const spare = 1;\nconsole.log(spare);\n";
      files["s02_two/tools.test.ts"] += 'import { spare } from "./tools.ts";\n';
      files["s02_two/loop.ts"] += '/*\nimport { spare } from "./tools.ts";\n*/\n';
      files["s02_two/main.ts"] += 'import { spare } from "./hooks.ts";\n';
      files["s03_three/main.ts"] += 'import { spare } from "./tools.ts";\n';
    });
    expect(said).toMatch(/^s02_two\/tools\.ts: exports spare/);
    expect(said).not.toContain("\n");
  });

  test.each([
    'import { spare } from "./tools.ts";',
    'import type { spare } from "./tools.ts";',
    'import { type spare as kept } from "./tools.ts";',
    'import {\n  ToolBox as Box,\n  spare,\n} from "./tools.ts";',
    'import * as everything from "./tools.ts";',
    'export { spare } from "./tools.ts";',
  ])("%s is a use, in code and in main.ts", (line) => {
    for (const path of ["s02_two/messages.ts", "s02_two/main.ts"]) {
      toy?.remove();
      const said = check(unusedExports, (files) => {
        files["s02_two/tools.ts"] += "\nexport const spare = 1;\n";
        files[path] = `${line}\n${files[path]}`;
      });
      expect(said).toBe("");
    }
  });
});

describe("hiddenExports", () => {
  test.each([
    ["a list", "function ask(): void {}\nexport { ask };\n", "export { ask }"],
    ["a list of types", "export type { Message } from \"./messages.ts\";\n", "export type { Message }"],
    ["everything of a file", "export * from \"./messages.ts\";\n", "export * from"],
  ])("%s is named with its file", (_what, code, shown) => {
    const said = check(hiddenExports, (files) => (files["s02_two/tools.ts"] += code));
    expect(said).toContain(`s02_two/tools.ts: says ${shown}`);
    expect(said.split("\n")).toHaveLength(1);
  });

  test("what is declared with export, and what a comment or a text says, is fine", () => {
    const code = "// export { a }\nconst text = `\nexport { a }\n`;\n";
    expect(check(hiddenExports, (files) => (files["s02_two/tools.ts"] += code))).toBe("");
  });
});
