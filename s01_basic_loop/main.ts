/** The demo of s01: one answer, a cut answer that goes on, and a provider that never finishes. */

import { completing, type WholeEvent } from "../shared/complete.ts";
import type { Demo } from "../shared/demo.ts";
import { cut, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { oneLine } from "../shared/trace.ts";
import { runLoop } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderRequest } from "./provider.ts";

const words = {
  en: { hello: "Hello! What shall we build?", parts: ["A loop asks the provider, keeps the answer,", "and asks again while there is a reason to."], more: "and then" },
  zh: { hello: "你好！我们来做点什么？", parts: ["循环先向 provider 提问，把回答记下来，", "只要还有理由，就再问一次。"], more: "然后" },
};

const demo: Demo<ProviderRequest, WholeEvent> = {
  lesson: "s01",
  cases: {
    normal: {
      user: { en: "say hello", zh: "打个招呼" },
      script: (language) => [say(words[language].hello)],
      outcome: "stop",
    },
    length: {
      user: { en: "what does a loop do?", zh: "循环是做什么的？" },
      script: (language) => [cut(words[language].parts[0] ?? ""), say(words[language].parts[1] ?? "")],
      outcome: "stop",
    },
    runaway: {
      user: { en: "count to infinity", zh: "数到无穷大" },
      script: (language) => ({ forever: cut(words[language].more) }),
      outcome: "turn_limit",
    },
  },
  async run({ user, provider, output }) {
    const state = createState({ turnLimit: 3 });
    const { outcome } = await runLoop(state, completing(provider), user);
    for (const message of state.messages.slice(1, -1)) output.log(`${message.role}: ${oneLine(message.content)}`.trimEnd());
    return { outcome, messages: state.messages };
  },
};

export default demo;
await startDemo(import.meta.url, demo);
