/** The demo of s13: an abort while the answer arrives, before a tool, while a tool runs that obeys, and one that is deaf. */

import { manualClock, passTime } from "../shared/clock.ts";
import type { Demo } from "../shared/demo.ts";
import { ask, call, delta, messageStart, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace, oneLine } from "../shared/trace.ts";
import { createEvents } from "./events.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: { parts: ["It began", " long ago,", " and nobody knows how."], saved: "saved", late: "(100 ms later the deaf tool is done: nobody hears it)" },
  zh: { parts: ["很久以前", "有这样一件事，", "后来怎样没人知道。"], saved: "已保存", late: "（100 毫秒后，那个不听信号的工具做完了：没有人在听）" },
};

const twoSaves = ask(call("c1", "save"), call("c2", "save"));

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s13",
  cases: {
    stream: {
      user: { en: "tell a story", zh: "讲个故事" },
      script: (language) => [[messageStart, ...words[language].parts.map(delta), { type: "message_end", stopReason: "stop" }]],
      outcome: "aborted",
    },
    before: {
      user: { en: "save twice", zh: "保存两次" },
      script: () => [twoSaves],
      outcome: "aborted",
    },
    during: {
      user: { en: "save twice", zh: "保存两次" },
      script: () => [twoSaves],
      outcome: "aborted",
    },
    deaf: {
      user: { en: "save with the deaf tool", zh: "用不听信号的工具保存" },
      script: () => [ask(call("c1", "deaf_save"))],
      outcome: "aborted",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const text = words[language];
    const state = createState({ turnLimit: 3, toolExecution: "sequential" });
    const clock = manualClock();
    const controller = new AbortController();
    const effects = { save: 0, deaf_save: 0 };
    const trace = createTrace({ log: (line) => output.log(`${String(clock.now()).padStart(3)} ms  ${line}`) });
    const abort = () => {
      if (controller.signal.aborted) return;
      trace.log("[abort]");
      controller.abort();
    };

    const registry = new ToolRegistry();
    const harmless = { effects: [], paths: () => [] };
    registry.register({ name: "save", description: "takes 30 ms, and stops when it is told to", parameters: { type: "object" } }, async (_args, { signal }) => {
      await clock.wait(30, signal);
      effects.save++;
      return text.saved;
    }, harmless);
    registry.register({ name: "deaf_save", description: "takes 100 ms, and hears nothing", parameters: { type: "object" } }, async () => {
      await clock.wait(100);
      effects.deaf_save++;
      return text.saved;
    }, harmless);

    const hooks: LoopHooks = {
      beforeToolCall({ toolCall: { name } }) {
        trace.log(`[beforeToolCall] allow: ${oneLine(name)}`);
        if (caseName === "before") abort();
        if (caseName === "during" || caseName === "deaf") void clock.wait(10).then(abort);
        return undefined;
      },
    };
    const events = createEvents();
    events.subscribe(trace.listener);
    let deltas = 0;
    events.subscribe((event) => {
      if (event.type === "message_update" && ++deltas === 2 && caseName === "stream") abort();
    });
    const run = runEventedToolLoop({ state, provider, registry, hooks, userInput: user, events, signal: controller.signal });
    const result = await passTime(clock, run);
    if (caseName === "deaf") {
      await clock.advance(100);
      trace.log(`${text.late} ${effects.deaf_save}`);
    }
    return { ...result, messages: state.messages, effects };
  },
};

export default demo;
await startDemo(import.meta.url, demo);
