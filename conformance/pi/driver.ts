/** Plays a scenario on a version of Pi and records it. */

import { setTimeout as sleep } from "node:timers/promises";
import type { HookAnswer, Scenario, Step, Tool } from "../scenarios/kinds.ts";
import { createStage, fromOutside, leftOf, usualResult, type Heard, type Place, type Stage } from "../stage.ts";
import { openCalls, summarize, type HookName, type Trace, type TracedRequest } from "../trace.ts";
import { listen } from "./listeners.ts";
import type { Pi } from "./load.ts";
import { fakeModel } from "./provider.ts";
import { outcomes, rolesOf, textOf, tracedEvent, tracedMessage, tracedResult } from "./trace.ts";
import type { PiAgent, PiContext, PiEvent, PiHooks, PiMessage, PiModel, PiResult, PiTool, StreamFn } from "./types.ts";

const system = "SYS";
const text = (content: string) => [{ type: "text", text: content }];
const user = (content: string): PiMessage => ({ role: "user", content: text(content), timestamp: 0 });

/** Everything about one play that its parts share. */
type Play = {
  pi: Pi;
  scenario: Scenario;
  stage: Stage;
  tools: PiTool[];
  hooks: PiHooks;
  models: { a: PiModel; b: PiModel };
  stream: StreamFn;
  requests: TracedRequest[];
  timed: Record<string, number>;
};

export async function playOnPi(pi: Pi, scenario: Scenario): Promise<Trace> {
  const play = prepare(pi, scenario);
  return isLow(scenario.steps) ? playLow(play) : playAgent(play);
}

function isLow(steps: readonly Step[] | undefined): boolean {
  return steps?.some(({ step }) => step === "run loop" || step === "read loop" || step === "continue loop") ?? false;
}

function prepare(pi: Pi, scenario: Scenario): Play & { agent?: PiAgent } {
  const fake = fakeModel(pi, scenario);
  const play: Play & { agent?: PiAgent } = {
    pi,
    scenario,
    models: fake.models,
    requests: [],
    timed: {},
    tools: [],
    hooks: {},
    stage: createStage(scenario, () => ({
      steer: (content) => play.agent?.steer(user(content)),
      followUp: (content) => play.agent?.followUp(user(content)),
      abort: () => play.agent?.abort(),
      intrude: () => intrude(play),
    })),
    stream(model, context, options = {}) {
      const { signal } = options as { signal?: AbortSignal };
      const head = { n: play.requests.length + 1, model: model.id, ...(signal?.aborted ? { aborted: true as const } : {}) };
      play.stage.log.push({ k: "request", ...head, roles: rolesOf(context.messages) });
      const messages = context.messages.map(tracedMessage);
      play.requests.push({ ...head, ...reasoningOf(options), ...(scenario.options ? optionsOf(options) : {}), messages, ...openCalls(messages) });
      return fake.stream(model, context, options);
    },
  };
  play.tools = (scenario.tools ?? []).map((tool) => toolFor(play, tool));
  play.hooks = hooksFor(play);
  return play;
}

function reasoningOf({ reasoning }: Record<string, unknown>): Pick<TracedRequest, "reasoning"> {
  return reasoning === undefined ? {} : { reasoning: String(reasoning) };
}

function optionsOf(options: Record<string, unknown>): Pick<TracedRequest, "optionKeys" | "identity"> {
  const { identity } = options;
  return { optionKeys: Object.keys(options).sort(), ...(identity === undefined ? {} : { identity }) };
}

async function intrude({ stage, agent }: Play & { agent?: PiAgent }): Promise<void> {
  if (!agent) return;
  await fromOutside(stage.log, "prompt(second)", () => agent.prompt("second"));
  await fromOutside(stage.log, "continue()", () => agent.continue());
  await fromOutside(stage.log, "reset()", () => agent.reset());
}

const schemas = {
  any: { type: "object", properties: {} },
  number: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  list: { type: "object", properties: { items: { type: "array", items: { type: "string" } } }, required: ["items"] },
};

function toolFor(play: Play, tool: Tool): PiTool {
  const renames = tool.renames;
  return {
    name: tool.name,
    label: tool.name,
    description: tool.name,
    parameters: schemas[tool.takes ?? "any"],
    ...(tool.sequential ? { executionMode: "sequential" } : {}),
    ...(renames === undefined ? {} : { prepareArguments: (args: unknown) => ({ n: (args as Record<string, unknown>)[renames] }) }),
    async execute(id, args, signal, onUpdate) {
      const place: Place = {
        name: tool.name,
        signal,
        update: (content) => onUpdate?.({ content: text(content), details: {} }),
        innerCall: (inner, sink) => innerCall(play, inner, signal, sink),
      };
      const heard = await play.stage.body(tool, { id, args }, place);
      return returned(tool, id, heard);
    },
  };
}

