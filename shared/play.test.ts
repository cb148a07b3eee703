import { describe, expect, test } from "vitest";
import type { FakeEvent } from "./fake-provider.ts";
import type { WireRequest } from "./history.ts";
import { memoryIo } from "./io.ts";
import { playProvider } from "./play.ts";
import { runLesson } from "./run-lesson.ts";

const bare: WireRequest = { messages: [{ role: "user", content: "hi" }] };
const withTools: WireRequest = {
  ...bare,
  model: "fake-1",
  tools: [{ name: "echo", description: "Repeats its text." }],
};

async function typed(input: string, request: WireRequest = withTools, language: "en" | "zh" = "en") {
  const io = memoryIo({ input });
  const provider = playProvider(io, language);
  const events: FakeEvent[] = [];
  for await (const event of provider.stream(request)) events.push(event);
  await provider.close();
  return { events, provider, out: io.out(), err: io.err() };
}

/** The events between message_start and message_end. */
async function middle(input: string, request?: WireRequest) {
  return (await typed(input, request)).events.slice(1, -1);
}

describe("what is typed becomes events", () => {
  test("say, call, end", async () => {
    const { events } = await typed('say one moment\ncall echo {"text":"hi"}\nend\n');
    expect(events).toEqual([
      { type: "message_start" },
      { type: "text_delta", delta: "one moment" },
      { type: "tool_call", call: { id: "c1", name: "echo", args: { text: "hi" } } },
      { type: "message_end", stopReason: "toolUse" },
    ]);
  });

  test("end without a call is stop, after a call toolUse, cut is length", async () => {
    expect((await typed("call a\nsay b\nend\n")).events.at(-1)).toEqual({
      type: "message_end",
      stopReason: "toolUse",
    });
    expect((await typed("say a\nend\n")).events.at(-1)).toEqual({ type: "message_end", stopReason: "stop" });
    expect((await typed("say a\ncut\n")).events.at(-1)).toEqual({ type: "message_end", stopReason: "length" });
    expect((await typed("call echo\ncut\n")).events.at(-1)).toEqual({
      type: "message_end",
      stopReason: "length",
    });
  });

  test("a call without JSON has empty arguments, and any tool name may be called", async () => {
    expect(await middle("call nowhere\nend\n")).toEqual([
      { type: "tool_call", call: { id: "c1", name: "nowhere", args: {} } },
    ]);
  });

  test("spaces inside a text are kept, one space after the word is not part of it", async () => {
    expect(await middle("say  a  b\nend\n")).toEqual([{ type: "text_delta", delta: " a  b" }]);
  });

  test("F1-07 F1-09: CRLF, a byte order mark, blank lines, capitals, no line break at the end", async () => {
    const { events, out } = await typed("\uFEFFSAY hi\r\n\r\n   \r\nend");
    expect(events.slice(1, -1)).toEqual([{ type: "text_delta", delta: "hi" }]);
    expect(out.endsWith("model> SAY hi\nmodel> end\n")).toBe(true);
  });

  test("F1-08: Chinese and emoji arrive whole", async () => {
    expect(await middle("say 工具结果是 🎉\nend\n")).toEqual([{ type: "text_delta", delta: "工具结果是 🎉" }]);
  });
});

describe("a mistyped line costs one line of help, and may be typed again", () => {
  test.each([
    ["sya hi", 'unknown word "sya"; words: say <text>, call <tool> {json}, end, cut, help'],
    ["say", "say needs a text"],
    ["call", "call needs a tool"],
    ["call echo {text:hi}", "not JSON: {text:hi}"],
  ])("%s", async (line, complaint) => {
    const { events, out } = await typed(`${line}\nsay hi\nend\n`);
    expect(events.map((event) => event.type)).toEqual(["message_start", "text_delta", "message_end"]);
    const complaints = out.split("\n").filter((each) => each.startsWith("? "));
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain(complaint);
  });

  test("a refused call does not use up an id", async () => {
    expect(await middle("call echo {\ncall echo {}\nend\n")).toMatchObject([{ call: { id: "c1" } }]);
  });

  test("help lists the words with what they do", async () => {
    const { out } = await typed("help\nend\n");
    expect(out).toContain("  cut                 the answer is cut off at the token limit (length)");
  });
});

