/** Plays a scenario on a lesson and records it in the form in which Pi is recorded. */

import { setTimeout as sleep } from "node:timers/promises";
import type { AgentState, RunResult } from "../../s14_steering/messages.ts";
import type { Events } from "../../s14_steering/events.ts";
import type { LoopHooks } from "../../s14_steering/loop.ts";
import type { Provider, ProviderRequest } from "../../s14_steering/provider.ts";
import type { AgentToolResult, ToolContext, ToolRegistry } from "../../s14_steering/tools.ts";
import type { Scenario, Step, Tool } from "../scenarios/kinds.ts";
import { createStage, fromOutside, usualResult, type Heard, type Stage } from "../stage.ts";
import { openCalls, summarize, type Trace, type TracedRequest } from "../trace.ts";
import { missingIn } from "./features.ts";
import { lessonHooks } from "./hooks.ts";
import { subscriber } from "./listeners.ts";
import type { LessonModules } from "./load.ts";
import { lessonModel, type LessonModel } from "./provider.ts";
import { openSession, type LessonSession } from "./session.ts";
import { rolesOf, tracedEvent, tracedMessage } from "./trace.ts";

/** A trace of a lesson also says how its runs ended. */
export type LessonTrace = Trace & { results: RunResult[]; refusals: readonly string[]; listenerErrors: number; queued: boolean };

/** @throws Error when the lesson lacks something that the scenario needs: ask `missingIn` first. */
export async function playOnLesson(lesson: LessonModules, scenario: Scenario): Promise<LessonTrace> {
  const missing = missingIn(lesson.id, scenario);
  if (missing.length > 0) throw new Error(`${lesson.id} cannot play ${scenario.name}: ${missing.join(", ")}`);
  return new Player(lesson, scenario).play();
}

class Player {
  readonly lesson: LessonModules;
  readonly scenario: Scenario;
  readonly stage: Stage;
  readonly model: LessonModel;
  readonly requests: TracedRequest[] = [];
  readonly results: RunResult[] = [];
  readonly registry: ToolRegistry;
  readonly state: AgentState;
  readonly events: Events;
  readonly hooks: LoopHooks;
  readonly session: LessonSession;
  listenerErrors = 0;
  /** Below an agent nobody keeps a transcript: only what the run adds counts. */
  before = 0;
  /** The lesson numbers nested calls itself; this is how the scenario calls them. */
  readonly innerIds = new Map<string, string>();

  constructor(lesson: LessonModules, scenario: Scenario) {
    this.lesson = lesson;
    this.scenario = scenario;
    this.stage = createStage(scenario, () => ({
      steer: (text) => this.session.steer(text),
      followUp: (text) => this.session.followUp(text),
      abort: () => this.session.abort(),
      intrude: () => this.intrude(),
    }));
    this.model = lessonModel(scenario);
    this.registry = new lesson.tools.ToolRegistry();
    this.state = lesson.messages.createState({
      model: "faux-a",
      messages: (scenario.restored ?? []).map((content) => ({ role: "user" as const, content })),
      ...(scenario.execution === undefined ? {} : { toolExecution: scenario.execution }),
    });
    this.hooks = lessonHooks(lesson, scenario, this.stage, (id) => this.innerIds.get(id) ?? id);
    this.events = lesson.events.createEvents(() => this.listenerErrors++);
    const { registry, state, events, hooks } = this;
    this.session = openSession(lesson, {
      state,
      registry,
      events,
      hooks,
      provider: this.provider(),
      queueMode: scenario.queueMode ?? "one-at-a-time",
    });
  }

  async play(): Promise<LessonTrace> {
    const { scenario, stage, session } = this;
    for (const tool of this.toolsAtFirst()) this.register(tool);
    session.subscribe((event) => void stage.log.push(tracedEvent(event)));
    const reach = { abort: () => session.abort(), prompt: (text: string) => session.prompt(text) };
    const leaves = (scenario.listeners ?? []).map((listener) => session.subscribe(subscriber(listener, stage, reach)));
    let hung = false;
    for (const step of scenario.steps ?? [{ step: "prompt", text: "go" } as const]) {
      hung = !(await this.takeStep(step, () => leaves.forEach((leave) => leave())));
      if (hung) break;
    }
    if (hung) await this.tryToFree();
    return this.traced(hung);
  }

  toolsAtFirst(): readonly Tool[] {
    const { tools = [], initialTools } = this.scenario;
    return initialTools ? tools.filter((tool) => initialTools.includes(tool.name)) : tools;
  }

  traced(hung: boolean): LessonTrace {
    const { scenario, stage, requests, state, results, model, listenerErrors, session } = this;
    const trace = summarize({
      scenario: scenario.name,
      what: scenario.what,
      hung,
      effects: stage.effects,
      timed: {},
      log: stage.log,
      requests,
      kept: state.messages.slice(this.before).map(tracedMessage),
    });
    return { ...(JSON.parse(JSON.stringify(trace)) as Trace), results, refusals: model.refusals, listenerErrors, queued: session.hasQueued() };
  }

