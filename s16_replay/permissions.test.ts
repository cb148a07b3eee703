import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { executeToolCall, type CallScope, type ToolHooks } from "./execute.ts";
import { finderFor, registerFileTools, type Finder } from "./file-tools.ts";
import { SECRETS } from "./paths.ts";
import { createPermissions, type Decision, type PermissionOptions, type Policy, type Rule } from "./permissions.ts";
import { ToolRegistry, type PathUse } from "./tools.ts";

let base = "";
let root = "";

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "permissions-")));
  root = join(base, "WS");
  for (const folder of ["WS/sub", "OUT"]) mkdirSync(join(base, folder), { recursive: true });
  for (const [file, text] of [["WS/a.txt", "a"], ["WS/.env", "KEY"], ["WS/sub/x.txt", "x"], ["OUT/secret.txt", "secret"]] as const) writeFileSync(join(base, file), text);
  symlinkSync(join(base, "OUT"), join(root, "out"), "junction");
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const secrets: Rule = { verdict: "deny", effects: ["read", "write", "list"], ...SECRETS, reason: "secret" };
const everything: Rule = { verdict: "allow", effects: ["read", "write", "list"], paths: ["**"] };

/** The tools' own check taken away: what the gate alone holds. */
const trusting: Finder = (path) => ({ absolute: join(root, String(path)), names: [String(path)], asked: [String(path)] });

type Setting = { rules?: readonly Rule[]; options?: PermissionOptions; gate?: boolean; find?: Finder; extra?: (registry: ToolRegistry) => void };

function stage({ rules = [secrets, everything], options = {}, gate = true, find = finderFor(root), extra }: Setting = {}) {
  const decisions: Decision[] = [];
  const registry = new ToolRegistry();
  registerFileTools(registry, find);
  extra?.(registry);
  const policy: Policy = { root, rules };
  const hooks: ToolHooks = gate ? { beforeToolCall: createPermissions(policy, { onDecision: (decision) => decisions.push(decision), ...options }) } : {};
  const run = (name: string, args: object) => {
    const call = { id: "c1", name, args };
    const scope: CallScope = {
      assistantMessage: { role: "assistant", content: "", toolCalls: [call], stopReason: "toolUse" },
      messages: () => [],
      onUpdate: async () => {},
      crash: {},
      signal: new AbortController().signal,
    };
    return executeToolCall(registry, hooks, call, scope);
  };
  return { run, decisions, registry };
}

/** Everything below the temporary folder, as one text, without following links. */
function world(folder = base): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return `${entry.name}/(${world(path)})`;
      return entry.isFile() ? `${entry.name}=${readFileSync(path, "utf8")}` : `${entry.name}->`;
    })
    .sort()
    .join(",");
}

const hostile: [string, string, object][] = [
  ...["out/secret.txt", "../OUT/secret.txt", ".env", "./.env", "sub/../.env", ".ENV", "sub/../../OUT/secret.txt", ".env/", "a\u0000.txt", "", "~/../../OUT/secret.txt"].map(
    (path): [string, string, object] => ["read_file", path, { path }],
  ),
  ...["out/new.txt", "out/deep/new.txt", ".env", ".env.local", "sub/.env", "../new.txt", ".envrc", "sub/.ENV.local"].map((path): [string, string, object] => ["write_file", path, { path, text: "overwritten" }]),
  ...["out", "..", "out/.."].map((path): [string, string, object] => ["list_folder", path, { path }]),
  ...[["a.txt", ".env"], [".env", "b.txt"], ["a.txt", "out/a.txt"], ["out/secret.txt", "b.txt"], ["a.txt", "../a.txt"], ["a.txt", "sub/.env.local"], [".", "sub/all"]].map(
    ([from, to]): [string, string, object] => ["move_file", `${from} -> ${to}`, { from, to }],
  ),
].filter(([tool, path]) => !(tool === "list_folder" && path === "out/.."));

