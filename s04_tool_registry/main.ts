/** The demo of s04: a tool that answers, a tool that does not exist, a tool that throws, and a model that never stops asking. */

import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { runEventedToolLoop } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: { said: "the tool said: ", full: "the disk is full" },
  zh: { said: "工具结果是：", full: "磁盘已满" },
};

/** The model's second answer: it repeats the last result it was sent. */
const repeatResult = (said: string) => (request: ProviderRequest) => say(`${said}${request.messages.at(-1)?.content}`);

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s04",
  cases: {
    normal: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    unknown: {
      user: { en: "translate hi", zh: "翻译一下 hi" },
      script: (language) => [ask(call("c1", "translate", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    throws: {
      user: { en: "save hi", zh: "保存一下 hi" },
      script: (language) => [ask(call("c1", "save", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    runaway: {
      user: { en: "repeat hi for ever", zh: "一直复读 hi" },
      script: () => ({ forever: ask(call("c1", "echo", { text: "hi" })) }),
      outcome: "turn_limit",
    },
  },
  async run({ user, language, provider, output }) {
    const state = createState({ turnLimit: 3 });
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "repeats a text" }, textOf);
    registry.register({ name: "save", description: "saves a text" }, () => {
      throw new Error(words[language].full);
    });
    const { outcome } = await runEventedToolLoop(state, provider, registry, user, output);
    return { outcome, messages: state.messages };
  },
};

function textOf(args: unknown): string {
  if (typeof args === "object" && args !== null && "text" in args && typeof args.text === "string") return args.text;
  throw new Error('give a text: {"text": "hi"}');
}

export default demo;
await startDemo(import.meta.url, demo);
