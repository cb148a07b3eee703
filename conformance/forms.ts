/** What view.ts takes out before it compares, because it is form and not behaviour. Each stands here with a proof that it exists. */

import type { Trace } from "./trace.ts";

/** `shows` must hold for Pi and must not hold for the lesson, in this scenario. When it no longer does, the form is gone. */
export type Form = { form: string; scenario: string; shows(trace: Trace): boolean };

export const forms: readonly Form[] = [
  {
    form: "Pi keeps the prompt and the tools of the session in a first message with the role system; the lessons have no such role.",
    scenario: "tool-one",
    shows: ({ kept }) => kept[0]?.role === "system",
  },
  {
    form: "Pi tells of a stream its starts, pieces and ends; the lessons tell each piece of text, and each call once.",
    scenario: "tool-one",
    shows: ({ log }) => log.some((entry) => entry["update"] === "toolcall_start"),
  },
  {
    form: "What the start of an answer shows of an error that comes later. In Pi an answer that is made up shows it at once.",
    scenario: "prepare-request-throws",
    shows: ({ log }) => log.some((entry) => entry["type"] === "message_start" && entry["errorMessage"] !== undefined),
  },
  {
    form: "The words around the text of a failure: the lessons write `blocked: ` or `error: ` in front, or name the hook.",
    scenario: "before-block-reason",
    shows: ({ kept }) => kept.some(({ text }) => text === "not today"),
  },
  {
    form: "An error result of Pi has empty details; one of the lessons has none.",
    scenario: "tool-throws",
    shows: ({ log }) => log.some((entry) => entry["type"] === "tool_execution_end" && detailsIn(entry["result"])),
  },
  {
    form: "Pi writes the name of the tool into a result message; the lessons only the id of the call.",
    scenario: "tool-one",
    shows: ({ kept }) => kept.some(({ role, toolName }) => role === "toolResult" && toolName === "alpha"),
  },
  {
    form: "Pi writes the name of the model into an answer; the lessons only into the request.",
    scenario: "plain-text",
    shows: ({ kept }) => kept.some(({ role, model }) => role === "assistant" && model === "faux-a"),
  },
  {
    form: "Looks at the queues: recorded on Pi by standing in front of them. What was taken shows as a message.",
    scenario: "plain-text",
    shows: ({ log }) => log.some((entry) => entry.k === "poll"),
  },
];

function detailsIn(result: unknown): boolean {
  return typeof result === "object" && result !== null && "details" in result;
}
