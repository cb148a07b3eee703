/** The demo of s15: one script pushed and pulled, a step that is denied, the last step denied, a spent budget, and a new plan. */

import type { Language } from "../shared/course.ts";
import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { oneLine } from "../shared/trace.ts";
import type { BudgetLimits } from "./budget.ts";
import { createEvents } from "./events.ts";
import { createHarness, HookAbort, type HarnessOptions, type Planner, type SessionResult } from "./harness.ts";
import { runToolCall } from "./host.ts";
import { runEventedToolLoop } from "./loop.ts";
import { createState, type Message } from "./messages.ts";
import { createProviderPlanner } from "./planner.ts";
import type { HarnessEvent, Plan, Step } from "./progress.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: {
    pushed: "--- pushed through the loop",
    pulled: "--- pulled through the harness",
    said: "the tools said: ",
    steps: ["read the note", "delete the note", "save the note"],
    denied: "delete is on the deny list",
    busy: "the disk is busy",
    same: (same: boolean) => `--- the same effects and results: ${same ? "yes" : "no"}`,
  },
  zh: {
    pushed: "--- 由循环推着走",
    pulled: "--- 由调用方拉着走",
    said: "工具的结果：",
    steps: ["读备忘", "删除备忘", "保存备忘"],
    denied: "delete 在禁用名单上",
    busy: "磁盘正忙",
    same: (same: boolean) => `--- 效果和结果相同：${same ? "是" : "否"}`,
  },
};

const repeatResults = (said: string) => ({ messages }: ProviderRequest) =>
  say(`${said}${messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : [])).join(", ")}`);

const nothing = () => [];
const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s15",
  cases: {
    normal: {
      user: { en: "read the note and save it", zh: "读备忘并保存" },
      script: (language) => {
        const both = ask(call("c1", "read"), call("c2", "save"));
        return [both, repeatResults(words[language].said), both, repeatResults(words[language].said)];
      },
      outcome: "goal_met",
    },
    abort: { user: { en: "read, delete, save", zh: "读、删、存" }, script: nothing, outcome: "goal_met" },
    "abort-last": { user: { en: "read, save, delete", zh: "读、存、删" }, script: nothing, outcome: "goal_met" },
    budget: { user: { en: "read, delete, save", zh: "读、删、存" }, script: nothing, outcome: "budget_exceeded" },
    replan: { user: { en: "read, save", zh: "读、存" }, script: nothing, outcome: "goal_met" },
  },
  async run({ user, caseName, language, provider, output }) {
    const text = words[language];
    const done: string[] = [];
    const registry = new ToolRegistry();
    let failures = caseName === "replan" ? 1 : 0;
    for (const name of ["read", "delete", "save"]) {
      registry.register({ name, description: name, parameters: { type: "object" } }, () => {
        if (name === "save" && failures-- > 0) throw new Error(text.busy);
        done.push(name);
        return `${name} done`;
      }, { effects: [], paths: () => [] });
    }
    const signal = new AbortController().signal;

    /** The host: answers every pull until the session is over. */
    async function pull(planner: Planner, more: Partial<HarnessOptions> = {}): Promise<SessionResult> {
      const hooks: HarnessOptions["hooks"] = {
        before_tool_call({ step }) {
          if (step?.toolName === "delete" && caseName.startsWith("abort")) throw new HookAbort(text.denied);
        },
      };
      let seconds = 0;
      const harness = createHarness({ planner, hooks, now: () => seconds++, record: (event) => output.log(describe(event)), ...more });
      let reply = await harness.run(user);
      while (reply.kind === "pull") {
        output.log(`-> pull: ${reply.reason} ${reply.reason === "tool_call" ? reply.payload.toolName : reply.payload.limit}`);
        const payload = reply.reason === "tool_call" ? await runToolCall(reply, { registry, hooks: {}, signal }) : ({ stop: true } as const);
        output.log(`<- resume: ${oneLine(JSON.stringify(payload))}`);
        reply = await harness.resume(payload);
      }
      output.log(`-> result: ${reply.reason}`);
      for (const { stepId, reason } of reply.failedAttempts) output.log(`   failed attempt: ${stepId}, ${oneLine(reason)}`);
      return reply;
    }

    if (caseName !== "normal") {
      const limits: BudgetLimits = caseName === "budget" ? { toolCalls: 1 } : {};
      const { reason } = await pull(fixedPlanner(language, caseName), { limits });
      return { outcome: reason, messages: [], effects: counted(done) };
    }

    output.log(text.pushed);
    const state = createState();
    await runEventedToolLoop({ state, provider, registry, hooks: {}, userInput: user, events: createEvents() });
    const pushed = [...done.splice(0), ...resultsIn(state.messages)];
    for (const line of pushed) output.log(line);
    output.log(text.pulled);
    const results: string[] = [];
    const result = await pull(createProviderPlanner({ provider, registry, hooks: {}, signal }), {
      record: (event) => {
        output.log(describe(event));
        if (event.type === "tool.result") results.push(event.result);
      },
    });
    output.log(text.same(JSON.stringify(pushed) === JSON.stringify([...done, ...results])));
    return { outcome: result.reason, messages: state.messages, effects: counted(done) };
  },
};

/** Three steps that are always the same; in the case `replan`, a second plan for a save that failed. */
function fixedPlanner(language: Language, caseName: string): Planner {
  const order = { "abort-last": ["read", "save", "delete"], replan: ["read", "save"] }[caseName] ?? ["read", "delete", "save"];
  const names = ["read", "delete", "save"];
  const step = (toolName: string, id: string): Step => ({ id, description: words[language].steps[names.indexOf(toolName)] ?? "", toolName, toolArgs: {} });
  const plan: Plan = { answer: "", steps: order.map((name, index) => step(name, `s${index + 1}`)) };
  return {
    plan: async () => plan,
    async replan({ rounds }) {
      const failed = rounds.at(-1)?.results.at(-1);
      if (caseName !== "replan" || !failed?.isError) return undefined;
      return { answer: "", steps: [step("save", `${failed.stepId}-again`)] };
    },
  };
}

function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : []));
}

function counted(done: readonly string[]): Record<string, number> {
  return Object.fromEntries(["read", "delete", "save"].map((name) => [name, done.filter((each) => each === name).length]));
}

/** One line per event: its type, and what it is about. */
function describe(event: HarnessEvent): string {
  const { type, at: _at, ...about } = event;
  const parts = Object.entries(about).map(([name, value]) => {
    if (name === "plan") return (value as unknown as Plan).steps.map((step) => step.id).join(" ") || "no steps";
    return typeof value === "string" ? oneLine(value) : JSON.stringify(value);
  });
  return [`${type}${parts.length > 0 ? ":" : ""}`, ...parts].join(" ");
}

export default demo;
await startDemo(import.meta.url, demo);
