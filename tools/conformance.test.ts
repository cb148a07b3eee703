import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../shared/io.ts";
import { installPackage, installVersion, unknownScenario, wantedBy } from "./conformance.ts";
import { loadPiTables } from "./seams.ts";

describe("the words", () => {
  test.each([
    { words: [], wanted: { what: "all" } },
    { words: ["list"], wanted: { what: "list" } },
    { words: ["tool-one"], wanted: { what: "scenario", name: "tool-one" } },
    { words: ["1.7.0"], wanted: { what: "version", version: "1.7.0" } },
    { words: ["pi", "1.7.0"], wanted: { what: "version", version: "1.7.0" } },
    { words: ["--pi", "1.7.0"], wanted: { what: "version", version: "1.7.0" } },
    { words: ["--pi=1.7.0-beta.1"], wanted: { what: "version", version: "1.7.0-beta.1" } },
  ])("$words", ({ words, wanted }) => {
    expect(wantedBy(words)).toEqual(wanted);
  });

  test.each([
    { words: ["--pi", "newest"], says: /"newest" is no version/ },
    { words: ["--pi", "tool-one"], says: /"tool-one" is no version/ },
    { words: ["pi"], says: /"pi" is not understood/ },
    { words: ["--fast"], says: /"--fast" is not understood/ },
    { words: ["tool-one", "tool-two"], says: /too many words/ },
  ])("$words is refused in one line", ({ words, says }) => {
    const refused = () => wantedBy(words);
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(says);
    expect(refused).not.toThrow(/\n/);
  });
});

test("an unknown scenario is told with those that begin alike, or with the way to list them", () => {
  const names = ["tool-one", "tool-throws", "plain-text"];
  expect(unknownScenario("tool-two", names)).toBe('unknown scenario "tool-two"; near: tool-one, tool-throws');
  expect(unknownScenario("what-else", names)).toBe('unknown scenario "what-else"; npm run conformance list names all 3');
});

describe("installing", () => {
  let folder = "";
  const lock = { packages: { "": {}, "node_modules/pi": { version: "1.0.0" }, "node_modules/extra": { version: "1.0.0", optional: true } } };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "conformance-"));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const npm = (status: number, stderr = "") => {
    const asked: string[][] = [];
    const run = async (words: readonly string[]) => {
      asked.push([...words]);
      return { status, stdout: "", stderr };
    };
    return { asked, run };
  };
  const installed = (version: string) => {
    mkdirSync(join(folder, "node_modules"));
    const packages = { "node_modules/pi": { version } };
    writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify({ packages }));
  };

  test("says how large it is before it starts, and runs no script of a package", async () => {
    const lines: string[] = [];
    const { asked, run } = npm(0);
    await installPackage(folder, (line) => lines.push(line), run);
    expect(lines.join()).toMatch(/about \d+ MB/);
    expect(asked[0]?.[0]).toBe("ci");
    expect(asked[0]).toContain("--ignore-scripts");
  });

  test("does nothing when what the lock file wants is there", async () => {
    installed("1.0.0");
    const { asked, run } = npm(0);
    await installPackage(folder, () => {}, run);
    expect(asked).toEqual([]);
  });

  test("installs again when another version is there", async () => {
    installed("0.9.0");
    const { asked, run } = npm(0);
    await installPackage(folder, () => {}, run);
    expect(asked).toHaveLength(1);
  });

  test.each([
    { stderr: "npm error code ENOTFOUND\nnpm error errno ENOTFOUND", says: /no network \(ENOTFOUND\)/ },
    { stderr: "npm error code ECONNREFUSED", says: /no network/ },
    { stderr: "npm error code EACCES\nnpm error syscall mkdir", says: /npm says EACCES: syscall mkdir/ },
  ])("one line when npm fails: $stderr", async ({ stderr, says }) => {
    const failed = installPackage(folder, () => {}, npm(1, stderr).run);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(says);
    await expect(failed).rejects.not.toThrow(/\n/);
  });

  test("a version that does not exist is one line, and leaves nothing behind", async () => {
    const failed = installVersion(folder, "9.9.9", () => {}, npm(1, "npm error code ETARGET").run);
    await expect(failed).rejects.toThrow(/Pi 9\.9\.9 does not exist/);
    expect(existsSync(join(folder, ".pi", "9.9.9"))).toBe(false);
  });

  test("the hook table of Pi is one clear line when nothing is installed", async () => {
    await expect(loadPiTables(folder)).rejects.toThrow(UsageError);
    await expect(loadPiTables(folder)).rejects.toThrow(/not installed; npm run conformance/);
  });

  test("a version that is one of the two is not installed again", async () => {
    mkdirSync(join(folder, "node_modules", "pi-agent-core-1.0.3"), { recursive: true });
    const { asked, run } = npm(0);
    await installVersion(folder, "1.0.3", () => {}, run);
    expect(asked).toEqual([]);
  });
});