function returned(tool: Tool, id: string, heard: Heard | undefined): unknown {
  if (tool.result === "nothing") return undefined;
  if (tool.result === "no content") return { details: { only: "details" } };
  if (tool.result === "heard") return { content: text(`${tool.name} got: ${heard?.text}`), details: {} };
  const { text: content = "", ...rest } = tool.result ?? usualResult(tool.name, id);
  return { content: text(content), ...rest };
}

async function innerCall(
  play: Play,
  inner: { id: string; tool: string; args?: Record<string, unknown> },
  signal: AbortSignal | undefined,
  onUpdate: (() => void) | undefined,
): Promise<Heard> {
  const { beforeToolCall, afterToolCall } = play.hooks;
  const messages = (play as { agent?: PiAgent }).agent?.state.messages ?? [];
  const { result, isError, durationMs } = await play.pi.core.runToolCall(
    { type: "toolCall", id: inner.id, name: inner.tool, arguments: inner.args ?? {} },
    {
      tools: play.tools,
      assistantMessage: messages.findLast((message) => message.role === "assistant"),
      context: { messages, tools: play.tools },
      signal,
      beforeToolCall,
      afterToolCall,
      ...(onUpdate ? { onUpdate } : {}),
    },
  );
  if (durationMs !== undefined) count(play, "runToolCall");
  return { text: textOf(result.content), isError };
}

function count({ timed }: Play, what: string): void {
  timed[what] = (timed[what] ?? 0) + 1;
}

type CallContext = { toolCall: { id: string; name: string }; args: unknown; context: PiContext; result: PiResult; isError: boolean };
type TurnContext = { message: PiMessage; toolResults: PiMessage[]; context: PiContext; newMessages: PiMessage[] };
type RequestContext = { context: PiContext; model: PiModel; thinkingLevel: string };

function hooksFor({ scenario, stage, models }: Play): PiHooks {
  const watch = (name: HookName, entry: Record<string, unknown>, rest: Partial<Place>, told?: (answer: HookAnswer | undefined) => unknown) =>
    stage.hook(name, entry, { name, ...rest }, told);
  const turnEntry = ({ message, toolResults, context, newMessages }: TurnContext) => ({
    stopReason: message.stopReason,
    toolResults: outcomes(toolResults),
    contextRoles: rolesOf(context.messages),
    newMessages: rolesOf(newMessages),
  });
  const nextTurn = (answer: HookAnswer | undefined) => answer?.messages && { messages: answer.messages.map(user) };
  const appended = (answer: HookAnswer | undefined) => answer?.messages && { messages: answer.messages.map((each) => ({ role: "user", text: each })) };
  const callEntry = ({ toolCall, args }: CallContext) => ({ toolCallId: toolCall.id, toolName: toolCall.name, args: structuredClone(args) });

  const all: PiHooks = {
    async prepareRequest({ context, model, thinkingLevel }: RequestContext, signal?: AbortSignal) {
      const entry = { roles: rolesOf(context.messages), tools: (context.tools ?? []).map((tool) => tool.name), model: model.id, thinkingLevel };
      const answer = await watch("prepareRequest", entry, { signal }, (given) =>
        given?.noTools ? { context: { roles: rolesOf(context.messages), tools: [] } } : given,
      );
      if (answer?.noTools) return { context: { messages: context.messages, tools: [] } };
      if (answer?.model) return { model: models.b };
      return answer;
    },
    async transformContext(messages: PiMessage[], signal?: AbortSignal) {
      const answer = await watch("transformContext", { roles: rolesOf(messages) }, { signal, list: messages }, (given) => {
        const left = leftOf(messages, given);
        return left && { roles: rolesOf(left) };
      });
      return leftOf(messages, answer) ?? messages;
    },
    async convertToLlm(messages: PiMessage[]) {
      const sent = messages.filter(({ role }) => ["system", "user", "assistant", "toolResult"].includes(role));
      await watch("convertToLlm", { roles: rolesOf(messages) }, {}, () => ({ roles: rolesOf(sent) }));
      return sent;
    },
    async getApiKey(provider: string) {
      await watch("getApiKey", { provider }, {});
      return undefined;
    },
    async beforeToolCall(context: CallContext, signal?: AbortSignal) {
      const entry = { ...callEntry(context), contextRoles: rolesOf(context.context.messages) };
      return watch("beforeToolCall", entry, { signal, given: context });
    },
    async afterToolCall(context: CallContext, signal?: AbortSignal) {
      const entry = { ...callEntry(context), isError: context.isError, result: tracedResult(context.result) };
      const fields = ({ text: content, ...rest }: { text?: string }) => ({ ...rest, ...(content === undefined ? {} : { content: content as unknown }) });
      const answer = await watch("afterToolCall", entry, { signal }, (given) => given?.result && fields(given.result));
      if (answer?.result === undefined) return undefined;
      const { text: content, ...rest } = answer.result;
      return { ...rest, ...(content === undefined ? {} : { content: text(content) }) };
    },
    async finishTurn(turn: TurnContext, signal?: AbortSignal) {
      return watch("finishTurn", turnEntry(turn), { signal });
    },
    async prepareNextTurn(signal?: AbortSignal) {
      return nextTurn(await watch("prepareNextTurn", {}, { signal: isSignal(signal) ? signal : undefined }, appended));
    },
    async prepareNextTurnWithContext(turn: TurnContext, signal?: AbortSignal) {
      return nextTurn(await watch("prepareNextTurnWithContext", turnEntry(turn), { signal }, appended));
    },
  };
  const { prepareNextTurn, prepareNextTurnWithContext, ...rest } = all;
  switch (scenario.hooks ?? "usual") {
    case "none":
      return {};
    case "with context":
      return { ...rest, ...(prepareNextTurnWithContext ? { prepareNextTurnWithContext } : {}) };
    case "both":
      return all;
    default:
      return { ...rest, ...(prepareNextTurn ? { prepareNextTurn } : {}) };
  }
}

