import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { memoryIo, UsageError } from "../shared/io.ts";
import { run } from "./carry.ts";
import { drift } from "./drift.ts";
import { hasGit, runGit } from "./git.ts";
import { report } from "./problems.ts";
import { toyCourse, type Files, type ToyCourse } from "./toy-course.ts";

let toy: ToyCourse;
afterEach(() => toy?.remove());

function git(...args: string[]): string {
  const who = ["-c", "user.name=toy", "-c", "user.email=toy@example.com", "-c", "core.autocrlf=false"];
  const { status, stdout, stderr } = runGit([...who, ...args], { cwd: toy.root, plain: true });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", "toy");
}

let template: ToyCourse | undefined;
afterAll(() => template?.remove());

/** A toy course whose files are committed. Without an edit its history is a copy of few files: starting git and writing files is slow. */
function committed(edit?: (files: Files) => void): void {
  if (template && !edit) {
    toy = toyCourse();
    cpSync(join(template.root, ".git"), join(toy.root, ".git"), { recursive: true });
    return;
  }
  toy = toyCourse(edit);
  git("init", "--quiet", "--template=");
  commit();
  if (edit) return;
  git("repack", "-a", "-d", "--quiet");
  template = toyCourse();
  cpSync(join(toy.root, ".git"), join(template.root, ".git"), { recursive: true });
}

const read = (path: string) => readFileSync(join(toy.root, path), "utf8");
const has = (path: string) => readdirSync(join(toy.root, path.split("/")[0]!)).includes(path.split("/")[1]!);

function replace(path: string, from: string, to: string): void {
  const text = read(path);
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
  toy.write({ [path]: text.replace(from, () => to) });
}

async function carry(...words: string[]) {
  const io = memoryIo();
  const status = await run(words, io, { course: toy.course });
  const lines = io.out().trimEnd().split("\n");
  return { status, files: lines.slice(0, /^\w+  /.test(lines.at(-1)!) ? undefined : -1), last: lines.at(-1), err: io.err() };
}

/** Every file of the three lessons. */
function everything(): Files {
  return Object.fromEntries(
    toy.course.lessons.flatMap(({ folder }) =>
      readdirSync(join(toy.root, folder)).map((name) => [`${folder}/${name}`, read(`${folder}/${name}`)]),
    ),
  );
}

describe("carry: words", () => {
  test.each([
    [[], /which lesson\? .*s01, s02, s03.*from <commit>/],
    [["s09"], /unknown lesson "s09"; lessons: s01, s02, s03/],
    [["--all", "s01"], /unknown flag "--all"; .*s01, s02, s03/],
    [["s01", "s02"], /unknown word "s02"; .*s01, s02, s03/],
    [["s01", "--from"], /which commit\? .*from <commit>/],
  ])("%j", async (words, message) => {
    toy = toyCourse();
    await expect(carry(...words)).rejects.toThrow(message);
    await expect(carry(...words)).rejects.toBeInstanceOf(UsageError);
  });

  test("a missing git", async () => {
    toy = toyCourse();
    const without = run(["s01"], memoryIo(), { course: toy.course, git: "no-such-git" });
    await expect(without).rejects.toThrow(/no-such-git was not found.*install it from/);
  });

  test.skipIf(!hasGit())("a folder that is no checkout", async () => {
    toy = toyCourse();
    await expect(carry("s01")).rejects.toThrow(/not a git repository.*git clone/);
  });

  test.skipIf(!hasGit())("nothing committed yet, and an unknown commit", async () => {
    toy = toyCourse();
    git("init", "--quiet");
    await expect(carry("s01")).rejects.toThrow(/git knows no commit "HEAD"/);
    commit();
    await expect(carry("s01", "--from", "nowhere")).rejects.toThrow(/git knows no commit "nowhere".*valid: HEAD/);
    await expect(carry("s01", "from", "--output=x")).rejects.toThrow(/git knows no commit/);
  });
});

