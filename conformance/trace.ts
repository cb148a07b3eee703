/** The one format in which a scenario is recorded, whoever plays it, and its short form. */

export const hookNames = [
  "prepareRequest",
  "transformContext",
  "convertToLlm",
  "getApiKey",
  "beforeToolCall",
  "afterToolCall",
  "finishTurn",
  "prepareNextTurn",
  "prepareNextTurnWithContext",
] as const;

export type HookName = (typeof hookNames)[number];

/**
 * One thing that happened. `k` says of which sort: `event`, `hook` (what it was given, what it `returned` or `threw`),
 * `request`, `tool` (`at` start or effect), `poll` (a queue was looked at), `call` and `settled` (from outside), `queue`,
 * `abort`, `note` (from the scenario), `unhandledRejection`, `hung`.
 */
export type Entry = { k: string; [field: string]: unknown };

export type TracedMessage = {
  role: string;
  text: string;
  toolCalls?: { id: string; name: string; args: unknown }[];
  toolCallId?: string;
  toolName?: string;
  isError?: boolean;
  details?: unknown;
  stopReason?: string;
  errorMessage?: string;
  thinkingLevel?: string;
  model?: string;
  toolsAdded?: string[];
  toolsRemoved?: string[];
};

export type TracedRequest = {
  n: number;
  model: string;
  messages: TracedMessage[];
  /** True when the signal was aborted before the request left. */
  aborted?: true;
  reasoning?: string;
  /** Where they are a field of the request, as in the lessons. Pi tells them in system messages. */
  tools?: string[];
  /** Calls in the request that have no result; not there when there are none. */
  unansweredToolCalls?: string[];
  optionKeys?: string[];
  identity?: unknown;
};

export type Settled = { name: string; outcome: "resolved" | "rejected"; error?: string };

export type Trace = {
  scenario: string;
  what: string;
  calls: Settled[];
  hung: boolean;
  requestCount: number;
  models: string[];
  effects: Record<string, { started: number; effects: number }>;
  keptRoles: string[];
  unansweredToolCalls: string[];
  balance: { startWithoutEnd: string[]; endWithoutStart: string[] };
  unhandledRejections: string[];
  state?: { isStreaming: boolean; pendingToolCalls: string[]; streamingMessage: boolean; errorMessage: string | null; queued: boolean };
  /** How many events and messages carried a duration. */
  timed: Record<string, number>;
  log: Entry[];
  requests: TracedRequest[];
  kept: TracedMessage[];
};

/** What follows from the rest of a trace. */
export function summarize(
  raw: Omit<Trace, "calls" | "requestCount" | "models" | "keptRoles" | "unansweredToolCalls" | "balance" | "unhandledRejections">,
): Trace {
  const { log, requests, kept } = raw;
  return {
    ...raw,
    calls: log.filter((entry) => entry.k === "settled").map(({ k: _k, ...settled }) => settled as Settled),
    requestCount: requests.length,
    models: requests.map((request) => request.model),
    keptRoles: kept.map((message) => message.role),
    unansweredToolCalls: unanswered(kept),
    balance: balanceOf(log),
    unhandledRejections: log.filter((entry) => entry.k === "unhandledRejection").map((entry) => String(entry["error"])),
  };
}

/** The calls of a request that have no result. */
export function openCalls(messages: readonly TracedMessage[]): Pick<TracedRequest, "unansweredToolCalls"> {
  const open = unanswered(messages);
  return open.length === 0 ? {} : { unansweredToolCalls: open };
}