/** The loop hands the turn to what the agent calls with a signal only. */
function isSignal(given: unknown): given is AbortSignal {
  return given instanceof AbortSignal;
}

async function playAgent(play: Play & { agent?: PiAgent }): Promise<Trace> {
  const { pi, scenario, stage, tools, hooks, models, stream, requests, timed } = play;
  const queueMode = scenario.queueMode ?? "one-at-a-time";
  const initial = scenario.initialTools ? tools.filter((tool) => scenario.initialTools?.includes(tool.name)) : tools;
  const agent = new pi.core.Agent({
    ...hooks,
    initialState: {
      systemPrompt: system,
      model: models.a,
      tools: initial,
      ...(scenario.restored ? { messages: scenario.restored.map(user) } : {}),
    },
    streamFn: stream,
    steeringMode: queueMode,
    followUpMode: queueMode,
    ...(scenario.execution ? { toolExecution: scenario.execution } : {}),
  });
  play.agent = agent;
  watchQueues(agent, stage);
  agent.subscribe((event) => record(play, event));
  const leave = listen(agent, scenario.listeners ?? [], stage);

  const hung = await withRejections(stage, async () => {
    for (const step of scenario.steps ?? [{ step: "prompt", text: "go" } as const]) {
      if (await takeStep(play, agent, step, leave)) continue;
      stage.log.push({ k: "hung" });
      return true;
    }
    return false;
  });
  const state = stateOf(agent);
  if (hung) await tryToFree(agent, stage);
  return plainly(
    summarize({
      scenario: scenario.name,
      what: scenario.what,
      hung,
      effects: stage.effects,
      state,
      timed,
      log: stage.log,
      requests,
      kept: agent.state.messages.map(tracedMessage),
    }),
  );
}

function stateOf(agent: PiAgent): NonNullable<Trace["state"]> {
  const { isStreaming, pendingToolCalls, streamingMessage, errorMessage } = agent.state;
  return {
    isStreaming,
    pendingToolCalls: [...pendingToolCalls],
    streamingMessage: streamingMessage !== undefined,
    errorMessage: errorMessage ?? null,
    queued: agent.hasQueuedMessages(),
  };
}

/** What is undefined is left out, as in the recorded traces. */
function plainly(trace: Trace): Trace {
  return JSON.parse(JSON.stringify(trace)) as Trace;
}

function record(play: Play, event: PiEvent): void {
  play.stage.log.push(tracedEvent(event));
  if (event.type === "message_end" && event.message?.durationMs !== undefined) count(play, `message:${event.message.role}`);
  if (event.type === "tool_execution_end" && event.durationMs !== undefined) count(play, "tool_execution_end");
}