  provider(): Provider {
    return {
      stream: (request: ProviderRequest, ...rest: unknown[]) => {
        const signal = [request, ...rest].map(signalOf).find((each) => each !== undefined);
        const head = { n: this.requests.length + 1, model: request.model, ...(signal?.aborted ? { aborted: true as const } : {}) };
        const messages = request.messages.map(tracedMessage);
        this.stage.log.push({ k: "request", ...head, roles: rolesOf(request.messages) });
        const reasoning = request.thinkingLevel === "off" ? {} : { reasoning: request.thinkingLevel };
        const tools = request.tools.map((tool) => tool.name);
        this.requests.push({ ...head, ...reasoning, messages, tools, ...openCalls(messages) });
        return this.model.stream(request, signal) as ReturnType<Provider["stream"]>;
      },
    };
  }

  register(tool: Tool): void {
    const { renames } = tool;
    const options = {
      ...(renames === undefined ? {} : { prepareArguments: (args: unknown) => ({ n: (args as Record<string, unknown>)[renames] }) }),
      ...(tool.sequential ? { executionMode: "sequential" as const } : {}),
      ...noEffects,
    };
    const handler = async (args: unknown, context: ToolContext): Promise<AgentToolResult> => {
      const id = this.innerIds.get(context.toolCallId) ?? context.toolCallId;
      let inner = 0;
      const heard = await this.stage.body(tool, { id, args }, {
        name: tool.name,
        signal: signalOf(context),
        update: (text) => context.onUpdate({ content: text }),
        innerCall: async (call) => {
          this.innerIds.set(`${context.toolCallId}/${++inner}`, call.id);
          const result = await context.runToolCall({ name: call.tool, args: call.args ?? {} });
          return { text: result.content, isError: result.isError ?? false };
        },
      });
      return returned(tool, id, heard);
    };
    this.registry.register({ name: tool.name, description: tool.name, parameters: schemas[tool.takes ?? "any"] }, handler, options);
  }

  /** Resolves to false when the step never settled. */
  async takeStep(step: Step, leave: () => void): Promise<boolean> {
    const { session, stage, state, registry, scenario } = this;
    const { log } = stage;
    const run = (name: string, start: () => Promise<RunResult>) =>
      fromOutside(log, name, async () => void this.results.push(await start()));
    switch (step.step) {
      case "prompt":
        return run(`prompt(${step.text})`, () => session.prompt(step.text));
      case "run loop":
        return run("runAgentLoop", () => session.prompt("go"));
      case "continue loop":
        state.messages.push({ role: "user", content: "go" }, { role: "assistant", content: "hello", toolCalls: [], stopReason: "stop" });
        this.before = state.messages.length;
        return run("agentLoopContinue", () => session.continue());
      case "continue":
        return run("continue()", () => session.continue());
      case "steer":
        log.push({ k: "queue", steer: step.text });
        session.steer(step.text);
        return true;
      case "follow up":
        log.push({ k: "queue", followUp: step.text });
        session.followUp(step.text);
        return true;
      case "set tools":
        for (const { name } of registry.getSpecs()) registry.unregister(name);
        for (const tool of scenario.tools ?? []) if (step.tools.includes(tool.name)) this.register(tool);
        return true;
      case "drop last message":
        state.messages.pop();
        return true;
      case "listeners leave":
        leave();
        return true;
      case "note":
        stage.note(step.what === "the model" ? { agentModel: state.model } : { isStreaming: false, kept: state.messages.length, errorMessage: null });
        return true;
      case "late update":
        stage.lateUpdate();
        stage.note({ lateUpdate: "tried" });
        return true;
      case "wait":
        await sleep(step.ms);
        return true;
      default:
        throw new Error(`no lesson can ${step.step}`);
    }
  }

  async intrude(): Promise<void> {
    const { log } = this.stage;
    await fromOutside(log, "prompt(second)", () => this.session.prompt("second"));
    await fromOutside(log, "continue()", () => this.session.continue());
  }

  async tryToFree(): Promise<void> {
    const { log } = this.stage;
    log.push({ k: "hung" });
    log.push({ k: "abort" });
    this.session.abort();
    await sleep(50);
  }
}

function signalOf(given: unknown): AbortSignal | undefined {
  if (given instanceof AbortSignal) return given;
  return typeof given === "object" && given !== null && "signal" in given && given.signal instanceof AbortSignal ? given.signal : undefined;
}

/** What every tool must declare from s11 on; before, nobody reads it. The policy that does is not installed here. */
const noEffects = { effects: [], paths: () => [] };

const schemas = {
  any: { type: "object" },
  number: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  list: { type: "object", properties: { items: { type: "array", items: { type: "string" } } }, required: ["items"] },
} as const;

function returned(tool: Tool, id: string, heard: Heard | undefined): AgentToolResult {
  if (tool.result === "nothing") return undefined as unknown as AgentToolResult;
  if (tool.result === "no content") return { details: { only: "details" } } as unknown as AgentToolResult;
  if (tool.result === "heard") return { content: `${tool.name} got: ${heard?.text}` };
  const { text: content = "", ...rest } = tool.result ?? usualResult(tool.name, id);
  return { content, ...rest };
}
