/** The demo of s08: what is sent against what is kept, how long a change lasts, and a hook that throws before a request. */

import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace } from "../shared/trace.ts";
import { createEvents } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState, type Message } from "./messages.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: {
    said: "the tool said: ",
    counted: (count: number) => `I was sent ${count} message.`,
    earlier: "a long story about the weather, which nobody needs any more",
    hint: "answer in one word",
    again: "and once more",
    broken: "the price list is not there",
    last: "done",
  },
  zh: {
    said: "工具结果是：",
    counted: (count: number) => `我收到了 ${count} 条消息。`,
    earlier: "一大段关于天气的闲聊，现在已经没人需要了",
    hint: "只用一个词回答",
    again: "再来一次",
    broken: "价目表不见了",
    last: "好了",
  },
};

/** The model's last answer: it repeats the last result it was sent. */
const repeatResult = (said: string) => (request: ProviderRequest) => say(`${said}${request.messages.at(-1)?.content}`);

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s08",
  cases: {
    normal: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    trim: {
      user: { en: "how many messages were you sent?", zh: "你收到了几条消息？" },
      script: (language) => [(request) => say(words[language].counted(request.messages.length))],
      outcome: "stop",
    },
    "swap-model": {
      user: { en: "repeat hi twice", zh: "复读 hi 两遍" },
      script: (language) => [
        ask(call("c1", "echo", { text: "hi" })),
        ask(call("c2", "echo", { text: "hi" })),
        say(words[language].last),
        say(words[language].last),
      ],
      outcome: "stop",
    },
    throws: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: () => [],
      outcome: "error",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const text = words[language];
    const earlier: Message[] = caseName === "trim" ? [{ role: "user", content: text.earlier }] : [];
    const state = createState({ model: "small", messages: earlier, turnLimit: 5 });
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "repeats a text" }, textOf);

    const trace = createTrace(output);
    const events = createEvents();
    events.subscribe(trace.listener);
    let requests = 0;
    const shown: Provider = {
      stream(request) {
        trace.log(`[request ${++requests}] ${request.model}, thinking ${request.thinkingLevel}: sent ${request.messages.length}, kept ${state.messages.length}`);
        return provider.stream(request);
      },
    };

    const note = (line: string) => trace.log(line);
    const stages: Record<string, LoopHooks> = {
      normal: {
        prepareRequest: () => void note("[prepareRequest] nothing to change"),
        transformContext: (messages) => (note("[transformContext] nothing to change"), messages),
        getApiKey: (model) => (note(`[getApiKey] for ${model}`), "demo-key"),
      },
      trim: {
        transformContext(messages) {
          const rest = messages.slice(-1);
          note(`[transformContext] ${messages.length} messages, ${size(messages)} characters -> ${rest.length}, ${size(rest)}`);
          return rest;
        },
      },
      "swap-model": {
        prepareRequest({ model }) {
          if (requests !== 1) return undefined;
          note(`[prepareRequest] ${model} -> large, thinking high`);
          return { model: "large", thinkingLevel: "high" };
        },
        transformContext(messages) {
          if (requests !== 1) return messages;
          note("[transformContext] one message more");
          return [...messages, { role: "user", content: text.hint }];
        },
      },
      throws: {
        prepareRequest() {
          note("[prepareRequest] throws");
          throw new Error(text.broken);
        },
      },
    };
    const run = (userInput: string) =>
      runEventedToolLoop({ state, provider: shown, registry, hooks: stages[caseName] ?? {}, userInput, events });
    let { outcome } = await run(user);
    if (caseName === "swap-model" && outcome === "stop") ({ outcome } = await run(text.again));
    return { outcome, messages: state.messages };
  },
};

function size(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + message.content.length, 0);
}

function textOf(args: unknown): string {
  if (typeof args === "object" && args !== null && "text" in args && typeof args.text === "string") return args.text;
  throw new Error('give a text: {"text": "hi"}');
}

export default demo;
await startDemo(import.meta.url, demo);
