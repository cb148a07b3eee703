/** The demo of s14: a word while a tool runs, and a word that waits until the run would stop. */

import { manualClock, passTime } from "../shared/clock.ts";
import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace, oneLine } from "../shared/trace.ts";
import { createEvents } from "./events.ts";
import { createState } from "./messages.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "./provider.ts";
import { createSession } from "./session.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: {
    steered: "stop at page 3",
    later: "and then a summary",
    read: "read 10 pages",
    heard: (texts: string[]) => `I was told: ${texts.join(" / ")}`,
    steer: "said to the run that is going on",
    follow: "said for when the run would stop",
    abort: "ends the run",
  },
  zh: {
    steered: "读到第 3 页就停",
    later: "然后写个摘要",
    read: "读了 10 页",
    heard: (texts: string[]) => `我听到的是：${texts.join(" / ")}`,
    steer: "说给正在进行的运行",
    follow: "等运行快停下时再说",
    abort: "结束这次运行",
  },
};

/** The model's answer: what it was told by the user, word for word. */
const repeatUser = (heard: (texts: string[]) => string) => (request: ProviderRequest) =>
  say(heard(request.messages.flatMap((message) => (message.role === "user" ? [message.content] : []))));

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s14",
  cases: {
    steer: {
      user: { en: "read the book", zh: "读这本书" },
      script: (language) => [ask(call("c1", "read_book")), repeatUser(words[language].heard)],
      outcome: "stop",
    },
    "follow-up": {
      user: { en: "read the book", zh: "读这本书" },
      script: (language) => [ask(call("c1", "read_book")), repeatUser(words[language].heard), repeatUser(words[language].heard)],
      outcome: "stop",
    },
  },
  async run({ user, caseName, language, provider, output, person }) {
    const text = words[language];
    const state = createState({ turnLimit: 5 });
    const clock = manualClock();
    const trace = createTrace(output);
    const events = createEvents();
    events.subscribe(trace.listener);
    const counted: Provider = {
      stream(request, signal) {
        trace.log(`[request] sent ${request.messages.length}, queued ${JSON.stringify(session.queued())}`);
        return provider.stream(request, signal);
      },
    };
    const say = {
      steer: (said: string) => (trace.log(`[steer] ${oneLine(said)}`), session.steer(said)),
      followUp: (said: string) => (trace.log(`[followUp] ${oneLine(said)}`), session.followUp(said)),
    };
    const registry = new ToolRegistry();
    registry.register({ name: "read_book", description: "takes 30 ms", parameters: { type: "object" } }, async (_args, { signal }) => {
      await person?.listen([
        { name: "steer", usage: "steer <text>", help: { en: words.en.steer, zh: words.zh.steer }, act: say.steer },
        { name: "follow", usage: "follow <text>", help: { en: words.en.follow, zh: words.zh.follow }, act: say.followUp },
        { name: "abort", usage: "abort", help: { en: words.en.abort, zh: words.zh.abort }, act: () => session.abort(), last: true },
      ]);
      await clock.wait(30, signal);
      return text.read;
    }, { effects: [], paths: () => [] });
    const session = createSession({ state, provider: counted, registry, hooks: {}, events });

    if (!person) {
      void clock.wait(10).then(() => (caseName === "steer" ? say.steer(text.steered) : say.followUp(text.later)));
    }
    const result = await passTime(clock, session.prompt(user));
    return { ...result, messages: state.messages };
  },
};

export default demo;
await startDemo(import.meta.url, demo);