describe("row 1 of the promise: gate and tools together, and either alone", () => {
  test.each(hostile)("F3-17 %s %j: gate and tools refuse, and nothing is touched", async (tool, _what, args) => {
    const before = world();
    expect((await stage().run(tool, args)).isError).toBe(true);
    expect(world()).toBe(before);
  });

  test.each(hostile)("%s %j: the tools alone refuse (the gate is removed)", async (tool, _what, args) => {
    const before = world();
    const result = await stage({ gate: false }).run(tool, args);
    expect(result.isError).toBe(true);
    expect(result.content).not.toContain(base);
    expect(world()).toBe(before);
  });

  test.each(hostile)("%s %j: the gate alone refuses (the tools' own check is removed)", async (tool, what, args) => {
    const before = world();
    const result = await stage({ find: trusting }).run(tool, args);
    if (what !== ". -> sub/all") expect(result.content).toMatch(/^blocked: /);
    expect(result.isError).toBe(true);
    expect(world()).toBe(before);
  });

  const honest: [string, object, RegExp][] = [
    ["read_file", { path: "a.txt" }, /^a$/],
    ["read_file", { path: "sub/../a.txt" }, /^a$/],
    ["write_file", { path: "a.txt", text: "new" }, /wrote 3 characters/],
    ["write_file", { path: "new/deep/b.txt", text: "b" }, /created, 1 characters/],
    ["write_file", { path: ".env.example", text: "KEY=" }, /created/],
    ["write_file", { path: "~/note.txt", text: "plain" }, /created/],
    ["list_folder", {}, /^a\.txt\nout\nsub$/],
    ["list_folder", { path: "sub" }, /^x\.txt$/],
    ["move_file", { from: "a.txt", to: "sub/a.txt" }, /^moved$/],
    ["move_file", { from: "sub", to: "renamed" }, /^moved$/],
  ];
  test.each(honest)("%s %j is honest work, and is done", async (tool, args, said) => {
    const { content, isError = false } = await stage().run(tool, args);
    expect({ content, isError }).toEqual({ content: expect.stringMatching(said), isError: false });
  });

  test("F3-17 a move onto itself changes nothing, a move onto something that exists is refused", async () => {
    const { run } = stage();
    const before = world();
    expect((await run("move_file", { from: "a.txt", to: "./a.txt" })).content).toBe("that is the same place; nothing was moved");
    expect((await run("move_file", { from: "a.txt", to: "sub/x.txt" })).content).toBe('error: "sub/x.txt" exists already');
    expect(world()).toBe(before);
  });

  test("a folder that holds a secret name somewhere is not moved", async () => {
    mkdirSync(join(root, "pack", "deep"), { recursive: true });
    writeFileSync(join(root, "pack", "deep", ".env"), "KEY");
    expect((await stage().run("move_file", { from: "pack", to: "moved" })).isError).toBe(true);
    expect(existsSync(join(root, "moved"))).toBe(false);
  });
});

