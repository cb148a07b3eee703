import { describe, expect, test } from "vitest";
import type { Demo } from "./demo.ts";
import { say, type FakeEvent } from "./fake-provider.ts";
import type { WireRequest } from "./history.ts";
import { memoryIo, UsageError } from "./io.ts";
import { choose, runDemo, type AnyDemo } from "./run-lesson.ts";

const demo: Demo<WireRequest, FakeEvent> = {
  lesson: "s01",
  cases: {
    normal: { user: { en: "hi", zh: "你好" }, script: () => [say("hello")], outcome: "stop" },
    broken: { user: { en: "hi", zh: "你好" }, script: () => [say("hello"), say("never asked for")], outcome: "error" },
    refused: { user: { en: "hi", zh: "你好" }, script: () => [], outcome: "error" },
  },
  async run({ user, caseName, provider, output }) {
    const messages = [{ role: "user", content: user }];
    let outcome = "stop";
    try {
      for await (const event of provider.stream({ messages })) if (event.type === "text_delta") output.log(event.delta);
    } catch {
      outcome = "error";
    }
    return { outcome, messages: [...messages, { role: "assistant", content: `ran ${caseName}`, stopReason: outcome }] };
  },
};

const valid = 's01 takes a case (normal, broken, refused), a language (en, zh), or play [--say "text"]';

describe("the words of the command line", () => {
  test.each<[string[], object]>([
    [[], { caseName: "normal", language: "en", play: false }],
    [["refused", "zh"], { caseName: "refused", language: "zh", play: false }],
    [["zh", "refused"], { caseName: "refused", language: "zh", play: false }],
    [["--case", "refused", "--lang", "zh"], { caseName: "refused", language: "zh", play: false }],
    [["--case=refused"], { caseName: "refused", language: "en", play: false }],
    [["refused", "--case", "refused"], { caseName: "refused", language: "en", play: false }],
    [["play"], { caseName: "normal", language: "en", play: true }],
    [["Refused", "ZH"], { caseName: "refused", language: "zh", play: false }],
    [["--case=REFUSED", "refused", "--lang", "Zh", "Play"], { caseName: "refused", language: "zh", play: true }],
    [["play", "--say", "help"], { caseName: "normal", language: "en", play: true, say: "help" }],
    [["--play", "refused", "--say", "do it"], { caseName: "refused", language: "en", play: true, say: "do it" }],
  ])("%j", (args, choice) => {
    expect(choose(demo as unknown as AnyDemo, args, memoryIo())).toEqual(choice);
  });

  test("the language of the environment is the last resort", () => {
    expect(choose(demo as unknown as AnyDemo, [], memoryIo({ env: { LANG: "zh_CN.UTF-8" } })).language).toBe("zh");
    expect(choose(demo as unknown as AnyDemo, ["en"], memoryIo({ env: { LANG: "zh_CN.UTF-8" } })).language).toBe("en");
  });

  test.each<[string[], string]>([
    [["nonsense"], `unknown word "nonsense"; ${valid}`],
    [["--case", "nonsense"], `unknown word "nonsense"; ${valid}`],
    [["--lang", "de"], `unknown language "de"; ${valid}`],
    [["--colour"], `--colour is not understood; ${valid}`],
    [["-x"], `-x is not understood; ${valid}`],
    [["--case"], `--case needs a value; ${valid}`],
    [["--case", "--lang", "zh"], `--case needs a value; ${valid}`],
    [["--case="], `--case needs a value; ${valid}`],
    [["--lang"], `--lang needs a value; ${valid}`],
    [["play", "--say"], `--say needs a value; ${valid}`],
    [["--play=yes"], `--play takes no value; ${valid}`],
    [["--help=yes"], `--help takes no value; ${valid}`],
    [["Nonsense"], `unknown word "Nonsense"; ${valid}`],
    [["normal", "refused"], `one case at a time, not normal and refused; ${valid}`],
    [["en", "zh"], `one language at a time, not en and zh; ${valid}`],
    [["--say", "hi"], `--say is what the user says in play; ${valid}`],
    [["toString"], `unknown word "toString"; ${valid}`],
    [[""], `unknown word ""; ${valid}`],
    [["a\nb"], `unknown word "a\\nb"; ${valid}`],
  ])("%j is one line that lists what is valid", (args, message) => {
    expect(() => choose(demo as unknown as AnyDemo, args, memoryIo())).toThrow(new UsageError(message));
  });
});

test.each([[["help"]], [["HELP"]], [["--help"]], [["-h"]], [["zh", "help"]]])("%j prints what is valid, and runs nothing", async (words) => {
  const io = memoryIo();
  expect(await runDemo(demo, words, io)).toBe(0);
  expect([io.out(), io.err()]).toEqual([`${valid}\n`, ""]);
});

describe("a case", () => {
  test("prints the frame around what happens", async () => {
    const io = memoryIo();
    expect(await runDemo(demo, [], io)).toBe(0);
    expect(io.out()).toBe("s01: Basic Loop\n\n[user]\nhi\n\nhello\n\n[assistant]\ncontent: ran normal\nstopReason: stop\n");
    expect(io.err()).toBe("");
  });

  test("that leaves answers over, or ends otherwise than it promises, fails", async () => {
    const io = memoryIo();
    expect(await runDemo(demo, ["broken"], io)).toBe(1);
    expect(io.err()).toBe("s01 broken: scripted answers that nobody asked for: 1\ns01 broken: the case promises outcome error, it ended with stop\n");
  });

  test("with a refused request fails although it ended as it promises", async () => {
    const io = memoryIo();
    expect(await runDemo(demo, ["refused"], io)).toBe(1);
    expect(io.out()).toContain("outcome: error\n");
    expect(io.err()).toBe("s01 refused: request 1 refused, only 0 answers are scripted\n");
  });
});
