import { mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import nodePath, { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seeded } from "../shared/random.ts";
import { isNamed, isSecret, locate, matches, type PathSystem } from "./paths.ts";

let base = "";
let root = "";

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "paths-")));
  root = join(base, "WS");
  for (const folder of ["WS/sub", "WS/a", "WS/~", "OUT", "WS-evil", "WS.bak", "WSs"]) mkdirSync(join(base, folder), { recursive: true });
  for (const file of ["WS/a.txt", "WS/.env", "WS/sub/x", "OUT/secret.txt", "WS-evil/x", "WS/..keep.txt", "WS/..."]) writeFileSync(join(base, file), "x");
  const link = (target: string, name: string, type: "file" | "junction") => symlinkSync(join(base, target), join(base, name), type);
  link("OUT", "WS/out", "junction");
  link("WS/sub", "WS/in", "junction");
  link("WS", "link-ws", "junction");
  link("OUT/secret.txt", "WS/s.txt", "file");
  link("WS/.env", "WS/e.txt", "file");
  link("OUT/none", "WS/nowhere", "file");
  symlinkSync("loop", join(root, "loop"), "file");
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** `sub/x`, or the reason for the refusal. */
function where(path: unknown, from = root): string {
  const located = locate(from, path);
  return "refused" in located ? `refused: ${located.refused}` : located.place.names.join("/");
}

function isRefused(path: unknown, from = root): boolean {
  const located = locate(from, path);
  return "refused" in located || isSecret(located.place);
}

describe("inside and outside", () => {
  test.each([["sub/x", "sub/x"], [".", ""], ["", undefined], ["sub/../a.txt", "a.txt"], ["a.txt/", "a.txt"], ["sub/new/deep.txt", "sub/new/deep.txt"]])("%j", (path, names) => {
    expect(where(path)).toBe(names ?? "refused: a path must not be empty");
  });

  test.each(["../WS-evil/x", "../WS.bak/x", "../WSs/x", "..", "../x", "sub/../../OUT/secret.txt", "/etc/passwd"])("F3-01 F3-08 %s leads out", (path) => {
    expect(where(path)).toBe(`refused: ${JSON.stringify(path)} leads out of the workspace`);
  });

  test.each(["..keep.txt", "..cache/f", "..."])("F3-08 %s is an ordinary name", (path) => {
    expect(where(path)).toBe(path);
  });

  test("F3-01 the root of the file system, and a root with a trailing slash, are roots as well", () => {
    expect(where(join(root, "a.txt"), nodePath.parse(root).root)).toContain("a.txt");
    expect(where("sub/x", `${root}${nodePath.sep}`)).toBe("sub/x");
  });

  test("F3-07 a root that is reached through a link is no false alarm, in either spelling", () => {
    const linked = join(base, "link-ws");
    for (const path of ["a.txt", "new.txt", join(linked, "a.txt"), join(root, "a.txt"), join(linked, "sub", "new.txt")]) {
      expect(where(path, linked)).toMatch(/^(a\.txt|new\.txt|sub\/new\.txt)$/);
    }
    expect(where("../OUT/secret.txt", linked)).toMatch(/^refused: /);
    expect(where(join(linked, "..", "OUT"), linked)).toMatch(/^refused: /);
  });
});

describe("links", () => {
  test("F3-03 a link that leads out is refused, one that stays inside is followed", () => {
    for (const path of ["out/secret.txt", "s.txt", "out"]) expect(where(path)).toBe(`refused: ${JSON.stringify(path)} leads out of the workspace`);
    expect(where("in/x")).toBe("sub/x");
  });

  test("F3-04 a new file behind a link that leads out is refused, however deep", () => {
    for (const path of ["out/new.txt", "out/a/b/new.txt"]) expect(isRefused(path)).toBe(true);
    expect(where("sub/x/y/new.txt")).toMatch(/ENOTDIR|sub\/x\/y\/new.txt/);
    expect(where("in/y/new.txt")).toBe("sub/y/new.txt");
  });

  test("F3-03 a loop, and a link that leads nowhere, are refused with a reason", () => {
    expect(where("loop")).toMatch(/^refused: "loop" cannot be judged: /);
    expect(where("nowhere")).toBe('refused: "nowhere" cannot be judged: a link leads nowhere');
    expect(where("nowhere/new.txt")).toBe('refused: "nowhere/new.txt" cannot be judged: a link leads nowhere');
  });
});