/** The queues have no event of their own; a look at one is seen by standing in front of its `drain`. */
function watchQueues(agent: PiAgent, { log }: Stage): void {
  type Queue = { drain(): PiMessage[] };
  const { steeringQueue, followUpQueue } = agent as unknown as { steeringQueue?: Queue; followUpQueue?: Queue };
  for (const [queue, name] of [[steeringQueue, "steering"], [followUpQueue, "followUp"]] as const) {
    if (!queue) continue;
    const drain = queue.drain.bind(queue);
    queue.drain = () => {
      const got = drain();
      log.push({ k: "poll", queue: name, got: got.map((message) => textOf(message.content)) });
      return got;
    };
  }
}

/** Resolves to false when the step never settled. */
async function takeStep(play: Play, agent: PiAgent, step: Step, leave: () => void): Promise<boolean> {
  const { stage, tools } = play;
  const { log } = stage;
  switch (step.step) {
    case "prompt": {
      const { note, text: content } = step;
      if (note === undefined) return fromOutside(log, `prompt(${content})`, () => agent.prompt(content));
      const messages = [{ role: "note", content: note, timestamp: 0 }, user(content)];
      return fromOutside(log, "prompt(note+user)", () => agent.prompt(messages));
    }
    case "continue":
      return fromOutside(log, "continue()", () => agent.continue());
    case "reset":
      return fromOutside(log, "reset()", () => agent.reset());
    case "steer":
      log.push({ k: "queue", steer: step.text });
      agent.steer(user(step.text));
      return true;
    case "follow up":
      log.push({ k: "queue", followUp: step.text });
      agent.followUp(user(step.text));
      return true;
    case "set tools":
      agent.state.tools = tools.filter((tool) => step.tools.includes(tool.name));
      return true;
    case "drop last message":
      agent.state.messages = agent.state.messages.slice(0, -1);
      return true;
    case "listeners leave":
      leave();
      return true;
    case "note":
      noteState(agent, stage, step.what);
      return true;
    case "late update":
      stage.lateUpdate();
      stage.note({ lateUpdate: "tried" });
      return true;
    case "wait":
      await sleep(step.ms);
      return true;
    default:
      throw new Error(`${step.step} is no step of an agent`);
  }
}

function noteState(agent: PiAgent, stage: Stage, what: "the model" | "the state"): void {
  const { isStreaming, messages, errorMessage, model } = agent.state;
  stage.note(what === "the model" ? { agentModel: model.id } : { isStreaming, kept: messages.length, errorMessage: errorMessage ?? null });
}

async function tryToFree(agent: PiAgent, stage: Stage): Promise<void> {
  stage.log.push({ k: "abort" });
  agent.abort();
  await sleep(50);
  if (agent.state.isStreaming) stage.note({ stillRunningAfterAbort: true });
}

/** Writes rejections that nobody handles into the log, instead of letting them end the process. */
async function withRejections<Result>({ log }: Stage, run: () => Promise<Result>): Promise<Result> {
  const others = process.listeners("unhandledRejection");
  const mine = (error: unknown) => void log.push({ k: "unhandledRejection", error: String(error) });
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", mine);
  try {
    return await run();
  } finally {
    process.off("unhandledRejection", mine);
    for (const other of others) process.on("unhandledRejection", other);
  }
}

async function playLow(play: Play): Promise<Trace> {
  const { pi, scenario, stage, tools, hooks, models, stream, requests, timed } = play;
  const context: PiContext = { messages: [{ role: "system", content: system, timestamp: 0 }], tools };
  const config = { ...hooks, model: models.a };
  let kept: PiMessage[] = [];
  const hear = (event: PiEvent) => record(play, event);
  const read = async (events: AsyncIterable<PiEvent>) => {
    for await (const event of events) hear(event);
  };
  const step = scenario.steps?.[0]?.step;
  const settled = await withRejections(stage, () => {
    if (step === "run loop") {
      return fromOutside(stage.log, "runAgentLoop", async () => {
        kept = await pi.core.runAgentLoop([user("go")], context, config, hear, undefined, stream);
      });
    }
    if (step === "read loop") return fromOutside(stage.log, "for await agentLoop", () => read(pi.core.agentLoop([user("go")], context, config, undefined, stream)));
    const tail = { ...context, messages: [...context.messages, user("go"), { role: "assistant", content: text("hello"), stopReason: "stop" }] };
    return fromOutside(stage.log, "agentLoopContinue", () => read(pi.core.agentLoopContinue(tail, config, undefined, stream)));
  });
  if (!settled) stage.log.push({ k: "hung" });
  const { name, what } = scenario;
  return plainly(
    summarize({ scenario: name, what, hung: !settled, effects: stage.effects, timed, log: stage.log, requests, kept: kept.map(tracedMessage) }),
  );
}
