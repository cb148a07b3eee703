/**
 * s04: the model reads a spec, the host runs a handler, and a call meets its result through an id.
 * s06: a tool can be removed, and a registry can be copied.
 * s09: a tool describes its arguments, works as long as it needs, and gives back more than a text.
 * s10: a result can vote for the end of the run.
 * Still missing: a tool cannot be told to stop (s13).
 */

import { messageOf, toolError, type ToolResultMessage } from "./messages.ts";
import type { ObjectSchema } from "./validate.ts";

/** What the model is told about a tool. */
export type ToolSpec = {
  name: string;
  description: string;
  /** The arguments that the tool takes. */
  parameters: ObjectSchema;
};

/** Arguments that fit the tool's schema. Frozen, because they are what was judged. */
export type ToolArgs = Readonly<Record<string, unknown>>;

/** The model's request to execute a tool. `args` is whatever the model wrote; nobody has checked it. */
export type ToolCall = { id: string; name: string; args: unknown };

/** What the work of a tool has cost, in tokens. */
export type Usage = { input: number; output: number };

/** What came of a call. The model reads `content`; the rest is for the host. A failure says so in `isError`, and in its text. */
export type AgentToolResult = {
  content: string;
  details?: unknown;
  /** The result for a program. Told to subscribers, kept out of the transcript. */
  structuredContent?: unknown;
  isError?: boolean;
  usage?: Usage;
  /** A vote for ending the run after this batch. It counts only when every result of the batch has it. */
  terminate?: boolean;
};

/** What a handler gives back: the text that the model reads, or a whole result, now or later. */
export type ToolReturn = string | AgentToolResult | Promise<string | AgentToolResult>;

/** What a handler can use while it works. */
export type ToolContext = {
  toolCallId: string;
  /** Tells subscribers how far the tool is; settles when they have heard. Does nothing once the tool has settled. */
  onUpdate(partialResult: AgentToolResult): Promise<void>;
  /** Calls another tool through the same steps and hooks as the model's calls. Never throws for a call that fails. */
  runToolCall(call: Omit<ToolCall, "id">): Promise<AgentToolResult>;
};

/** What the host does when the tool is called. May throw anything; the loop answers with an error result. */
export type ToolHandler = (args: ToolArgs, context: ToolContext) => ToolReturn;

export type ToolOptions = {
  /** Mends what a model is known to get wrong, before validation. Gets a copy of what the model wrote. */
  prepareArguments?: (args: unknown) => unknown;
};

type Tool = ToolOptions & { spec: ToolSpec; handler: ToolHandler };

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  /** @throws Error when the name is empty or already taken. */
  register(spec: ToolSpec, handler: ToolHandler, options: ToolOptions = {}): void {
    if (spec.name.trim() === "") throw new Error("a tool needs a name");
    if (this.#tools.has(spec.name)) throw new Error(`a tool named "${spec.name}" is already registered`);
    this.#tools.set(spec.name, freeze({ ...options, spec: structuredClone(spec), handler }));
  }

  /** True when there was such a tool. */
  unregister(name: string): boolean {
    return this.#tools.delete(name);
  }

  /** The same tools with the same handlers. From here on the two registries change apart. */
  copy(): ToolRegistry {
    const copy = new ToolRegistry();
    for (const [name, tool] of this.#tools) copy.#tools.set(name, tool);
    return copy;
  }

  /** Copies of the specs, in the order of registration. */
  getSpecs(): ToolSpec[] {
    return [...this.#tools.values()].map(({ spec }) => structuredClone(spec));
  }

  /**
   * Exactly the tool that is named. Frozen.
   * @throws Error that names the tools that exist, when there is no such tool.
   */
  find(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool) return tool;
    throw new Error(`unknown tool "${name}"; tools: ${[...this.#tools.keys()].join(", ") || "none"}`);
  }
}

/** Freezes a value down to its innermost list, and gives it back. */
export function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const inside of Object.values(value)) freeze(inside);
  return Object.freeze(value);
}

/** What came of running a call, whatever happened. Never throws. */
export async function settle(call: ToolCall, run: () => ToolReturn): Promise<AgentToolResult> {
  try {
    const returned = await run();
    if (typeof returned === "string") return { content: returned };
    if (typeof returned?.content === "string") return structuredClone(returned);
    return toolError(`tool "${call.name}" returned no text`);
  } catch (error) {
    return toolError(messageOf(error));
  }
}

/** The message that answers a call. */
export function toolResult(call: ToolCall, result: AgentToolResult): ToolResultMessage {
  const { structuredContent: _told, terminate: _counted, ...kept } = result;
  return { isError: false, ...kept, role: "toolResult", toolCallId: call.id };
}