describe("the secret family", () => {
  const spellings = [".env", "./.env", "a/../.env", "a/./../.env", ".//.env", ".env/", ".env/.", "e.txt"];
  test.each(spellings)("F3-02 F3-03 %s is the same secret", (path) => {
    expect(isRefused(path)).toBe(true);
    expect(isRefused(join(root, path))).toBe(true);
  });

  test.each([".env", ".env.local", ".env.production", "sub/.env", ".envrc", ".env/inside.txt", "a/b/.env.test/c"])("F3-11 %s is in", (path) => {
    expect(isRefused(path)).toBe(true);
  });

  test.each([".env.example", ".env.sample", ".env.local.example", "sub/.env.example", "my.env", "environment.ts", ".environment", "env"])("F3-11 %s is out", (path) => {
    expect(isRefused(path)).toBe(false);
  });

  test.each([".ENV", ".Env", "SUB/../.eNv", ".ENV.Local", ".EnvRC"])("F3-09 %s is folded, on every system", (path) => {
    expect(isRefused(path)).toBe(true);
  });

  test("F3-09 another spelling of the same letters is folded too; containment is not widened", () => {
    const rule = { paths: ["caf\u00e9", ".env"], except: [".env.example"] };
    expect(isNamed(rule, ["cafe\u0301"])).toBe(true);
    expect(isNamed(rule, [".E\u200cnv"])).toBe(true);
    expect(matches("out/**", ["OUT", "x"])).toBe(false);
    expect(isRefused(".ENV.EXAMPLE")).toBe(true);
    expect(where(join(base.toUpperCase(), "WS", "a.txt"))).toMatch(process.platform === "linux" ? /^refused: / : /./);
  });
});

describe("what a name can hide", () => {
  test.skipIf(process.platform !== "linux")("a name that cannot be written as a text leads nowhere: what would be opened is another place than the one judged", () => {
    const odd = Buffer.concat([Buffer.from(`${root}/D`), Buffer.from([0xff])]);
    mkdirSync(odd);
    symlinkSync(odd, join(root, "bad"));
    symlinkSync(join(base, "OUT"), join(root, "D\ufffd"));
    for (const path of ["bad", "bad/secret.txt", "bad/new.txt"]) expect(isRefused(path)).toBe(true);
    rmSync(join(root, "bad"));
    rmSync(join(root, "D\ufffd"));
    rmdirSync(odd);
  });

  test("the name that was asked for counts in every spelling of the root", () => {
    symlinkSync(join(root, "sub"), join(root, ".env.link"), "junction");
    symlinkSync(root, join(base, "other-ws"), "junction");
    for (const from of [root, join(base, "link-ws")]) {
      for (const to of [root, join(base, "link-ws"), join(base, "other-ws")]) expect(isRefused(join(to, ".env.link", "x"), from)).toBe(true);
    }
    rmSync(join(root, ".env.link"));
    rmSync(join(base, "other-ws"));
  });
});

describe("what is no path", () => {
  test.each<[unknown, RegExp]>([
    ["a\u0000.txt", /control character/],
    [".env\u0000.txt", /control character/],
    ["a\nb", /control character/],
    ["", /must not be empty/],
    [" ", /must not be empty/],
    ["x".repeat(5_000), /too long/],
    [7, /must be a text, not number/],
    [["a.txt"], /must be a text, not object/],
    [null, /must be a text, not null/],
    [undefined, /must be a text, not undefined/],
    ["file:///etc/passwd", /is an address/],
    [`${"n".repeat(300)}/x`, /cannot be judged: ENAMETOOLONG/],
  ])("F3-12 %j is refused with a reason", (path, reason) => {
    expect(where(path).slice(0, 400)).toMatch(reason);
  });

  test.each(["~", "~/x", "~other/x", "a/~/x", "$HOME/x", "%2e%2e/x"])("F3-13 %s is a plain name inside: nothing is expanded or decoded", (path) => {
    expect(where(path)).toBe(path);
  });

  test("F3-12 only \"does not exist\" permits to look further up", () => {
    const denied = (code: string): PathSystem => ({
      rules: nodePath.posix,
      realpath: (path) => {
        if (path === "/ws") return path;
        throw Object.assign(new Error("no"), { code });
      },
      isLink: () => false,
    });
    expect(locate("/ws", "sub/x", denied("EACCES"))).toEqual({ refused: '"sub/x" cannot be judged: EACCES' });
    expect(locate("/ws", "sub/x", denied("ENOENT"))).toMatchObject({ place: { names: ["sub", "x"] } });
    expect(locate("/gone", "sub/x", { ...denied("ENOENT"), realpath: () => { throw Object.assign(new Error(), { code: "ENOENT" }); } })).toMatchObject({ refused: expect.stringContaining("ENOENT") });
  });
});