describe.skipIf(!hasGit())("carry", () => {
  test("nothing changed, nothing carried", async () => {
    committed();
    const before = everything();
    for (const id of ["s01", "s02", "s03"]) {
      expect(await carry(id)).toMatchObject({ status: 0, files: [], last: expect.stringContaining("Nothing to carry") });
    }
    expect(everything()).toEqual(before);
  });

  test.each<[string, () => void, string]>([
    ["a NUL byte in the lesson", () => replace("s01_one/messages.ts", "What is said", "What \0 said"), "s01_one/messages.ts holds a NUL byte, so git cannot merge it: remove the byte, or git restore s01_one/messages.ts"],
    ["a NUL byte in a later lesson", () => replace("s03_three/messages.ts", "What is said", "What \0 said"), "s03_three/messages.ts holds a NUL byte"],
    ["a folder in a file's place", () => {
      toy.write({ "s02_two/messages.ts": undefined });
      mkdirSync(join(toy.root, "s02_two", "messages.ts"));
    }, "s02_two/messages.ts is no file"],
  ])("%s is one line, and nothing is touched", async (_, spoil, message) => {
    committed();
    replace("s01_one/loop.ts", "provider.complete(", "provider.complete( ");
    spoil();
    await expect(carry("s01")).rejects.toThrow(UsageError);
    await expect(carry("s01")).rejects.toThrow(message);
    expect(git("status", "--porcelain")).not.toMatch(/s0[23]\w+\/loop/);
  });

  test("a NUL byte that was committed", async () => {
    committed((files) => void (files["s01_one/messages.ts"] += "// \0\n"));
    replace("s01_one/messages.ts", "\0", "");
    await expect(carry("s01")).rejects.toThrow(new UsageError("s01_one/messages.ts holds a NUL byte in HEAD, so git cannot merge it: commit it without, or carry it by hand"));
  });

  test("a file that was identical becomes identical, and the course is in step again", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    expect(report(drift(toy.course))).toContain("npm run carry s01");
    expect(await carry("s01")).toMatchObject({
      status: 0,
      files: ["copied    s02_two/messages.ts", "copied    s03_three/messages.ts"],
      last: "Done. Now check the lessons: npm run check",
    });
    expect(read("s03_three/messages.ts")).toBe(read("s01_one/messages.ts"));
    expect(report(drift(toy.course))).toBe("");
  });

  test("a file that a lesson changed is merged, and its own changes stay", async () => {
    committed();
    replace("s01_one/loop.ts", "/** Who answers. */", "/** Who answers, and how. */");
    const { files } = await carry("s01");
    expect(files).toEqual(["merged    s02_two/loop.ts", "merged    s03_three/loop.ts"]);
    expect(read("s02_two/loop.ts")).toContain("/** Who answers, and how. */");
    expect(read("s02_two/loop.ts")).toContain("tools = new ToolBox()");
    expect(read("s03_three/loop.ts")).toContain("/** Who answers, and how. */");
    expect(read("s03_three/loop.ts")).toContain("gate?: Gate");
  });

  test("only the named lesson's files move, and only forward", async () => {
    committed();
    replace("s02_two/tools.ts", "Tools by name", "The tools by name");
    toy.write({ "s02_two/main.ts": "// demo\n", "s02_two/README.md": "# text\n" });
    const before = everything();
    const { files } = await carry("s02");
    expect(files).toEqual(["copied    s03_three/tools.ts"]);
    expect(everything()).toEqual({ ...before, "s03_three/tools.ts": read("s02_two/tools.ts") });
    expect((await carry("s01")).files).toEqual([]);
  });

  test("a new file goes along, a removed one goes away", async () => {
    committed();
    toy.write({ "s01_one/extra.ts": "export const extra = 1;\n", "s01_one/messages.ts": undefined });
    const { files } = await carry("s01");
    expect(files).toEqual([
      "added     s02_two/extra.ts",
      "deleted   s02_two/messages.ts",
      "added     s03_three/extra.ts",
      "deleted   s03_three/messages.ts",
    ]);
    expect(read("s03_three/extra.ts")).toBe("export const extra = 1;\n");
    expect(has("s03_three/messages.ts")).toBe(false);
    expect((await carry("s01")).status).toBe(0);
  });

  test("a test moves while both lessons hold the same bytes, and stops where one has its own", async () => {
    committed((all) => (all["s03_three/loop.test.ts"] += "// of s03\n"));
    replace("s01_one/loop.test.ts", "the answer is kept", "the answer is in the transcript");
    const { status, files } = await carry("s01");
    expect(status).toBe(0);
    expect(files).toEqual([
      "copied    s02_two/loop.test.ts",
      "left      s03_three/loop.test.ts  (s03 has its own version of this test)",
    ]);
    expect(read("s03_three/loop.test.ts")).toContain("the answer is kept");
  });

  test("a new test is not spread", async () => {
    committed();
    toy.write({ "s01_one/new.test.ts": "// new\n" });
    expect((await carry("s01")).files).toEqual([expect.stringMatching(/^left +s02_two\/new\.test\.ts/)]);
    expect(has("s02_two/new.test.ts")).toBe(false);
  });

  test("a file that a later lesson does not have is left, and is not deleted further on", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    toy.write({ "s02_two/messages.ts": undefined });
    expect((await carry("s01")).files).toEqual(["left      s02_two/messages.ts  (s02 has no such file)"]);
    expect(has("s03_three/messages.ts")).toBe(true);
  });

  test("uncommitted changes of a later lesson are kept, and go on with the file that is carried", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    replace("s02_two/messages.ts", "A message of the person", "What the person says");
    replace("s02_two/tools.ts", "Tools by name", "The tools by name");
    expect((await carry("s01")).files).toEqual(["merged    s02_two/messages.ts", "copied    s03_three/messages.ts"]);
    expect(read("s03_three/messages.ts")).toMatch(/What was said[^]*What the person says/);
  });

  test("another file that a later lesson is changing stays there", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    replace("s02_two/loop.ts", "/** Who answers. */", "/** Who answers, and how. */");
    expect((await carry("s01")).files).toEqual(["copied    s02_two/messages.ts", "copied    s03_three/messages.ts"]);
    expect(read("s03_three/loop.ts")).toContain("/** Who answers. */");
  });

  test("a change that was made by hand everywhere is there already, and the next one goes on from it", async () => {
    committed();
    for (const folder of ["s01_one", "s02_two", "s03_three"]) {
      replace(`${folder}/loop.ts`, "/** Who answers. */", "/** Who answers, and how. */");
      replace(`${folder}/messages.ts`, "What is said", "What was said");
    }
    const before = everything();
    expect((await carry("s01")).files.map((line) => line.split(" ")[0])).toEqual(["already", "already", "already", "already"]);
    expect(everything()).toEqual(before);
    replace("s01_one/messages.ts", "What was said", "What will be said");
    expect((await carry("s01")).files).toContain("copied    s03_three/messages.ts");
  });

  test("git's own variables, as a git hook sets them, do not mislead it", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    process.env["GIT_DIR"] = join(toy.root, "nowhere");
    try {
      expect((await carry("s01")).files).toHaveLength(2);
    } finally {
      delete process.env["GIT_DIR"];
    }
  });

  test("line endings are no change", async () => {
    committed();
    toy.write({ "s01_one/messages.ts": read("s01_one/messages.ts").replaceAll("\n", "\r\n") });
    expect((await carry("s01")).files).toEqual([]);
    replace("s01_one/messages.ts", "What is said", "What was said");
    await carry("s01");
    expect(read("s02_two/messages.ts")).toContain("What was said");
    expect(read("s02_two/messages.ts")).not.toContain("\r");
  });

  test("from another commit, as a flag or as bare words", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    commit();
    expect((await carry("s01")).files).toEqual([]);
    for (const words of [["--from", "HEAD~1"], ["--from=HEAD~1"], ["from", "HEAD~1"]]) {
      expect((await carry("s01", ...words)).files).toEqual(["copied    s02_two/messages.ts", "copied    s03_three/messages.ts"]);
      git("restore", "s02_two", "s03_three");
    }
  });

  test("a course in a folder below the checkout", async () => {
    toy = toyCourse();
    const { root } = toy;
    git("init", "--quiet");
    mkdirSync(join(root, "course"));
    for (const name of readdirSync(root)) if (!/^(course|\.git)$/.test(name)) renameSync(join(root, name), join(root, "course", name));
    commit();
    toy.course.root = join(root, "course");
    const text = readFileSync(join(root, "course/s01_one/messages.ts"), "utf8");
    writeFileSync(join(root, "course/s01_one/messages.ts"), `${text}// more\n`);
    expect((await carry("s01")).files).toEqual(["copied    s02_two/messages.ts", "copied    s03_three/messages.ts"]);
  });
});