test("before a lesson has tools, call is neither offered nor accepted", async () => {
  const { events, out } = await typed("call echo {}\nhelp\nsay hi\nend\n", bare);
  expect(events.map((event) => event.type)).toEqual(["message_start", "text_delta", "message_end"]);
  expect(out).toContain('? unknown word "call"; words: say <text>, end, cut, help');
  expect(out).not.toContain("{json}");
});

test("a request with an empty list of tools still takes a call", async () => {
  expect(await middle("call echo\nend\n", { ...bare, tools: [] })).toHaveLength(1);
});

test("the request is shown as it is sent: model, tools, messages with calls and results", async () => {
  const request: WireRequest = {
    model: "fake-1",
    tools: [{ name: "echo", description: "Repeats its text.", ...{ parameters: { type: "object" } } }],
    messages: [
      { role: "user", content: "repeat\nhi" },
      { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "echo", args: { text: "hi" } }] },
      { role: "toolResult", toolCallId: "c1", content: "echo -> hi" },
    ],
  };
  const { out } = await typed("say done\nend\n", request);
  expect(out).toBe(
    [
      "[request 1]",
      "  model: fake-1",
      '  tool: echo - Repeats its text. {"parameters":{"type":"object"}}',
      "  user: repeat\\nhi",
      "  assistant: (no text)",
      '    call c1: echo {"text":"hi"}',
      "  toolResult c1: echo -> hi",
      "You are the model. Type: say <text> | call <tool> {json} | end | cut | help",
      "model> say done",
      "model> end",
      "",
    ].join("\n"),
  );
});

test("in Chinese", async () => {
  const { out } = await typed("sya\nend\n", bare, "zh");
  expect(out).toContain("[请求 1]");
  expect(out).toContain("现在你就是模型。可以输入：say <text> | end | cut | help");
  expect(out).toContain('? 没有 "sya" 这个词；可以输入：say <text>, end, cut, help');
});

describe("over several requests", () => {
  test("the input is read once, ids go on, and the words are named again only when they change", async () => {
    const io = memoryIo({ input: "call a\nend\ncall b\nend\nsay x\nend\n" });
    const provider = playProvider(io, "en");
    const ids: string[] = [];
    for (const request of [withTools, withTools, bare]) {
      for await (const event of provider.stream(request))
        if (event.type === "tool_call") ids.push(event.call.id);
    }
    expect(ids).toEqual(["c1", "c2"]);
    expect(provider.requests).toBe(3);
    expect(io.out().match(/You are the model/g)).toHaveLength(2);
  });

  test("lines that nobody asked for are named when the run is over", async () => {
    const { err } = await typed("say x\nend\nsay too late\n\n");
    expect(err).toBe("typed after the run was over, not read: say too late\n");
    expect((await typed("say x\nend\n\n")).err).toBe("");
  });
});

test("the end of the input is a provider that broke off", async () => {
  await expect(typed("say half\n")).rejects.toThrow("the provider broke off");
  await expect(typed("")).rejects.toThrow("the provider broke off");
  await expect(typed("", bare, "zh")).rejects.toThrow("provider 中途断开");
});

test("a history that an API would refuse is shown, kept and thrown, and nothing is read", () => {
  const io = memoryIo({ input: "say x\nend\n" });
  const provider = playProvider(io, "en");
  expect(() => provider.stream({ messages: [] })).toThrow("request 1 refused, H7");
  expect(provider.refusals).toEqual(["request 1 refused, H7: the request is empty"]);
  expect(io.out()).toContain("request 1 refused, H7");
  expect(io.out()).not.toContain("model>");
});

test("an aborted request asks for nothing more", async () => {
  const io = memoryIo({ input: "say x\nend\n" });
  const controller = new AbortController();
  const stream = playProvider(io, "en").stream(bare, controller.signal);
  await stream.next();
  controller.abort(new Error("enough"));
  await expect(stream.next()).rejects.toThrow("enough");
});

test("a typed control character is written out, so that no typed line can look like a line of the trace", async () => {
  const io = memoryIo({ input: "say a\u001b[2K\rmessage_end: stop\nend\n" });
  for await (const _ of playProvider(io, "en").stream({ messages: [{ role: "user", content: "hi" }] }));
  expect(io.out()).toContain("model> say a\\u001b[2K\\rmessage_end: stop\n");
});