describe("the rules of Windows, tested everywhere", () => {
  const windows: PathSystem = { rules: nodePath.win32, realpath: (path) => path, isLink: () => false };
  const at = (path: string, from = "C:\\ws") => {
    const located = locate(from, path, windows);
    return "refused" in located ? "refused" : located.place.names.join("/");
  };

  test.each([["sub\\x", "sub/x"], ["sub/x", "sub/x"], [".\\sub\\..\\a.txt", "a.txt"], ["C:\\ws\\a.txt", "a.txt"], ["c:\\WS\\a.txt", "a.txt"], ["..keep.txt", "..keep.txt"]])("%s is inside", (path, names) => {
    expect(at(path)).toBe(names);
  });

  test.each(["D:\\ws\\a.txt", "D:x", "\\\\server\\share\\x", "..\\x", "..\\ws-evil\\x", "C:\\ws-evil\\x", "\\x", "C:\\", "\\\\?\\C:\\other\\x"])("F3-08 %s leads out", (path) => {
    expect(at(path)).toBe("refused");
  });

  test.each(["a.txt:stream", ".env::$DATA", ".env.", ".env ", "sub. \\x", "nul", "COM1.txt", "sub\\con", "COM\u00b9", "CONIN$", "nul .txt"])("%s is a name that Windows reads otherwise", (path) => {
    expect(at(path)).toBe("refused");
  });

  test.each([".ENV", "sub\\.env", ".Env\\x"])("%s is in the family", (path) => {
    const located = locate("C:\\ws", path, windows);
    expect("place" in located && isSecret(located.place)).toBe(true);
  });
});

test.each<[string, string, boolean]>([
  ["**", "", true],
  ["**", "a/b", true],
  ["out/**", "out/a/b", true],
  ["out/**", "out", true],
  ["out/**", "outer/a", false],
  ["*.txt", "a.txt", true],
  ["*.txt", "a/b.txt", false],
  ["**/*.txt", "a/b.txt", true],
  ["a.txt", "aXtxt", false],
  ["a/**/z", "a/z", true],
  ["a/**/z", "a/b/c/z", true],
])("the pattern %s and the names %s: %s", (pattern, names, fits) => {
  expect(matches(pattern, names === "" ? [] : names.split("/"))).toBe(fits);
});

test("patterns with many stars: the same answer as a regular expression gives, for 2,000 random ones", () => {
  const random = seeded(7);
  const pick = (letters: string, length: number) => Array.from({ length }, () => letters[random.below(letters.length)] ?? "").join("");
  for (let count = 0; count < 2_000; count++) {
    const [pattern, name] = [pick("aab*", 1 + (count % 7)), pick("ab", 1 + (count % 9))];
    const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);
    if (!pattern.includes("**")) expect([pattern, name, matches(pattern, [name])]).toEqual([pattern, name, expected]);
    const [parts, names] = [[...pattern].map((part) => (part === "*" ? "**" : part)), [...name]];
    expect([pattern, name, matches(parts.join("/"), names)]).toEqual([pattern, name, expected]);
  }
});

test.each<[string, string[]]>([
  ["**/a/**/a/**/b", Array(400).fill("a")],
  ["*a*a*a*a*a*b", ["a".repeat(400)]],
])("a path that the model chose cannot keep the gate busy: %s", (pattern, names) => {
  expect(matches(pattern, names)).toBe(false);
  expect(isNamed({ paths: [pattern], except: [] }, names)).toBe(false);
});