describe.skipIf(!hasGit())("carry: conflicts", () => {
  /** s01 changes the same line as s02 did; a second file has no conflict. */
  async function conflict(...words: string[]) {
    committed();
    replace("s01_one/loop.ts", "const content = provider.complete(transcript)", "const content = provider.complete([...transcript])");
    replace("s01_one/messages.ts", "What is said", "What was said");
    return carry("s01", ...words);
  }

  const resolve = () => {
    const text = read("s02_two/loop.ts").replace(/<{7} [^]*>{7} .*\n/, "  const content = tools.use(provider.complete([...transcript]));\n");
    toy.write({ "s02_two/loop.ts": text });
  };

  test("stops with the file, the lesson and the way on; nothing later is touched", async () => {
    const third = () => Object.fromEntries(Object.entries(everything()).filter(([path]) => path.startsWith("s03")));
    committed();
    const before = third();
    toy.remove();
    const { status, files, err } = await conflict();
    expect(status).toBe(1);
    expect(files).toEqual(["CONFLICT  s02_two/loop.ts  (s01 and s02 changed the same lines)", "copied    s02_two/messages.ts"]);
    expect(err).toBe(
      "Stopped at s02_two; no later lesson was touched.\n" +
        "1. Edit s02_two/loop.ts until it is right (markers: <<<<<<< ======= >>>>>>>).\n" +
        "2. Go on with: npm run carry s02\n",
    );
    expect(read("s02_two/loop.ts")).toMatch(/^<{7} s02_two\/loop\.ts\n[^]*^={7}\n[^]*^>{7} s01_one\/loop\.ts$/m);
    expect(third()).toEqual(before);
  });

  test.each([["s01"], ["s02"], ["s03"]])("with markers left over, carry %s refuses and touches nothing", async (id) => {
    await conflict();
    const before = everything();
    if (id === "s03") replace("s03_three/loop.ts", "/** Who", "<<<<<<< mine\n/** Who");
    const said = id === "s03" ? /s03_three\/loop\.ts still holds conflict markers.*npm run carry s03/ : /s02_two\/loop\.ts still holds conflict markers.*npm run carry s02/;
    await expect(carry(id)).rejects.toThrow(said);
    expect(read("s02_two/loop.ts")).toBe(before["s02_two/loop.ts"]);
  });

  test("resolved, it goes on from the lesson that was named, with all files", async () => {
    await conflict();
    resolve();
    const { status, files } = await carry("s02");
    expect(files).toEqual([expect.stringMatching(/^CONFLICT +s03_three\/loop\.ts/), "copied    s03_three/messages.ts"]);
    expect(status).toBe(1);
    const text = read("s03_three/loop.ts").replace(/<{7} [^]*?>{7} .*\n/g, "  const answer = provider.complete([...transcript]);\n");
    toy.write({ "s03_three/loop.ts": text });
    const done = everything();
    for (const id of ["s02", "s01", "s03", "s01"]) expect((await carry(id)).status).toBe(0);
    expect(everything()).toEqual(done);
  });

  test("resolved and started again from the first lesson, the conflict does not come back", async () => {
    await conflict();
    resolve();
    const second = read("s02_two/loop.ts");
    const { files } = await carry("s01");
    expect(files).toEqual([
      "already   s02_two/loop.ts",
      "already   s02_two/messages.ts",
      expect.stringMatching(/^CONFLICT +s03_three\/loop\.ts/),
      "copied    s03_three/messages.ts",
    ]);
    expect(read("s02_two/loop.ts")).toBe(second);
  });

  test("a lesson that keeps its own version shields the later ones", async () => {
    await conflict();
    git("restore", "s02_two/loop.ts");
    expect((await carry("s02")).files).toEqual(["copied    s03_three/messages.ts"]);
  });

  test("the way on names the commit that was given", async () => {
    const { err } = await conflict("from", "HEAD");
    expect(err).toContain("npm run carry s02 from HEAD\n");
  });

  test("a file that s01 deleted and s02 changed is left for a person", async () => {
    committed();
    toy.write({ "s01_one/loop.ts": undefined });
    const before = read("s02_two/loop.ts");
    const { status, files, err } = await carry("s01");
    expect(status).toBe(1);
    expect(files).toEqual([expect.stringMatching(/^CONFLICT +s02_two\/loop\.ts +\(s01 deleted it.*delete it, or keep it\)/)]);
    expect(err).toContain("npm run carry s02");
    expect(read("s02_two/loop.ts")).toBe(before);
    toy.write({ "s02_two/loop.ts": undefined });
    expect((await carry("s02")).files).toEqual([expect.stringMatching(/^CONFLICT +s03_three\/loop\.ts/)]);
  });

  test("two lessons that add a file of the same name", async () => {
    committed();
    toy.write({ "s01_one/tools.ts": "export const tools = 1;\n" });
    expect((await carry("s01")).files).toEqual([expect.stringMatching(/^CONFLICT +s02_two\/tools\.ts/)]);
    expect(read("s02_two/tools.ts")).toMatch(/<{7}[^]*class ToolBox[^]*const tools = 1/);
  });
});

