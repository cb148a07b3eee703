/** The demo of s16: a session that goes on in another process, a log whose last line is cut, and an effect that nobody knows of. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Demo } from "../shared/demo.ts";
import { ask, call, say } from "../shared/fake-provider.ts";
import { startDemo } from "../shared/run-lesson.ts";
import { oneLine } from "../shared/trace.ts";
import { createHarness, type Harness, type PullRequest, type ResumePayload, type SessionResult } from "./harness.ts";
import { runToolCall } from "./host.ts";
import { createProviderPlanner } from "./planner.ts";
import type { HarnessEvent } from "./progress.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { readLog, replay, toLine } from "./replay.ts";
import { ToolRegistry } from "./tools.ts";

const words = {
  en: {
    said: "the tools said: ",
    crash: "--- the process ends here",
    again: "--- another process reads the log",
    state: (state: string, turns: number, toolCalls: number) => `state ${state}, turns ${turns}, tool calls ${toolCalls}`,
    dropped: (bytes: number) => `a half line of ${bytes} bytes is dropped`,
    person: "the person looked: it was saved",
  },
  zh: {
    said: "工具的结果：",
    crash: "--- 进程到这里就结束了",
    again: "--- 另一个进程来读日志",
    state: (state: string, turns: number, toolCalls: number) => `状态 ${state}，回合 ${turns}，工具调用 ${toolCalls}`,
    dropped: (bytes: number) => `最后半行（${bytes} 字节）丢弃`,
    person: "人去看过了：已经保存",
  },
};

const repeatResults = (said: string) => ({ messages }: ProviderRequest) =>
  say(`${said}${messages.flatMap((message) => (message.role === "toolResult" ? [message.content] : [])).join(", ")}`);

const user = { en: "read the note, save it, read it again", zh: "读备忘，保存，再读一遍" };
const plan = ask(call("c1", "read"), call("c2", "save"), call("c3", "read"));

const demo: Demo<ProviderRequest, ProviderEvent> = {
  lesson: "s16",
  cases: {
    replay: { user, script: (language) => [plan, repeatResults(words[language].said)], outcome: "goal_met" },
    cut: { user, script: (language) => [plan, repeatResults(words[language].said)], outcome: "goal_met" },
    unknown: { user, script: (language) => [plan, repeatResults(words[language].said)], outcome: "goal_met" },
  },
  async run({ user: goal, caseName, language, provider, output }) {
    const text = words[language];
    const effects = { read: 0, save: 0 };
    const registry = new ToolRegistry();
    const parameters = { type: "object" } as const;
    registry.register({ name: "read", description: "reads the note", parameters }, () => `read ${++effects.read}`, { effects: [], paths: () => [], replay: "safe" });
    registry.register({ name: "save", description: "saves the note", parameters }, () => `saved ${++effects.save}`, { effects: [], paths: () => [] });
    const { signal } = new AbortController();
    const planner = createProviderPlanner({ provider, registry, hooks: {}, signal });
    const folder = mkdtempSync(join(tmpdir(), "learn-pi-agent-"));
    const log = join(folder, "session.jsonl");
    let seconds = 0;

    const open = (restored?: ReturnType<typeof replay>): Harness =>
      createHarness({
        planner,
        now: () => seconds++,
        record: (event) => {
          appendFileSync(log, toLine(event));
          output.log(describe(event));
        },
        mayRepeat: (toolName) => registry.find(toolName).replay === "safe",
        ...(restored ? { restored } : {}),
      });

    /** The host. It ends with the process before it answers the pull for `stop`. */
    async function drive(harness: Harness, first: PullRequest | SessionResult, stop?: string): Promise<PullRequest | SessionResult> {
      let reply = first;
      while (reply.kind === "pull") {
        const what = reply.reason === "budget_exceeded" ? reply.payload.limit : `${reply.payload.stepId} ${reply.payload.toolName}`;
        output.log(`-> pull: ${reply.reason} ${what}`);
        if (reply.reason === "tool_call" && reply.payload.stepId === stop) return reply;
        const payload: ResumePayload = reply.reason === "tool_call" ? await runToolCall(reply, { registry, hooks: {}, signal }) : { result: text.person };
        output.log(`<- resume: ${oneLine(JSON.stringify(payload))}`);
        reply = await harness.resume(payload);
      }
      output.log(`-> result: ${reply.reason}`);
      return reply;
    }

    try {
      const harness = open();
      const first = await harness.run(goal);
      const stopAt = { replay: "c3", cut: "c3", unknown: "c2" }[caseName] ?? "c3";
      const stopped = await drive(harness, first, stopAt);
      if (caseName === "unknown" && stopped.kind === "pull" && stopped.reason === "tool_call") await runToolCall(stopped, { registry, hooks: {}, signal });
      output.log(text.crash);
      if (caseName === "cut") cutLastLine(log);

      output.log(text.again);
      const written = readFileSync(log, "utf8");
      const whole = written.lastIndexOf("\n") + 1;
      if (whole < written.length) {
        output.log(text.dropped(Buffer.byteLength(written.slice(whole))));
        writeFileSync(log, written.slice(0, whole));
      }
      const restored = replay(readLog(written));
      output.log(text.state(restored.state, restored.spent.turns, restored.spent.toolCalls));
      const second = open(restored);
      const reply = await drive(second, await second.reenter());
      return { outcome: reply.kind === "result" ? reply.reason : "waiting", messages: [], effects };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What a process leaves that ends in the middle of a write. */
function cutLastLine(log: string): void {
  const written = readFileSync(log, "utf8");
  writeFileSync(log, written.slice(0, -20));
}

function describe(event: HarnessEvent): string {
  const about = "stepId" in event ? ` ${event.stepId}` : "";
  const more = "outcome" in event ? ` ${event.outcome}` : "result" in event ? ` ${oneLine(event.result)}` : "reason" in event ? ` ${event.reason}` : "";
  return `${event.type}${about}${more}`;
}

export default demo;
await startDemo(import.meta.url, demo);