function unanswered(kept: readonly TracedMessage[]): string[] {
  const answered = new Set(kept.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
  return kept.flatMap((message) => message.toolCalls ?? []).map((call) => call.id).filter((id) => !answered.has(id));
}

/** The starts that have no end, and the ends that have no start. */
function balanceOf(log: readonly Entry[]): Trace["balance"] {
  const open: string[] = [];
  const endWithoutStart: string[] = [];
  for (const entry of log) {
    if (entry.k !== "event") continue;
    const type = String(entry["type"]);
    const name = nameOf(entry);
    if (name === undefined) continue;
    if (type.endsWith("_start")) open.push(name);
    if (!type.endsWith("_end")) continue;
    const at = open.lastIndexOf(name);
    if (at === -1) endWithoutStart.push(name);
    else open.splice(at, 1);
  }
  return { startWithoutEnd: open, endWithoutStart };
}

function nameOf(entry: Entry): string | undefined {
  const type = String(entry["type"]);
  if (type.startsWith("message_")) return `message ${entry["role"]}`;
  if (type.startsWith("tool_execution_")) return `tool ${entry["toolCallId"]}`;
  return type.split("_")[0];
}

const hookSigns: Record<string, string> = {
  prepareRequest: "pR",
  transformContext: "tC",
  convertToLlm: "cL",
  getApiKey: "gK",
  beforeToolCall: "bT",
  afterToolCall: "aT",
  finishTurn: "fT",
  prepareNextTurn: "nT",
  prepareNextTurnWithContext: "nTc",
};

/** The order in which things happened, in signs. `docs/pi-facts.md` explains them. */
export function orderOf(log: readonly Entry[]): string {
  const signs = log.flatMap(signsOf);
  return joinRuns(signs).join(" ");
}

function signsOf(entry: Entry): string[] {
  const sign = signOf(entry);
  return sign === undefined ? [] : [sign];
}

function signOf(entry: Entry): string | undefined {
  const number = (id: unknown) => String(id).replace(/^c(?=\d)/, "");
  const list = (items: unknown) => (Array.isArray(items) && items.length > 0 ? `=${items.join("+")}` : "");
  switch (entry.k) {
    case "hook":
      return `${hookSigns[String(entry["name"])]}${entry["toolCallId"] === undefined ? "" : number(entry["toolCallId"])}${entry["threw"] === undefined ? "" : "!"}`;
    case "request":
      return `REQ${entry["n"]}${entry["model"] === "faux-a" ? "" : `/${String(entry["model"]).replace("faux-", "")}`}${entry["aborted"] ? "!" : ""}`;
    case "tool":
      return `${entry["at"] === "start" ? "run" : "eff"}${number(entry["toolCallId"])}`;
    case "poll":
      return `${entry["queue"] === "steering" ? "qS" : "qF"}${list(entry["got"])}`;
    case "call":
      return `<${entry["name"]}>`;
    case "settled":
      return `=>${entry["outcome"]}`;
    case "queue":
      return entry["steer"] === undefined ? `[followUp ${entry["followUp"]}]` : `[steer ${entry["steer"]}]`;
    case "abort":
      return "[abort]";
    case "hung":
      return "[HUNG]";
    case "unhandledRejection":
      return "[unhandled rejection]";
    case "note":
      return noteSign(entry);
    default:
      return eventSign(entry, number);
  }
}

function noteSign(note: Entry): string | undefined {
  if (note["left"] !== undefined) return `[left ${note["left"]}]`;
  if (note["listenerThrowsOn"] !== undefined) return "[listener throws]";
  if (note["lateUpdate"] !== undefined) return "[late update]";
  return undefined;
}

function eventSign(event: Entry, number: (id: unknown) => string): string | undefined {
  const tool = `t${number(event["toolCallId"])}`;
  const failed = event["isError"] ? "ERR" : "ok";
  switch (event["type"]) {
    case "agent_start":
      return "agent(";
    case "agent_end":
      return ")agent";
    case "turn_start":
      return "turn(";
    case "turn_end":
      return ")turn";
    case "tool_execution_start":
      return `${tool}(`;
    case "tool_execution_update":
      return "~";
    case "tool_execution_end":
      return `)${tool}:${failed}`;
    case "message_update":
      return "~1";
    case "message_start":
      return `${messageSign(event, number)}(`;
    case "message_end":
      return event["role"] === "assistant" ? `)ans:${event["stopReason"]}` : `)${messageSign(event, number)}`;
    default:
      return undefined;
  }
}

function messageSign(event: Entry, number: (id: unknown) => string): string {
  switch (event["role"]) {
    case "assistant":
      return "ans";
    case "toolResult":
      return `res${number(event["toolCallId"])}:${event["isError"] ? "ERR" : "ok"}`;
    case "system":
      return "sys";
    case "user":
      return /^(S\d|F\d|appended|continue)$/.test(String(event["text"])) ? `user:${event["text"]}` : "user";
    default:
      return String(event["role"]);
  }
}

/** Updates in a row become one sign with their number; the start and end of a message that has nothing between become one. */
function joinRuns(signs: readonly string[]): string[] {
  const joined: string[] = [];
  for (const sign of signs) {
    const last = joined.at(-1);
    if (sign === "~1" && last?.match(/^~\d+$/)) joined[joined.length - 1] = `~${Number(last.slice(1)) + 1}`;
    else if (last?.endsWith("(") && sign === `)${last.slice(0, -1)}` && /^(user|sys|res|note)/.test(last)) joined[joined.length - 1] = last.slice(0, -1);
    else joined.push(sign);
  }
  return joined;
}