describe.skipIf(!hasGit())("carry: again and again", () => {
  test("a second run changes nothing", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    replace("s01_one/loop.ts", "/** Who answers. */", "/** Who answers, and how. */");
    await carry("s01");
    const done = everything();
    const { status, files } = await carry("s01");
    expect(status).toBe(0);
    expect(files.every((line) => line.startsWith("already"))).toBe(true);
    expect(files).toHaveLength(4);
    expect(everything()).toEqual(done);
  });

  test("changed, carried, changed again on the same line, carried again", async () => {
    committed();
    for (const word of ["one", "two", "three"]) {
      toy.write({
        "s01_one/messages.ts": read("s01_one/messages.ts").replace(/What .* said/, `What ${word} said`),
        "s01_one/loop.ts": read("s01_one/loop.ts").replace(/Who answers.*\./, `Who answers ${word}.`),
      });
      const { status, files } = await carry("s01");
      expect(status).toBe(0);
      expect(files.map((line) => line.split(" ")[0])).toEqual(["merged", "copied", "merged", "copied"]);
      expect(read("s03_three/messages.ts")).toBe(read("s01_one/messages.ts"));
      expect(read("s03_three/loop.ts")).toContain(`Who answers ${word}.`);
    }
  });

  test("taken back in the first lesson, it is taken back everywhere", async () => {
    committed();
    const before = everything();
    replace("s01_one/messages.ts", "What is said", "What was said");
    replace("s01_one/loop.ts", "/** Who answers. */", "/** Who answers, and how. */");
    await carry("s01");
    git("restore", "s01_one");
    await carry("s01");
    expect(everything()).toEqual(before);
  });

  test("a later lesson that was put back gets the change again", async () => {
    committed();
    replace("s01_one/loop.ts", "/** Who answers. */", "/** Who answers, and how. */");
    await carry("s01");
    const done = everything();
    git("restore", "s02_two", "s03_three");
    expect((await carry("s01")).files).toEqual(["merged    s02_two/loop.ts", "merged    s03_three/loop.ts"]);
    expect(everything()).toEqual(done);
  });

  test("a later lesson that was put back, and then changed in another place, gets the change again", async () => {
    committed();
    replace("s01_one/loop.ts", "/** Who answers. */", "/** Who answers, and how. */");
    await carry("s01");
    git("restore", "s02_two", "s03_three");
    replace("s02_two/loop.ts", "return transcript;", "return [...transcript];");
    expect((await carry("s01")).files).toEqual(["merged    s02_two/loop.ts", "merged    s03_three/loop.ts"]);
    expect(read("s02_two/loop.ts")).toMatch(/and how[^]*return \[\.\.\.transcript\];/);
    expect(read("s03_three/loop.ts")).toContain("and how");
  });

  test("after a commit the memory is void: the committed files are the base", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What one said");
    await carry("s01");
    commit();
    replace("s01_one/messages.ts", "What one said", "What two said");
    expect((await carry("s01")).files).toEqual(["copied    s02_two/messages.ts", "copied    s03_three/messages.ts"]);
    for (const folder of ["s01_one", "s02_two", "s03_three"]) replace(`${folder}/messages.ts`, "What two said", "What three said");
    commit();
    expect((await carry("s01")).files).toEqual([]);
    replace("s01_one/messages.ts", "What three said", "What four said");
    expect((await carry("s01")).files).toEqual(["copied    s02_two/messages.ts", "copied    s03_three/messages.ts"]);
  });

  test("a lesson that is in no commit yet takes part, but cannot be the first", async () => {
    toy = toyCourse();
    git("init", "--quiet");
    git("add", "s01_one");
    git("commit", "--quiet", "--message", "toy");
    replace("s01_one/loop.ts", "/** Who answers. */", "/** Who answers, and how. */");
    for (const action of ["merged", "already"]) {
      const { status, files } = await carry("s01");
      expect(status).toBe(0);
      expect(files.map((line) => line.split(" ")[0])).toEqual([action, action]);
    }
    expect(read("s03_three/loop.ts")).toContain("and how");
    await expect(carry("s02")).rejects.toThrow(/s02_two is not in HEAD.*commit it first/);
  });

  test("a memory that cannot be read counts as empty", async () => {
    committed();
    replace("s01_one/messages.ts", "What is said", "What was said");
    toy.write({ ".git/course-carry.json": "{ broken" });
    expect((await carry("s01")).files).toHaveLength(2);
  });
});
