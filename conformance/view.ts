/**
 * A trace as it is compared: what a host, a tool, a provider or a reader of the transcript can tell apart, as text.
 * What is only form is taken out here, and nowhere else; `forms` in differences.ts lists it, each with a proof that it exists.
 */

import type { Scenario } from "./scenarios/kinds.ts";
import { orderOf, type Entry, type Trace, type TracedMessage, type TracedRequest } from "./trace.ts";

export const aspects = ["order", "requests", "effects", "kept", "ends", "told"] as const;
export type Aspect = (typeof aspects)[number];

/** One text per aspect; lines where it has several parts. */
export type View = Record<Aspect, string>;

/** How the last run ended, and whether something that was said is still queued. */
export type End = { how: "well" | "with an error" | "aborted"; queued: boolean };

/** `end` is what a lesson says of it; without it the state in the trace of an agent does. */
export function viewOf(trace: Trace, scenario: Scenario, end = endInState(trace)): View {
  const said = [...saidIn(scenario), ...heardIn(trace)];
  const log = trace.log.filter(isSeen);
  return {
    order: orderOf(log),
    requests: trace.requests.map((request) => requestLine(request, said)).join("\n"),
    effects: Object.entries(trace.effects).map(([tool, counts]) => `${tool} ${effectText(counts)}`).join(", "),
    kept: trace.kept.filter(isNoPrompt).map((message) => messageLine(message, said)).join("\n"),
    ends: `${trace.hung ? "never" : end.how}${end.queued ? ", with something queued" : ""}`,
    told: log.map((entry) => toldLine(entry, said)).join("\n"),
  };
}

function effectText({ started, effects }: { started: number; effects: number }): string {
  return started === effects ? String(effects) : `${started}→${effects}`;
}

function endInState({ state, kept }: Trace): End {
  const queued = state?.queued ?? false;
  if (state?.errorMessage == null) return { how: "well", queued };
  const last = kept.findLast((message) => message.role === "assistant");
  return { how: last?.stopReason === "aborted" ? "aborted" : "with an error", queued };
}

/** The first message, in which Pi keeps the prompt and the tools of the session. */
function isNoPrompt(message: TracedMessage, index: number): boolean {
  return !(index === 0 && message.role === "system");
}

/** A look at a queue has no event; what was taken shows as a message. Of a stream only the pieces and the whole calls count. */
function isSeen(entry: Entry): boolean {
  if (entry.k === "poll" || entry["sees"] === "message_update") return false;
  if (entry["type"] !== "message_update") return true;
  return ["text_delta", "toolcall_end", "tool_call"].includes(String(entry["update"]));
}

/** The texts that the scenario itself says where something fails: what is around them is wording. */
function saidIn({ tools = [], reactions = [], answers, listeners = [] }: Scenario): Said[] {
  const actions = [...tools.flatMap(({ before = [], after = [] }) => [...before, ...after]), ...reactions.flatMap(({ does = [] }) => does)];
  const texts = [
    ...actions.flatMap((action) => (action.do === "throw" ? [action.text] : [])),
    ...tools.map((tool) => `${tool.name} stopped`),
    ...reactions.flatMap(({ answers: given }) => (given?.reason ? [given.reason] : [])),
    ...answers.flatMap(({ error }) => (error === undefined ? [] : [error])),
    ...listeners.flatMap((listener) => (listener.listens === "and throws" ? [listener.text] : [])),
    "No more faux responses queued",
  ];
  return texts.map((text) => ({ text, shown: `«${text}»` }));
}

type Said = { text: string; shown: string };

/** A tool that hands on what it heard of a failed inner call hands on wording too. */
function heardIn({ log }: Trace): Said[] {
  const failed = log.filter((entry) => entry["runToolCall"] !== undefined && entry["isError"] === true);
  return failed.map((entry) => ({ text: String(entry["text"]), shown: "«a failure»" }));
}

/** Of the text of a failure only what the scenario said; `…` when the player found the words. */
function failureText(text: string, said: readonly Said[]): string {
  return said.find((each) => asWords(text).includes(asWords(each.text)))?.shown ?? "«…»";
}

/** So that a reason such as "no" is not found in "not". */
function asWords(text: string): string {
  return ` ${text.replace(/[^\w%]+/g, " ").trim()} `;
}