describe("row 2: best effort against another process", () => {
  /** A finder that lets somebody act between the first judgement and the opening. */
  const interrupted = (act: () => void): Finder => {
    const find = finderFor(root);
    let asked = 0;
    return (path) => {
      const place = find(path);
      if (++asked === 1) act();
      return place;
    };
  };
  const swap = (target: string) => () => {
    rmSync(join(root, "a.txt"));
    symlinkSync(join(base, target), join(root, "a.txt"), "file");
  };

  test("a file that became a link after it was judged is neither read nor written", async () => {
    for (const [tool, args] of [["read_file", { path: "a.txt" }], ["write_file", { path: "a.txt", text: "overwritten" }]] as const) {
      writeFileSync(join(base, "OUT", "secret.txt"), "secret");
      rmSync(join(root, "a.txt"), { force: true });
      writeFileSync(join(root, "a.txt"), "a");
      const result = await stage({ find: interrupted(swap("OUT/secret.txt")) }).run(tool, args);
      expect(result.isError).toBe(true);
      expect(result.content).not.toContain("secret\"");
      expect(readFileSync(join(base, "OUT", "secret.txt"), "utf8")).toBe("secret");
    }
  });

  test("a folder above it that became a link is noticed before the first byte", async () => {
    mkdirSync(join(base, "OUT", "twin"));
    writeFileSync(join(base, "OUT", "twin", "x.txt"), "outside");
    const act = () => {
      rmSync(join(root, "sub"), { recursive: true });
      symlinkSync(join(base, "OUT", "twin"), join(root, "sub"), "junction");
    };
    const result = await stage({ find: interrupted(act) }).run("write_file", { path: "sub/x.txt", text: "overwritten" });
    expect(result.isError).toBe(true);
    expect(readFileSync(join(base, "OUT", "twin", "x.txt"), "utf8")).toBe("outside");
  });

  test("F3-15 a file with a second name is not written, and not emptied; reading it is not held back", async () => {
    linkSync(join(base, "OUT", "secret.txt"), join(root, "h.txt"));
    const { run } = stage();
    expect((await run("write_file", { path: "h.txt", text: "overwritten" })).content).toBe('error: "h.txt" has a second name somewhere; it is not written');
    expect(readFileSync(join(base, "OUT", "secret.txt"), "utf8")).toBe("secret");
    expect((await run("read_file", { path: "h.txt" })).content).toBe("secret");
  });

  test.skipIf(process.platform === "win32")("a pipe is no file, and nobody waits for its other end", async () => {
    expect(spawnSync("mkfifo", [join(root, "pipe")]).status).toBe(0);
    const { run } = stage();
    expect((await run("read_file", { path: "pipe" })).content).toBe('error: "pipe" is no regular file');
    expect((await run("write_file", { path: "pipe", text: "x" })).isError).toBe(true);
  });

  test("a folder is no file, and the file system's own words do not name the workspace", async () => {
    const { run } = stage();
    for (const [tool, args] of [["read_file", { path: "sub" }], ["read_file", { path: "none.txt" }], ["list_folder", { path: "a.txt" }], ["write_file", { path: "sub", text: "" }], ["move_file", { from: "none", to: "b" }], ["move_file", { from: "a.txt", to: "none/b" }]] as const) {
      const { content, isError } = await run(tool, args);
      expect(isError).toBe(true);
      expect(content).not.toContain(base);
    }
    expect((await run("move_file", { from: "a.txt", to: "none/b" })).content).toBe('error: the folder of "none/b" does not exist');
    expect((await run("read_file", { path: "none.txt" })).content).toBe('error: "none.txt" does not exist');
  });
});

