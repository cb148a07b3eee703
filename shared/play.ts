/** `play`: the person is the model. A provider that shows each request and reads its answer from the keyboard or a pipe. */

import type { Language, Text } from "./course.ts";
import type { SideWord } from "./demo.ts";
import { delta, messageStart, type FakeEvent } from "./fake-provider.ts";
import { refusalOf, type WireRequest } from "./history.ts";
import type { Io } from "./io.ts";
import { typedLines, type TypedLines } from "./typed-lines.ts";
import { oneLine, printer, type Output } from "./trace.ts";

export type PlayProvider = {
  /**
   * Shows the request, then answers with what is typed until `end` or `cut`.
   * @throws Error when the history breaks a rule of history.ts; its stream throws when the input is over.
   */
  stream(request: WireRequest, signal?: AbortSignal): AsyncGenerator<FakeEvent>;
  /**
   * Lets the person type `words` while the harness is at work, until `go` or the end of the input. A mistyped line gets one
   * line of help and another try.
   */
  listen(words: readonly SideWord[]): Promise<void>;
  /** How many requests were shown. */
  readonly requests: number;
  /** Why requests were refused, as with the fake provider. */
  readonly refusals: string[];
  /** Lets go of the input. Call it when the run is over, or an open pipe keeps the process alive. */
  close(): Promise<void>;
};

/** What a typed word may look at. */
type Answer = {
  request: WireRequest;
  /** True when this answer already asked for a tool. */
  asked: boolean;
  /** A call id that this session has not used. */
  newId(): string;
};

/** An event for the harness, a sentence about a mistake, or lines to show. */
type Reading = { event: FakeEvent } | { wrong: Text } | { show: Text[] };

type Word = {
  name: string;
  usage: Text;
  help: Text;
  /** Whether the word means anything for this request; without it, always. */
  offered?(request: WireRequest): boolean;
  read(rest: string, answer: Answer): Reading;
};

/** Every word that can be typed. A lesson that needs another one adds a row. */
const words: readonly Word[] = [
  {
    name: "say",
    usage: same("say <text>"),
    help: { en: "one piece of the answer's text", zh: "回答里的一段文字" },
    read: (rest) =>
      rest === "" ? wrong("say needs a text: say <text>", "say 后面要有文字：say <text>") : event(delta(rest)),
  },
  {
    name: "call",
    usage: same("call <tool> {json}"),
    help: {
      en: "ask for a tool, any name; no {json} means {}",
      zh: "请求一个工具，名字随意；不写 {json} 就是 {}",
    },
    offered: (request) => request.tools !== undefined,
    read: readCall,
  },
  {
    name: "end",
    usage: same("end"),
    help: {
      en: "the answer is complete (stop, or toolUse after a call)",
      zh: "回答完整了（stop，有过 call 则是 toolUse）",
    },
    read: (_, answer) => event({ type: "message_end", stopReason: answer.asked ? "toolUse" : "stop" }),
  },
  {
    name: "cut",
    usage: same("cut"),
    help: {
      en: "the answer is cut off at the token limit (length)",
      zh: "回答在 token 上限处被截断（length）",
    },
    read: () => event({ type: "message_end", stopReason: "length" }),
  },
  {
    name: "help",
    usage: same("help"),
    help: { en: "show this list", zh: "显示这张表" },
    read: (_, { request }) => ({ show: offered(request).map(helpLine) }),
  },
];

const texts = {
  request: { en: "request", zh: "请求" },
  model: { en: "model", zh: "模型" },
  tool: { en: "tool", zh: "工具" },
  call: { en: "call", zh: "调用" },
  noText: { en: "(no text)", zh: "（没有文字）" },
  youAre: { en: "You are the model. Type: ", zh: "现在你就是模型。可以输入：" },
  overEarly: {
    en: "the provider broke off: the input ended before `end` or `cut`",
    zh: "provider 中途断开：还没有输入 end 或 cut，输入就结束了",
  },
  meanwhile: { en: "A tool is at work. Type: ", zh: "工具正在执行。可以输入：" },
  go: { en: "let the tool go on", zh: "让工具继续" },
  unread: { en: "typed after the run was over, not read: ", zh: "运行已经结束，后面的输入没有读取：" },
} satisfies Record<string, Text>;

const prompt = "model> ";
const sidePrompt = "meanwhile> ";

