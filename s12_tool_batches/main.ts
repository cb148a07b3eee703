/** The demo of s12: four calls that run together, and the same four when one of their tools wants to be alone. */

import { manualClock, passTime } from "../shared/clock.ts";
import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace } from "../shared/trace.ts";
import { createEvents } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry, type ToolExecutionMode, type ToolHandler } from "./tools.ts";

const words = {
  en: { said: "the tools said: ", disabled: "this tool is disabled in the demo", broken: "no connection", done: (ms: number) => `done after ${ms} ms` },
  zh: { said: "工具的结果：", disabled: "这个工具在演示里被禁用", broken: "连接不上", done: (ms: number) => `${ms} 毫秒后完成` },
};

const repeatResults = (said: string) => (request: ProviderRequest) =>
  say(`${said}${request.messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : [])).join("; ")}`);

const four = ask(call("c1", "slow"), call("c2", "fast"), call("c3", "dangerous"), call("c4", "broken"));

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s12",
  cases: {
    parallel: {
      user: { en: "ask all four", zh: "四个都问一遍" },
      script: (language) => [four, repeatResults(words[language].said)],
      outcome: "stop",
    },
    sequential: {
      user: { en: "ask all four", zh: "四个都问一遍" },
      script: (language) => [four, repeatResults(words[language].said)],
      outcome: "stop",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const text = words[language];
    const state = createState({ turnLimit: 3 });
    const clock = manualClock();
    const trace = createTrace({ log: (line) => output.log(`${String(clock.now()).padStart(3)} ms  ${line}`) });
    const effects = { slow: 0, fast: 0, dangerous: 0, broken: 0 };
    const registry = new ToolRegistry();
    const register = (name: keyof typeof effects, ms: number, executionMode: ToolExecutionMode, handler: ToolHandler) =>
      registry.register(
        { name, description: `takes ${ms} ms`, parameters: { type: "object" } },
        async (args, context) => {
          effects[name]++;
          await clock.wait(ms);
          return handler(args, context);
        },
        { effects: [], paths: () => [], executionMode },
      );
    register("slow", 30, "parallel", () => text.done(30));
    register("fast", 5, caseName === "sequential" ? "sequential" : "parallel", () => text.done(5));
    register("dangerous", 1, "parallel", () => "");
    register("broken", 1, "parallel", () => {
      throw new Error(text.broken);
    });
    const hooks: LoopHooks = {
      beforeToolCall: ({ toolCall: { name } }) => (name === "dangerous" ? { type: "block", reason: text.disabled } : undefined),
    };
    const events = createEvents();
    events.subscribe(trace.listener);
    const { outcome } = await passTime(clock, runEventedToolLoop({ state, provider, registry, hooks, userInput: user, events }));
    return { outcome, messages: state.messages, effects };
  },
};

export default demo;
await startDemo(import.meta.url, demo);