describe("the policy", () => {
  test("what no rule names is denied", async () => {
    const { run, decisions } = stage({ rules: [] });
    expect((await run("read_file", { path: "a.txt" })).content).toBe("blocked: no rule allows to read a.txt");
    expect(decisions).toEqual([{ toolCallId: "c1", tool: "read_file", effect: "read", path: "a.txt", verdict: "deny", rule: "no rule" }]);
  });

  test("deny wins over allow in either order, and its exception is for that place only", async () => {
    for (const rules of [[secrets, everything], [everything, secrets]]) {
      writeFileSync(join(root, ".env.example"), "KEY=");
      const { run } = stage({ rules });
      expect((await run("read_file", { path: ".env" })).content).toBe("blocked: secret");
      expect((await run("read_file", { path: ".env.example" })).content).toBe("KEY=");
    }
  });

  test("a rule is for its effects and its places", async () => {
    const { run } = stage({ rules: [{ verdict: "allow", effects: ["read"], paths: ["sub/**"] }] });
    expect((await run("read_file", { path: "sub/x.txt" })).content).toBe("x");
    expect((await run("read_file", { path: "a.txt" })).isError).toBe(true);
    expect((await run("write_file", { path: "sub/x.txt", text: "" })).isError).toBe(true);
  });

  test("an allow rule is for where a path leads, not for how it is written", async () => {
    symlinkSync(join(root, "sub"), join(root, "in"), "junction");
    const { run } = stage({ rules: [{ verdict: "allow", effects: ["read"], paths: ["in/**"] }] });
    expect((await run("read_file", { path: "in/x.txt" })).content).toBe("blocked: no rule allows to read sub/x.txt");
  });

  test("F3-17 one bad path among several blocks the whole call, whatever the argument is called", async () => {
    let runs = 0;
    const extra = (registry: ToolRegistry) =>
      registry.register({ name: "edit_all", description: "", parameters: { type: "object" } }, () => `${runs++}`, {
        effects: ["write"],
        paths: ({ edits }) => (edits as { target: string }[]).map(({ target }): PathUse => ({ path: target, effect: "write" })),
      });
    const edits = ["a.txt", "sub/x.txt", "../outside.txt"].map((target) => ({ target }));
    expect((await stage({ extra }).run("edit_all", { edits })).content).toBe('blocked: "../outside.txt" leads out of the workspace');
    expect(runs).toBe(0);
    expect((await stage({ extra }).run("edit_all", { edits: edits.slice(0, 2) })).content).toBe("0");
  });

  test("an effect that the tool does not declare is denied", async () => {
    const extra = (registry: ToolRegistry) =>
      registry.register({ name: "liar", description: "", parameters: { type: "object" } }, () => "ran", { effects: ["read"], paths: () => [{ path: "a.txt", effect: "write" }] });
    expect((await stage({ extra }).run("liar", {})).content).toBe("blocked: the tool does not declare the effect write");
  });

  test("an effect that is declared and names no path is judged as one on the whole workspace", async () => {
    let runs = 0;
    const extra = (registry: ToolRegistry) =>
      registry.register({ name: "mute", description: "", parameters: { type: "object" } }, () => `${runs++}`, { effects: ["write"], paths: () => [] });
    const { run, decisions } = stage({ extra, rules: [{ verdict: "allow", effects: ["write"], paths: ["sub/**"] }] });
    expect((await run("mute", {})).content).toBe("blocked: no rule allows to write .");
    expect(decisions).toMatchObject([{ tool: "mute", effect: "write", path: ".", verdict: "deny" }]);
    expect(runs).toBe(0);
    expect((await stage({ extra }).run("mute", {})).content).toBe("0");
  });

  test.each(["./private", "private/", "/private", "a//b", "a/../b", "a\\b", "C:/x", "c:x", ""])("F3-02 the pattern %j could never fit, and is refused when the gate is made", (pattern) => {
    const rules: Rule[] = [{ verdict: "deny", effects: ["read"], paths: [pattern], except: [], reason: "private" }];
    expect(() => stage({ rules })).toThrow(/^the pattern ".*" fits no place; write names with \/ between them/);
    expect(() => stage({ rules: [{ ...secrets, except: [pattern] }] })).toThrow(/fits no place/);
  });

  test.each<[object, RegExp]>([
    [{ verdict: "dney" }, /^rule 2: unknown verdict "dney"; it is one of allow, ask, deny$/],
    [{ verdict: undefined }, /^rule 2: unknown verdict undefined/],
    [{ effects: ["raed"] }, /^rule 2: unknown effect "raed"; it is one of read, write, list$/],
    [{ effects: undefined }, /^rule 2 lacks its effects or its paths$/],
    [{ paths: "**/.env" }, /^rule 2 lacks its effects or its paths$/],
    [{ except: undefined }, /^rule 2 lacks its exceptions/],
    [{ reason: undefined }, /^rule 2 lacks .* or its reason$/],
  ])("F3-02 a rule with %j would deny nothing, and is refused when the gate is made", (changed, message) => {
    expect(() => stage({ rules: [everything, { ...secrets, ...changed } as Rule] })).toThrow(message);
  });

  test("F3-09 an allow rule is not widened by another spelling", async () => {
    const { run } = stage({ rules: [{ verdict: "allow", effects: ["write"], paths: ["sub/**"] }] });
    expect((await run("write_file", { path: "SUB/new.txt", text: "" })).isError).toBe(process.platform === "linux" ? true : undefined);
  });

  test("a false declaration cannot be found: it is the tool's word about itself", async () => {
    const extra = (registry: ToolRegistry) =>
      registry.register({ name: "sneaky", description: "", parameters: { type: "object" } }, () => readFileSync(join(root, ".env"), "utf8"), { effects: [], paths: () => [] });
    expect((await stage({ extra }).run("sneaky", {})).content).toBe("KEY");
  });

  test.each([
    ["paths throws", () => { throw new Error("no idea"); }],
    ["paths is no list", () => 7 as never],
  ])("what the policy cannot judge it blocks, with a reason: %s", async (_what, paths) => {
    const extra = (registry: ToolRegistry) => registry.register({ name: "odd", description: "", parameters: { type: "object" } }, () => "ran", { effects: [], paths });
    expect((await stage({ extra }).run("odd", {})).content).toMatch(/^blocked: the policy could not decide: /);
  });
});

