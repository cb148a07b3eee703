/** The demo of s02: an answer that arrives in pieces, and one that breaks off half way. */

import type { Demo } from "../shared/demo.ts";
import { breakOff, delta, messageStart, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { runLoop } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";

const words = {
  en: ["Events arrive", " one by one,", " and one of them says that the answer is whole."],
  zh: ["事件一个接一个地到达，", "其中有一个会说：", "回答到这里就完整了。"],
};

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s02",
  cases: {
    normal: {
      user: { en: "how does an answer arrive?", zh: "回答是怎样到达的？" },
      script: (language) => [say(...words[language])],
      outcome: "stop",
    },
    cut: {
      user: { en: "how does an answer arrive?", zh: "回答是怎样到达的？" },
      script: (language) => [[messageStart, ...words[language].slice(0, 2).map(delta), breakOff]],
      outcome: "error",
    },
  },
  async run({ user, provider, output }) {
    const state = createState({ turnLimit: 3 });
    const { outcome } = await runLoop(state, provider, user, output);
    return { outcome, messages: state.messages };
  },
};

export default demo;
await startDemo(import.meta.url, demo);
