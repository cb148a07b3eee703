/** The demo of s11: a policy on real files, what it refuses, a link that leads out, no gate at all, and a broken gate. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Language } from "../shared/course.ts";
import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { createTrace, oneLine } from "../shared/trace.ts";
import { createEvents } from "./events.ts";
import type { OnHookError, ToolHooks } from "./execute.ts";
import { finderFor, registerFileTools } from "./file-tools.ts";
import { runEventedToolLoop, type LoopHooks } from "./loop.ts";
import { createState, type RunResult } from "./messages.ts";
import { SECRETS } from "./paths.ts";
import { createPermissions, type Policy } from "./permissions.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry, type ToolContext } from "./tools.ts";

const words = {
  en: {
    said: "the last result: ",
    note: "buy milk",
    key: "KEY=hunter2",
    template: "KEY=put your key here",
    outside: "this file is none of our business",
    vague: "not allowed",
    specific: "this name holds secrets; read .env.example instead",
    broken: "the list of rules is not there",
    setting: (setting: string) => `--- onHookError: ${setting}`,
    reason: (which: string) => `--- a ${which} reason`,
    vagueName: "vague",
    specificName: "specific",
    sum: (requests: number, outcome: string) => `--- requests ${requests}, outcome ${outcome}`,
  },
  zh: {
    said: "最后的结果：",
    note: "买牛奶",
    key: "KEY=hunter2",
    template: "KEY=在这里填你的密钥",
    outside: "这个文件与我们无关",
    vague: "不允许",
    specific: "叫这个名字的文件里是机密，请改读 .env.example",
    broken: "找不到规则表",
    setting: (setting: string) => `--- onHookError：${setting}`,
    reason: (which: string) => `--- ${which}的原因`,
    vagueName: "含糊",
    specificName: "具体",
    sum: (requests: number, outcome: string) => `--- 请求 ${requests} 次，结束方式 ${outcome}`,
  },
};

const lastResult = ({ messages }: ProviderRequest) => messages.findLast((message) => message.role === "toolResult")?.content ?? "";
const repeatResult = (said: string) => (request: ProviderRequest) => say(`${said}${lastResult(request)}`);
const read = (id: string, path: string) => call(id, "read_file", { path });

/** The model of the case `blocked`: it tries the same call again after a vague reason, and mends it after a specific one. */
function readKey(language: Language) {
  return (request: ProviderRequest) => {
    const result = lastResult(request);
    if (result.includes("KEY")) return say(`${words[language].said}${result}`);
    return ask(read(`c${request.messages.length}`, result.includes(".env.example") ? ".env.example" : ".env"));
  };
}

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s11",
  cases: {
    allow: {
      user: { en: "read the note, then run the plan", zh: "读备忘，再执行计划" },
      script: (language) => [
        ask(read("c1", "note.txt"), call("c2", "list_folder")),
        ask(call("c3", "run_plan", { steps: [{ tool: "write_file", args: { path: "out/copy.txt", text: "copied" } }, { tool: "read_file", args: { path: ".env" } }] })),
        repeatResult(words[language].said),
      ],
      outcome: "stop",
    },
    blocked: {
      user: { en: "read the key", zh: "读一下密钥" },
      script: (language) => ({ forever: readKey(language) }),
      outcome: "stop",
    },
    symlink: {
      user: { en: "read what the link shows, and write beside it", zh: "读链接指向的内容，再在旁边写一个文件" },
      script: (language) => [
        ask(read("c1", "link/secret.txt"), call("c2", "write_file", { path: "link/new.txt", text: "hello" })),
        repeatResult(words[language].said),
      ],
      outcome: "stop",
    },
    "no-hook": {
      user: { en: "read the key, the link and the note", zh: "读密钥、链接和备忘" },
      script: (language) => [ask(read("c1", ".env"), read("c2", "link/secret.txt"), read("c3", "note.txt")), repeatResult(words[language].said)],
      outcome: "stop",
    },
    "hook-throws": {
      user: { en: "read the note twice", zh: "把备忘读两遍" },
      script: (language) => {
        const twice = ask(read("c1", "note.txt"), read("c2", "note.txt"));
        return [twice, repeatResult(words[language].said), twice, repeatResult(words[language].said), twice];
      },
      outcome: "error",
      exit: 1,
    },
  },
  async run({ user, caseName, language, provider, output }) {
    const text = words[language];
    const folder = mkdtempSync(join(tmpdir(), "learn-pi-agent-"));
    try {
      const root = setUp(folder, language);
      const trace = createTrace(output);
      const effects = { runs: 0 };
      const registry = new ToolRegistry();
      registerFileTools(registry, finderFor(root));
      registry.register(
        { name: "run_plan", description: "runs other tools, one after the other", parameters: { type: "object", properties: { steps: { type: "array" } }, required: ["steps"] } },
        ({ steps }, context) => runPlan(steps, context),
        { effects: [], paths: () => [] },
      );
      const gate = (reason: string): ToolHooks => ({
        beforeToolCall: createPermissions(policyFor(root, reason), {
          onDecision: ({ toolCallId, tool, effect, path, verdict, rule }) =>
            trace.log(`[policy] ${verdict}: ${toolCallId} ${tool}, ${effect} ${oneLine(path ?? "?")} (${rule})`),
        }),
      });

      /** One run on a fresh state. The host ends it after the third block: the gate itself only says no. */
      async function run(hooks: LoopHooks): Promise<RunResult & { messages: typeof state.messages }> {
        const state = createState({ turnLimit: 5 });
        let requests = 0;
        let blocks = 0;
        const events = createEvents();
        events.subscribe(trace.listener);
        events.subscribe((event) => {
          if (event.type !== "tool_execution_end") return;
          if (event.result.content.startsWith("blocked: ")) blocks++;
          if (!event.isError) effects.runs++;
        });
        const counted = { stream: (request: ProviderRequest) => (requests++, provider.stream(request)) };
        const finishTurn: LoopHooks["finishTurn"] = () => (blocks >= 3 ? { action: "end" } : undefined);
        const result = await runEventedToolLoop({ state, provider: counted, registry, hooks: { finishTurn, ...hooks }, userInput: user, events });
        output.log(text.sum(requests, result.outcome));
        return { ...result, messages: state.messages };
      }

      if (caseName === "blocked") {
        output.log(text.reason(text.vagueName));
        await run(gate(text.vague));
        output.log(text.reason(text.specificName));
      }
      if (caseName !== "hook-throws") return { ...(await run(caseName === "no-hook" ? {} : gate(text.specific))), effects };

      const broken = (onHookError: OnHookError): ToolHooks => ({
        onHookError,
        onHookFault: (fault) => trace.log(`[onHookFault] ${fault}`),
        beforeToolCall() {
          throw new Error(text.broken);
        },
      });
      for (const setting of ["closed", "open"] as const) {
        output.log(text.setting(setting));
        await run(broken(setting));
      }
      output.log(text.setting("crash"));
      return { ...(await run(broken("crash"))), effects };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function policyFor(root: string, reason: string): Policy {
  return {
    root,
    rules: [
      { verdict: "deny", effects: ["read", "write", "list"], ...SECRETS, reason },
      { verdict: "allow", effects: ["read", "list"], paths: ["**"] },
      { verdict: "allow", effects: ["write"], paths: ["out/**"] },
    ],
  };
}

/** A workspace with a note, a key, a template and a link that leads out of it. Gives the workspace's path. */
function setUp(folder: string, language: Language): string {
  const [root, outside] = [join(folder, "workspace"), join(folder, "outside")];
  for (const each of [root, outside]) mkdirSync(each);
  writeFileSync(join(root, "note.txt"), words[language].note);
  writeFileSync(join(root, ".env"), words[language].key);
  writeFileSync(join(root, ".env.example"), words[language].template);
  writeFileSync(join(outside, "secret.txt"), words[language].outside);
  symlinkSync(outside, join(root, "link"), "junction");
  if (!existsSync(join(root, "link", "secret.txt"))) throw new Error("this system did not make the link");
  return root;
}

/** The other tools are called through the one door, so that the gate sees each step. */
async function runPlan(steps: unknown, { runToolCall }: ToolContext): Promise<string> {
  const results: string[] = [];
  for (const step of Array.isArray(steps) ? (steps as unknown[]) : []) {
    const { tool, args } = { tool: "", args: {}, ...(typeof step === "object" ? step : {}) };
    results.push(`${tool}: ${(await runToolCall({ name: String(tool), args })).content}`);
  }
  return results.join("\n") || "the plan has no steps";
}

export default demo;
await startDemo(import.meta.url, demo);
