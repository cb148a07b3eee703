/** The demo of s03: a plain answer, and a note that stands in the transcript and in no request. */

import type { Demo } from "../shared/demo.ts";
import { say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { runLoop } from "./loop.ts";
import { createState, type Message } from "./messages.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "./provider.ts";

const words = {
  en: { note: "the user is on a slow connection", answer: (count: number) => `I was sent ${count} message.` },
  zh: { note: "用户的网络很慢", answer: (count: number) => `我收到了 ${count} 条消息。` },
};

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s03",
  cases: {
    normal: {
      user: { en: "how many messages were you sent?", zh: "你收到了几条消息？" },
      script: (language) => [(request) => say(words[language].answer(request.messages.length))],
      outcome: "stop",
    },
    note: {
      user: { en: "how many messages were you sent?", zh: "你收到了几条消息？" },
      script: (language) => [(request) => say(words[language].answer(request.messages.length))],
      outcome: "stop",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const notes: Message[] = caseName === "note" ? [{ role: "note", content: words[language].note }] : [];
    const state = createState({ messages: notes, turnLimit: 3 });
    const counted: Provider = {
      stream(request) {
        output.log(`kept ${state.messages.length}, sent ${request.messages.length}`);
        return provider.stream(request);
      },
    };
    const { outcome } = await runLoop(state, counted, user, output);
    return { outcome, messages: state.messages };
  },
};

export default demo;
await startDemo(import.meta.url, demo);
