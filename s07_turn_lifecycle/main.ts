/** The demo of s07: a whole tool turn, an answer cut with a call in it, an audit, and a subscriber that is broken. */

import type { Demo } from "../shared/demo.ts";
import { ask, call, messageStart, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace, oneLine } from "../shared/trace.ts";
import { createAudit } from "./audit.ts";
import { createEvents } from "./events.ts";
import type { ToolHooks } from "./execute.ts";
import { runEventedToolLoop } from "./loop.ts";
import { createState, messageOf } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: { said: "the tool said: ", disabled: "this tool is disabled in the demo", broken: "the screen is gone" },
  zh: { said: "工具结果是：", disabled: "这个工具在演示里被禁用", broken: "屏幕不见了" },
};

/** The model's last answer: it repeats the last result it was sent. */
const repeatResult = (said: string) => (request: ProviderRequest) => say(`${said}${request.messages.at(-1)?.content}`);

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s07",
  cases: {
    normal: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    truncated: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [
        [messageStart, call("c1", "echo", { text: "h" }), { type: "message_end", stopReason: "length" }],
        ask(call("c2", "echo", { text: "hi" })),
        repeatResult(words[language].said),
      ],
      outcome: "stop",
    },
    audit: {
      user: { en: "repeat hi, then call the dangerous tool", zh: "复读一下 hi，再调用危险工具" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" }), call("c2", "dangerous")), repeatResult(words[language].said)],
      outcome: "stop",
    },
    "listener-throws": {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const state = createState({ turnLimit: 5 });
    const effects = { echo: 0, dangerous: 0 };
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "repeats a text" }, (args) => {
      effects.echo++;
      return textOf(args);
    });
    registry.register({ name: "dangerous", description: "does something dangerous" }, () => {
      effects.dangerous++;
      return "";
    });

    const trace = createTrace(output);
    const events = createEvents((error, event) => trace.log(`[subscriber] failed at ${event.type}: ${messageOf(error)}`));
    if (caseName === "listener-throws") {
      events.subscribe(() => {
        throw new Error(words[language].broken);
      });
    }
    events.subscribe(trace.listener);
    let ticks = 0;
    if (caseName === "audit") {
      events.subscribe(
        createAudit({
          now: () => ++ticks,
          write: ({ at, toolCallId, tool, outcome, args }) => trace.log(`[audit] ${at} ${toolCallId} ${tool} ${outcome} {${args}}`),
          onLost: (error) => trace.log(`[audit] lost: ${messageOf(error)}`),
        }),
      );
    }

    const hooks: ToolHooks = {
      beforeToolCall({ name }) {
        if (name !== "dangerous") {
          trace.log(`[beforeToolCall] allow: ${oneLine(name)}`);
          return { type: "allow" };
        }
        trace.log(`[beforeToolCall] block: ${name}, ${words[language].disabled}`);
        return { type: "block", reason: words[language].disabled };
      },
    };
    const { outcome } = await runEventedToolLoop({ state, provider, registry, hooks, userInput: user, events });
    return { outcome, messages: state.messages, effects };
  },
};

function textOf(args: unknown): string {
  if (typeof args === "object" && args !== null && "text" in args && typeof args.text === "string") return args.text;
  throw new Error('give a text: {"text": "hi"}');
}

export default demo;
await startDemo(import.meta.url, demo);
