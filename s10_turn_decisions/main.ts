/** The demo of s10: the natural course, an end after a tool turn, a "continue" without a condition, and a vote. */

import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace } from "../shared/trace.ts";
import { createEvents } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState } from "./messages.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: { said: "the tool said: ", thought: "one more thought", saved: "saved", hint: "you may stop now" },
  zh: { said: "工具结果是：", thought: "再补充一点", saved: "已保存", hint: "可以停了" },
};

/** The model's last answer: it repeats the last result it was sent. */
const repeatResult = (said: string) => (request: ProviderRequest) =>
  say(`${said}${request.messages.findLast((message) => message.role === "toolResult")?.content}`);

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s10",
  cases: {
    normal: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResult(words[language].said)],
      outcome: "stop",
    },
    end: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: () => [ask(call("c1", "echo", { text: "hi" }))],
      outcome: "ended",
    },
    continue: {
      user: { en: "think", zh: "想一想" },
      script: (language) => ({ forever: say(words[language].thought) }),
      outcome: "turn_limit",
    },
    vote: {
      user: { en: "repeat hi and save, then save twice", zh: "复读 hi 并保存，然后再保存两次" },
      script: () => [ask(call("c1", "echo", { text: "hi" }), call("c2", "save")), ask(call("c3", "save"), call("c4", "save"))],
      outcome: "terminated",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const text = words[language];
    const state = createState({ turnLimit: 3 });
    const effects = { echo: 0, save: 0 };
    const registry = new ToolRegistry();
    const echoSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
    registry.register({ name: "echo", description: "repeats a text", parameters: echoSchema }, (args) => {
      effects.echo++;
      return String(args.text);
    });
    registry.register({ name: "save", description: "saves, and wants the run to end", parameters: { type: "object" } }, () => {
      effects.save++;
      return { content: text.saved, terminate: true };
    });

    const trace = createTrace(output);
    const events = createEvents();
    events.subscribe(trace.listener);
    let requests = 0;
    const counted: Provider = {
      stream(request) {
        trace.log(`[request ${++requests}] sent ${request.messages.length}`);
        return provider.stream(request);
      },
    };

    const decisions: Record<string, { action: "end" | "continue" }> = { end: { action: "end" }, continue: { action: "continue" } };
    const hooks: LoopHooks = {
      finishTurn({ toolResults }) {
        const decision = decisions[caseName];
        trace.log(`[finishTurn] tool results ${toolResults.length} -> ${decision?.action ?? "no decision"}`);
        return decision;
      },
      prepareNextTurn() {
        trace.log("[prepareNextTurn]");
        return caseName === "normal" ? { messages: [{ role: "user", content: text.hint }] } : undefined;
      },
    };
    const result = await runEventedToolLoop({ state, provider: counted, registry, hooks, userInput: user, events });
    return { ...result, messages: state.messages, effects };
  },
};

export default demo;
await startDemo(import.meta.url, demo);