/** Reads from `io.stdin` only when the first answer is needed. What is typed is shared by all requests of a run. */
export function playProvider(io: Io, language: Language): PlayProvider {
  const output = printer(io);
  const lines = typedLines(io, prompt);
  const refusals: string[] = [];
  let requests = 0;
  let calls = 0;
  let hint = "";

  function stream(request: WireRequest, signal?: AbortSignal): AsyncGenerator<FakeEvent> {
    requests++;
    showRequest(output, language, requests, request);
    const refusal = refusalOf(request.messages);
    if (refusal) {
      const reason = `request ${requests} refused, ${refusal}`;
      refusals.push(reason);
      output.log(reason);
      throw new Error(reason);
    }
    return answer({ request, asked: false, newId: () => `c${++calls}` }, signal);
  }

  async function* answer(given: Answer, signal: AbortSignal | undefined): AsyncGenerator<FakeEvent> {
    giveHint(given.request);
    yield messageStart;
    for (;;) {
      signal?.throwIfAborted();
      const line = await lines.next();
      if (line === undefined) throw new Error(texts.overEarly[language]);
      const reading = readLine(line, given);
      if ("wrong" in reading) output.log(`? ${oneLine(reading.wrong[language])}`);
      if ("show" in reading) reading.show.forEach((text) => output.log(`  ${text[language]}`));
      if (!("event" in reading)) continue;
      given.asked ||= reading.event.type === "tool_call";
      yield reading.event;
      if (reading.event.type === "message_end") return;
    }
  }

  /** The words are named before the first answer, and again when they are others than before. */
  function giveHint(request: WireRequest): void {
    const now = usages(request, language, " | ");
    if (now !== hint) output.log(`${texts.youAre[language]}${now}`);
    hint = now;
  }

  async function listen(given: readonly SideWord[]): Promise<void> {
    const known = [...given, { name: "go", usage: "go", help: texts.go, act: () => {} }];
    output.log(`${texts.meanwhile[language]}${known.map((word) => word.usage).join(" | ")}`);
    for (;;) {
      const line = await lines.next(sidePrompt);
      const [, name = "", rest = ""] = /^\s*(\S+)(?:\s(.*))?$/su.exec(line ?? "go") ?? [];
      const word = known.find((each) => each.name === name.toLowerCase());
      if (word?.name === "go") return;
      if (word && (rest !== "" || !word.usage.includes("<"))) {
        word.act(rest);
        if (word.last) return;
      } else output.log(`? ${known.map(({ usage, help }) => `${usage}: ${help[language]}`).join(" | ")}`);
    }
  }

  async function close(): Promise<void> {
    const unread = await lines.close();
    if (unread.length > 0) io.stderr.write(`${texts.unread[language]}${unread.map(oneLine).join(" | ")}\n`);
  }

  return {
    stream,
    refusals,
    listen,
    close,
    get requests() {
      return requests;
    },
  };
}

function readLine(line: string, answer: Answer): Reading {
  const [, name = "", rest = ""] = /^\s*(\S+)(?:\s(.*))?$/su.exec(line) ?? [];
  const word = offered(answer.request).find((each) => each.name === name.toLowerCase());
  if (word) return word.read(rest, answer);
  const list = (language: Language) => usages(answer.request, language, ", ");
  return wrong(
    `unknown word "${name}"; words: ${list("en")}`,
    `没有 "${name}" 这个词；可以输入：${list("zh")}`,
  );
}

function readCall(rest: string, answer: Answer): Reading {
  const [, name, json = ""] = /^\s*(\S+)\s*(.*)$/su.exec(rest) ?? [];
  if (name === undefined)
    return wrong("call needs a tool: call <tool> {json}", "call 后面要有工具名：call <tool> {json}");
  try {
    const args: unknown = json === "" ? {} : JSON.parse(json);
    return event({ type: "tool_call", call: { id: answer.newId(), name, args } });
  } catch {
    return wrong(
      `not JSON: ${json}; for example: call ${name} {"text":"hi"}`,
      `不是 JSON：${json}；例如：call ${name} {"text":"hi"}`,
    );
  }
}

function showRequest(output: Output, language: Language, number: number, request: WireRequest): void {
  const show = (line: string) => output.log(`  ${line}`);
  if (number > 1) output.log("");
  output.log(`[${texts.request[language]} ${number}]`);
  if (request.model !== undefined) show(`${texts.model[language]}: ${oneLine(request.model)}`);
  for (const { name, description, ...rest } of request.tools ?? []) {
    const more = Object.keys(rest).length === 0 ? "" : ` ${JSON.stringify(rest)}`;
    show(`${texts.tool[language]}: ${oneLine(`${name} - ${description}${more}`)}`);
  }
  for (const message of request.messages) {
    const id = message.toolCallId === undefined ? "" : ` ${message.toolCallId}`;
    show(oneLine(`${message.role}${id}: ${message.content || texts.noText[language]}`));
    for (const call of message.toolCalls ?? []) {
      show(oneLine(`  ${texts.call[language]} ${call.id}: ${call.name} ${JSON.stringify(call.args)}`));
    }
  }
}

function offered(request: WireRequest): Word[] {
  return words.filter((word) => word.offered?.(request) ?? true);
}

function usages(request: WireRequest, language: Language, between: string): string {
  return offered(request)
    .map((word) => word.usage[language])
    .join(between);
}

function helpLine(word: Word): Text {
  const line = (language: Language) => `${word.usage[language].padEnd(20)}${word.help[language]}`;
  return { en: line("en"), zh: line("zh") };
}

function event(given: FakeEvent): Reading {
  return { event: given };
}

function wrong(en: string, zh: string): Reading {
  return { wrong: { en, zh } };
}

function same(text: string): Text {
  return { en: text, zh: text };
}