/** A good text, without the wording of a failure that it hands on. */
function goodText(text: string, said: readonly Said[]): string {
  const failed = said.find((each) => each.shown === "«a failure»" && text.includes(each.text));
  return json(failed ? text.replace(failed.text, failed.shown) : text);
}

function messageLine(message: TracedMessage, said: readonly Said[]): string {
  const { role, text, toolCallId, isError, details, stopReason, errorMessage, toolsAdded, toolsRemoved } = message;
  if (role === "toolResult") return `result ${toolCallId} ${isError ? `ERR ${failureText(text, said)}` : `ok ${goodText(text, said)}${detailsText(details)}`}`;
  if (role === "system") return `system${toolsAdded ? ` +${toolsAdded}` : ""}${toolsRemoved ? ` -${toolsRemoved}` : ""}`;
  const failed = errorMessage === undefined ? "" : ` ${failureText(errorMessage, said)}`;
  return `${role} ${json(text)}${stopReason === undefined ? "" : ` ${stopReason}`}${failed}`;
}

/** No details and empty details say the same. */
function detailsText(details: unknown): string {
  if (details === undefined || json(details) === "{}") return "";
  return ` ${json(details)}`;
}

function requestLine(request: TracedRequest, said: readonly Said[]): string {
  const { model, aborted, reasoning, messages } = request;
  const head = [model, `tools: ${toolsOf(request).join(", ") || "none"}`, ...(reasoning ? [`thinking ${reasoning}`] : []), ...(aborted ? ["aborted"] : [])];
  return `${head.join("; ")}: ${messages.filter(isNoPrompt).map((message) => messageLine(message, said)).join(" | ")}`;
}

/** A request of the lessons lists its tools; Pi's messages add and take away. */
function toolsOf({ tools, messages }: TracedRequest): string[] {
  if (tools) return tools;
  const now = new Set<string>();
  for (const { toolsAdded = [], toolsRemoved = [] } of messages) {
    toolsAdded.forEach((tool) => now.add(tool));
    toolsRemoved.forEach((tool) => now.delete(tool));
  }
  return [...now];
}

const roleFields = ["roles", "contextRoles", "messages", "newMessages"];
const plainFields = ["toolCallId", "args", "tools", "model", "thinkingLevel", "stopReason", "toolResults", "aborted", "isError", "delta"];

/** What a hook, a subscriber or a tool was told, without what only one side has. */
function toldLine(entry: Entry, said: readonly Said[]): string {
  const parts: string[] = [];
  const isMessage = String(entry["type"] ?? "").startsWith("message_");
  for (const field of isMessage ? ["delta"] : plainFields) if (entry[field] !== undefined) parts.push(`${field} ${json(entry[field])}`);
  for (const field of roleFields) if (Array.isArray(entry[field])) parts.push(`${field} ${withoutPrompt(entry[field]).join(" ")}`);
  const shows = entry["type"] === "message_end" || (entry["type"] === "message_start" && entry["role"] !== "assistant");
  if (shows) parts.push(messageLine(entry as unknown as TracedMessage, said));
  if (entry["result"] !== undefined) parts.push(resultText(entry["result"] as Told, entry["isError"] === true, said));
  if (entry["partial"] !== undefined) parts.push(resultText(entry["partial"] as Told, false, said));
  if (entry["runToolCall"] !== undefined) parts.push(entry["isError"] ? failureText(String(entry["text"]), said) : json(entry["text"]));
  return [entry.k, entry["name"] ?? entry["type"] ?? entry["at"] ?? "", ...parts].join(" ").trimEnd();
}

type Told = { text?: string; details?: unknown; structuredContent?: unknown; terminate?: boolean };

function resultText({ text = "", details, structuredContent, terminate }: Told, failed: boolean, said: readonly Said[]): string {
  const content = failed ? failureText(text, said) : goodText(text, said);
  const rest = failed ? "" : detailsText(details);
  const structured = structuredContent === undefined ? "" : ` structured ${json(structuredContent)}`;
  return `${content}${rest}${structured}${terminate ? " terminate" : ""}`;
}

function withoutPrompt(roles: unknown[]): unknown[] {
  return roles[0] === "system" ? roles.slice(1) : roles;
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
