/** The demo of s06: a plain tool turn, and a tool that changes the model and the tools while its turn is running. */

import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { runEventedToolLoop } from "./loop.ts";
import { createState } from "./messages.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: { said: "the tool said: ", upgraded: "from now on: large, with reverse and without echo" },
  zh: { said: "工具结果是：", upgraded: "从现在起：换成 large，多了 reverse，没有 echo 了" },
};

/** The model's last answer: it repeats the last result it was sent. */
const repeatResult = (said: string) => (request: ProviderRequest) => say(`${said}${request.messages.at(-1)?.content}`);

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s06",
  cases: {
    normal: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    drift: {
      user: { en: "upgrade, then turn hi around", zh: "先升级，再把 hi 反过来" },
      script: (language) => [
        ask(call("c1", "upgrade"), call("c2", "reverse", { text: "hi" }), call("c3", "echo", { text: "hi" })),
        ask(call("c4", "reverse", { text: "hi" })),
        repeatResult(words[language].said),
      ],
      outcome: "stop",
    },
  },
  async run({ user, language, provider, output }) {
    const state = createState({ model: "small", turnLimit: 5 });
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "repeats a text" }, textOf);
    registry.register({ name: "upgrade", description: "changes the model and the tools" }, () => {
      state.model = "large";
      registry.unregister("echo");
      registry.unregister("upgrade");
      registry.register({ name: "reverse", description: "turns a text around" }, (args) => [...textOf(args)].reverse().join(""));
      return words[language].upgraded;
    });
    const shown: Provider = {
      stream(request) {
        output.log(`request: model ${request.model}, tools ${request.tools.map((tool) => tool.name).join(", ")}`);
        return provider.stream(request);
      },
    };
    const { outcome } = await runEventedToolLoop({ state, provider: shown, registry, hooks: {}, userInput: user, output });
    return { outcome, messages: state.messages };
  },
};

function textOf(args: unknown): string {
  if (typeof args === "object" && args !== null && "text" in args && typeof args.text === "string") return args.text;
  throw new Error('give a text: {"text": "hi"}');
}

export default demo;
await startDemo(import.meta.url, demo);