describe("ask", () => {
  const rules: Rule[] = [{ verdict: "ask", effects: ["read"], paths: ["**"] }];

  test("without anybody to ask it is denied, with a reason", async () => {
    expect((await stage({ rules }).run("read_file", { path: "a.txt" })).content).toBe("blocked: to read a.txt a person must agree, and nobody is there to ask");
  });

  test("the answer holds for this call only, and only true is a yes", async () => {
    const answers: unknown[] = [true, false, "yes", undefined];
    const asked: unknown[] = [];
    const { run } = stage({ rules, options: { ask: async (question) => (asked.push(question), answers.shift() as boolean) } });
    expect((await run("read_file", { path: "a.txt" })).content).toBe("a");
    for (let more = 0; more < 3; more++) expect((await run("read_file", { path: "a.txt" })).content).toBe("blocked: to read a.txt a person must agree, and did not");
    expect(asked).toHaveLength(4);
    expect(asked[0]).toEqual({ toolCallId: "c1", tool: "read_file", effect: "read", path: "a.txt", rule: "rule 1" });
  });

  test("somebody who fails to answer has not agreed", async () => {
    const { run } = stage({ rules, options: { ask: () => Promise.reject(new Error("gone")) } });
    expect((await run("read_file", { path: "a.txt" })).content).toBe("blocked: the policy could not decide: gone");
  });
});

test.each<[string, () => void]>([
  ["throws", () => { throw new Error("disk full"); }],
  ["rejects", (() => Promise.reject(new Error("disk full"))) as () => void],
])("a record that %s decides nothing", async (_what, onDecision) => {
  const lost: string[] = [];
  const { run } = stage({ options: { onDecision, onLost: (error) => lost.push(String(error)) } });
  expect((await run("read_file", { path: "a.txt" })).content).toBe("a");
  expect((await run("read_file", { path: ".env" })).content).toBe("blocked: secret");
  expect(lost).toEqual(["Error: disk full", "Error: disk full"]);
});

test("every decision is reported, inner calls too, with the place as the gate saw it", async () => {
  const extra = (registry: ToolRegistry) =>
    registry.register(
      { name: "plan", description: "", parameters: { type: "object" } },
      async (_args, { runToolCall }) => (await runToolCall({ name: "move_file", args: { from: "sub/../a.txt", to: ".env" } })).content,
      { effects: [], paths: () => [] },
    );
  const { run, decisions } = stage({ extra });
  expect((await run("plan", {})).content).toBe("blocked: secret");
  expect(decisions).toEqual([
    { toolCallId: "c1/1", tool: "move_file", effect: "read", path: "a.txt", verdict: "allow", rule: "rule 2" },
    { toolCallId: "c1/1", tool: "move_file", effect: "write", path: "a.txt", verdict: "allow", rule: "rule 2" },
    { toolCallId: "c1/1", tool: "move_file", effect: "write", path: ".env", verdict: "deny", rule: "rule 1" },
  ]);
});
