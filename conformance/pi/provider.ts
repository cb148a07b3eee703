/** The fake model that Pi is given: the scenario's answers, through pi-ai's own fake provider where the stream is whole. */

import type { Answer, Scenario } from "../scenarios/kinds.ts";
import type { Pi } from "./load.ts";
import type { PiMessage, PiModel, StreamFn } from "./types.ts";

/** How many characters pi-ai counts for one token. */
const charactersPerToken = 4;

export type FakeModel = { models: { a: PiModel; b: PiModel }; stream: StreamFn };

/** Each message is made when it is asked for: pi-ai times only answers that are not older than their stream. */
export function fakeModel(pi: Pi, { answers, delta = 400, pace }: Scenario): FakeModel {
  const size = delta / charactersPerToken;
  const models = [{ id: "faux-a", reasoning: true }, { id: "faux-b", reasoning: true }];
  const faux = pi.ai.fauxProvider({ models, tokenSize: { min: size, max: size }, ...(pace === undefined ? {} : { tokensPerSecond: pace }) });
  faux.setResponses(answers.filter((answer) => answer.stream === undefined).map((answer) => () => messageOf(pi, answer)));
  let asked = 0;
  return {
    models: { a: faux.getModel("faux-a"), b: faux.getModel("faux-b") },
    stream(model, context, options) {
      const answer = answers[asked++];
      return answer?.stream === undefined ? faux.provider.streamSimple(model, context, options) : oddStream(pi, answer);
    },
  };
}

function messageOf(pi: Pi, { parts, stop, error }: Answer): PiMessage {
  const blocks = parts.map((part) => {
    if (typeof part === "string") return { type: "text", text: part };
    const { id, tool, args, argumentsError } = part;
    return { type: "toolCall", id, name: tool, arguments: args ?? {}, ...(argumentsError === undefined ? {} : { argumentsError }) };
  });
  const calls = parts.some((part) => typeof part !== "string");
  const stopReason = stop ?? (calls ? "toolUse" : "stop");
  return pi.ai.fauxAssistantMessage(blocks, { stopReason, ...(error === undefined ? {} : { errorMessage: error }) });
}

function oddStream(pi: Pi, answer: Answer): unknown {
  if (answer.stream === "cannot be opened") throw new Error(answer.error);
  const stream = pi.ai.createAssistantMessageEventStream();
  queueMicrotask(() => {
    const message = messageOf(pi, answer);
    if (answer.begun !== undefined) stream.push({ type: "start", partial: { ...messageOf(pi, { parts: [answer.begun] }), stopReason: "pending" } });
    if (answer.stream === "never ends") stream.end();
    if (answer.stream === "result only") stream.end(message);
    if (answer.stream === "end only") {
      const failed = message.stopReason === "error";
      stream.push(failed ? { type: "error", reason: "error", error: message } : { type: "done", reason: message.stopReason, message });
      stream.end(message);
    }
  });
  return stream;
}
