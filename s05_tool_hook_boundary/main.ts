/** The demo of s05: an allowed call, a blocked call, and a gate that is broken. */

import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { oneLine } from "../shared/trace.ts";
import type { ToolHooks } from "./execute.ts";
import { runEventedToolLoop } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: {
    said: "the tool said: ",
    never: "this must not run",
    disabled: "this tool is disabled in the demo",
    broken: "the list of rules is not there",
  },
  zh: {
    said: "工具结果是：",
    never: "不该执行到这里",
    disabled: "这个工具在演示里被禁用",
    broken: "找不到规则表",
  },
};

/** The model's second answer: it repeats the last result it was sent. */
const repeatResult = (said: string) => (request: ProviderRequest) => say(`${said}${request.messages.at(-1)?.content}`);

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s05",
  cases: {
    normal: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    blocked: {
      user: { en: "call the dangerous tool", zh: "调用危险工具" },
      script: (language) => [ask(call("c1", "dangerous")), repeatResult(words[language].said)],
      outcome: "stop",
    },
    throws: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const state = createState({ turnLimit: 3 });
    const registry = new ToolRegistry();
    const effects = { echo: 0, dangerous: 0 };
    registry.register({ name: "echo", description: "repeats a text" }, (args) => {
      effects.echo++;
      return textOf(args);
    });
    registry.register({ name: "dangerous", description: "does something dangerous" }, () => {
      effects.dangerous++;
      return words[language].never;
    });
    const hooks: ToolHooks = {
      beforeToolCall({ name }) {
        output.log("[beforeToolCall]");
        if (caseName === "throws") throw new Error(words[language].broken);
        const allowed = name !== "dangerous";
        output.log(`${allowed ? "allow" : "block"}: ${oneLine(name)}`);
        return allowed ? { type: "allow" } : { type: "block", reason: words[language].disabled };
      },
      afterToolCall({ name }, result) {
        output.log("[afterToolCall]");
        output.log(`${oneLine(name)} -> ${oneLine(result)}`);
        return `checked: ${result}`;
      },
    };
    const { outcome } = await runEventedToolLoop(state, provider, registry, hooks, user, output);
    return { outcome, messages: state.messages, effects };
  },
};

function textOf(args: unknown): string {
  if (typeof args === "object" && args !== null && "text" in args && typeof args.text === "string") return args.text;
  throw new Error('give a text: {"text": "hi"}');
}

export default demo;
await startDemo(import.meta.url, demo);
