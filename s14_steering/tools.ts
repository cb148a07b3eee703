/**
 * s04: the model reads a spec, the host runs a handler, and a call meets its result through an id.
 * s06: a tool can be removed, and a registry can be copied.
 * s09: a tool describes its arguments, works as long as it needs, and gives back more than a text.
 * s10: a result can vote for the end of the run.
 * s11: a tool declares what it does, and to which paths.
 * s12: a tool can say that nothing may run beside it.
 * s13: a tool can be told to stop.
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
  /** Aborted when the run is. A tool that obeys it stops its work and settles; nothing can make it. */
  signal: AbortSignal;
  /** Tells subscribers how far the tool is; settles when they have heard. Does nothing once the tool has settled. */
  onUpdate(partialResult: AgentToolResult): Promise<void>;
  /** Calls another tool through the same steps and hooks as the model's calls. Never throws for a call that fails. */
  runToolCall(call: Omit<ToolCall, "id">): Promise<AgentToolResult>;
};

/** What the host does when the tool is called. May throw anything; the loop answers with an error result. */
export type ToolHandler = (args: ToolArgs, context: ToolContext) => ToolReturn;

/** What a tool can do to a place. */
export type Effect =
  | "read"
  | "write"
  | "list";

export type PathUse = { path: unknown; effect: Effect };

/** Whether the calls of one answer run one after the other or together. */
export type ToolExecutionMode =
  | "sequential"
  | "parallel";

export type ToolOptions = {
  /** Everything that the tool does outside of its own memory. It is the tool's word about itself; nobody can check it. */
  effects: readonly Effect[];
  /** The paths among the arguments and what is done to each. May be empty. A path that has a default is named with it. */
  paths: (args: ToolArgs) => readonly PathUse[];
  /** Mends what a model is known to get wrong, before validation. Gets a copy of what the model wrote. */
  prepareArguments?: (args: unknown) => unknown;
  /** `sequential` when nothing may run beside this tool. It makes the whole batch sequential. */
  executionMode?: ToolExecutionMode;
};

type Tool = ToolOptions & { spec: ToolSpec; handler: ToolHandler };

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  /** @throws Error when the name is empty or already taken, or when the tool does not declare its effects and paths. */
  register(spec: ToolSpec, handler: ToolHandler, options: ToolOptions): void {
    if (!Array.isArray(options?.effects) || typeof options.paths !== "function") {
      throw new Error(`tool "${spec.name}" must declare its effects and its paths; both may be empty`);
    }
    if (spec.name.trim() === "") throw new Error("a tool needs a name");
    if (this.#tools.has(spec.name)) throw new Error(`a tool named "${spec.name}" is already registered`);
    this.#tools.set(spec.name, freeze({ ...options, effects: [...options.effects], spec: structuredClone(spec), handler }));
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

  /** True when there is such a tool and nothing may run beside it. */
  isSequential(name: string): boolean {
    return this.#tools.get(name)?.executionMode === "sequential";
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