test("where a person types, the typed line is not written a second time", async () => {
  const io = memoryIo({ input: "say hi\nend\n", isTTY: true, env: { NO_COLOR: "1" } });
  for await (const _ of playProvider(io, "en").stream(bare));
  expect(io.out().endsWith("help\nmodel> model> ")).toBe(true);
});

test("nothing is read before the first answer, and leaving early closes the input", async () => {
  const log: string[] = [];
  async function* input() {
    log.push("read");
    try {
      yield "say hi\n";
      yield "end\n";
    } finally {
      log.push("closed");
    }
  }
  const provider = playProvider({ ...memoryIo(), stdin: input() }, "en");
  const stream = provider.stream(bare);
  await stream.next();
  expect(log).toEqual([]);
  await stream.next();
  await provider.close();
  expect(log).toEqual(["read", "closed"]);
});

test("chunks need not end where lines end", async () => {
  async function* input() {
    yield "sa";
    yield "y h";
    yield "i\r";
    yield "\nend";
  }
  const events: FakeEvent[] = [];
  for await (const event of playProvider({ ...memoryIo(), stdin: input() }, "en").stream(bare))
    events.push(event);
  expect(events[1]).toEqual({ type: "text_delta", delta: "hi" });
});

describe("in a lesson", () => {
  const played = async (folder: string, input: string, words: string[] = []) => {
    const io = memoryIo({ input });
    return { status: await runLesson(folder, ["play", "en", ...words], io), out: io.out(), err: io.err() };
  };

  test("the person answers, the harness does the rest, and the input is let go", async () => {
    const { status, out, err } = await played(
      "s05_tool_hook_boundary",
      'call echo {"text":"hi"}\nend\nsay done\nend\nsay more\n',
    );
    expect(status).toBe(0);
    expect(out).toContain('model> call echo {"text":"hi"}\ntool_call: echo\n[beforeToolCall]\nallow: echo\n');
    expect(out).toContain("  toolResult c1: checked: hi\nmessage_start\nmodel> say done\ntext_delta: done\n");
    expect(err).toBe("typed after the run was over, not read: say more\n");
  });

  test("--say is what the user says", async () => {
    const { out } = await played("s02_streaming", "say hello\nend\n", ["--say", "who is there?"]);
    expect(out).toContain("  user: who is there?\n");
  });

  test("a refused request makes the status 1: s02 keeps an empty answer, and sends it", async () => {
    const { status, out } = await played("s02_streaming", "cut\n");
    expect(status).toBe(1);
    expect(out).toContain("request 2 refused, H5");
  });

  test("s01, which has no events, can be played too", async () => {
    const { status, out } = await played("s01_basic_loop", "say half\ncut\nsay rest\nend\n");
    expect(status).toBe(0);
    expect(out).toContain("  assistant: half\n  user: continue\n");
  });
});

describe("typed while the harness is at work", () => {
  const steer = (said: string[]) => ({ name: "steer", usage: "steer <text>", help: { en: "to the run", zh: "说给运行" }, act: (rest: string) => void said.push(rest) });

  test("known words act until go, and the answer goes on with what comes after", async () => {
    const said: string[] = [];
    const provider = playProvider(memoryIo({ input: "steer hurry\nSTEER more\ngo\nsay ok\nend\n" }), "en");
    await provider.listen([steer(said)]);
    expect(said).toEqual(["hurry", "more"]);
    const events: FakeEvent[] = [];
    for await (const event of provider.stream(bare)) events.push(event);
    await provider.close();
    expect(events).toContainEqual({ type: "text_delta", delta: "ok" });
  });

  test.each(["nonsense", "steer"])("%j gets one line of help and another try; the end of the input is a go", async (line) => {
    const said: string[] = [];
    const io = memoryIo({ input: `${line}\nsteer now` });
    const provider = playProvider(io, "en");
    await provider.listen([steer(said)]);
    await provider.close();
    expect(said).toEqual(["now"]);
    expect(io.out().split("\n").filter((each) => each.startsWith("? "))).toEqual(["? steer <text>: to the run | go: let the tool go on"]);
  });
});
