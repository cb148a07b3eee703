/** The demo of s09: a valid call, arguments that do not fit, results that the host changes, and a tool that calls tools. */

import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace, oneLine } from "../shared/trace.ts";
import { createEvents } from "./events.ts";
import type { AfterToolCallResult } from "./execute.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState } from "./messages.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry, type Usage } from "./tools.ts";

const words = {
  en: {
    said: "the tool said: ",
    secret: "the key is hunter2",
    found: "found the key: hunter2",
    redacted: "the key is [redacted]",
    fine: "nothing went wrong",
    failed: "the disk is full",
    report: "3 files read, 1 skipped: notes.txt",
    fragment: "3 files read",
    disabled: "this tool is disabled in the demo",
    tokens: (sum: number) => `tokens spent by tools: ${sum}`,
  },
  zh: {
    said: "工具结果是：",
    secret: "密钥是 hunter2",
    found: "找到密钥了：hunter2",
    redacted: "密钥是 [已隐去]",
    fine: "一切正常",
    failed: "磁盘已满",
    report: "读了 3 个文件，跳过 1 个：notes.txt",
    fragment: "读了 3 个文件",
    disabled: "这个工具在演示里被禁用",
    tokens: (sum: number) => `工具一共花了 ${sum} 个 token`,
  },
};

/** The model's last answer: it repeats the last results it was sent. */
const repeatResults = (said: string) => (request: ProviderRequest) => {
  const results = request.messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : []));
  return say(`${said}${results.join("; ")}`);
};

const textSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const nothing = { type: "object" } as const;

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s09",
  cases: {
    normal: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [ask(call("c1", "echo", { text: "hi" })), repeatResults(words[language].said)],
      outcome: "stop",
    },
    invalid: {
      user: { en: "repeat hi", zh: "复读一下 hi" },
      script: (language) => [
        ask(call("c1", "echo", { txt: "hi" })),
        ask(call("c2", "echo", '{"text": "h')),
        ask(call("c3", "echo", { text: "hi" })),
        (request) => say(`${words[language].said}${request.messages.at(-1)?.content}`),
      ],
      outcome: "stop",
    },
    override: {
      user: { en: "find the key, save it, and read the folder", zh: "找到密钥，存起来，再读一遍文件夹" },
      script: (language) => [ask(call("c1", "find_key"), call("c2", "save"), call("c3", "read_all")), repeatResults(words[language].said)],
      outcome: "stop",
    },
    nested: {
      user: { en: "run the plan", zh: "执行计划" },
      script: (language) => [ask(call("c1", "plan")), repeatResults(words[language].said)],
      outcome: "stop",
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const text = words[language];
    const state = createState({ turnLimit: 5 });
    const trace = createTrace(output);
    const effects = { echo: 0, dangerous: 0, find_key: 0 };
    const registry = new ToolRegistry();
    registry.register({ name: "echo", description: "repeats a text", parameters: textSchema }, (args) => {
      effects.echo++;
      return String(args.text);
    });
    registry.register({ name: "dangerous", description: "does something dangerous", parameters: nothing }, () => {
      effects.dangerous++;
      return "";
    });
    registry.register({ name: "find_key", description: "finds the key", parameters: nothing }, async (_args, { onUpdate }) => {
      effects.find_key++;
      await onUpdate({ content: text.found });
      return { content: text.secret, usage: { input: 40, output: 2 } };
    });
    registry.register({ name: "save", description: "saves the key", parameters: nothing }, () => {
      throw new Error(text.failed);
    });
    registry.register({ name: "read_all", description: "reads the folder", parameters: nothing }, () => text.report);
    registry.register({ name: "plan", description: "calls other tools", parameters: nothing }, async (_args, { runToolCall }) => {
      const results = [];
      for (const inner of [{ name: "echo", args: { text: "hi" } }, { name: "dangerous", args: {} }, { name: "fly", args: {} }]) {
        const { content, isError } = await runToolCall(inner);
        results.push(`${inner.name} ${isError ? "failed" : "ok"} (${content})`);
      }
      return results.join(", ");
    });

    const overrides: Record<string, AfterToolCallResult> = {
      find_key: { content: text.redacted, usage: { input: 0, output: 0 } },
      save: { content: text.fine, isError: false },
      read_all: { content: text.fragment },
    };
    const hooks: LoopHooks = {
      async beforeToolCall({ toolCall: { id, name } }) {
        const allowed = name !== "dangerous";
        trace.log(`[beforeToolCall] ${allowed ? "allow" : "block"}: ${id} ${oneLine(name)}`);
        return allowed ? { type: "allow" } : { type: "block", reason: text.disabled };
      },
      async afterToolCall({ toolCall: { name }, result, isError }) {
        const override = caseName === "override" ? overrides[name] : undefined;
        if (override) trace.log(`[afterToolCall] ${name}, isError ${isError}: ${oneLine(result.content)} -> ${override.content}`);
        if (override?.usage) trace.log(`[afterToolCall] ${name}, usage: ${tokensOf(result.usage)} -> ${tokensOf(override.usage)}`);
        return override;
      },
    };
    const events = createEvents();
    events.subscribe(trace.listener);
    let spent = 0;
    events.subscribe((event) => {
      if (event.type !== "tool_execution_end" || !event.result.usage) return;
      spent += tokensOf(event.result.usage);
      trace.log(`[usage] ${text.tokens(spent)}`);
    });
    const { outcome } = await runEventedToolLoop({ state, provider, registry, hooks, userInput: user, events });
    return { outcome, messages: state.messages, effects };
  },
};

function tokensOf(usage: Usage | undefined): number {
  return usage ? usage.input + usage.output : 0;
}

export default demo;
await startDemo(import.meta.url, demo);
