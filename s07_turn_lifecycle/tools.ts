/**
 * s04: the model reads a spec, the host runs a handler, and a call meets its result through an id.
 * s06: a tool can be removed, and a registry can be copied.
 * Still missing: arguments reach the handler unchecked (s09).
 */

import { messageOf, toolError, type ToolResultMessage } from "./messages.ts";

/** What the model is told about a tool. */
export type ToolSpec = {
  name: string;
  description: string;
};

/** The model's request to execute a tool. `args` is whatever the model wrote; nobody has checked it. */
export type ToolCall = { id: string; name: string; args: unknown };

/** What a handler gives back: the text that the model reads. */
export type ToolReturn = string;

/** What the host does when the tool is called. May throw anything; the loop answers with an error result. */
export type ToolHandler = (args: unknown) => ToolReturn;

type Tool = { spec: ToolSpec; handler: ToolHandler };

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  /** @throws Error when the name is empty or already taken. */
  register(spec: ToolSpec, handler: ToolHandler): void {
    if (spec.name.trim() === "") throw new Error("a tool needs a name");
    if (this.#tools.has(spec.name)) throw new Error(`a tool named "${spec.name}" is already registered`);
    this.#tools.set(spec.name, { spec: { ...spec }, handler });
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
    return [...this.#tools.values()].map(({ spec }) => ({ ...spec }));
  }

  /**
   * Exactly the tool that is named. A copy.
   * @throws Error that names the tools that exist, when there is no such tool.
   */
  find(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool) return { ...tool, spec: { ...tool.spec } };
    throw new Error(`unknown tool "${name}"; tools: ${[...this.#tools.keys()].join(", ") || "none"}`);
  }

  /**
   * Runs the handler of the tool that is named.
   * @throws Error when there is no such tool, and whatever the handler throws.
   */
  run(call: ToolCall): ToolReturn {
    return this.find(call.name).handler(call.args);
  }
}

/** What came of running a call, whatever happened. Never throws. */
export function settle(call: ToolCall, run: () => ToolReturn): string {
  try {
    const returned: unknown = run();
    if (typeof returned === "string") return returned;
    return toolError(`tool "${call.name}" returned no text`);
  } catch (error) {
    return toolError(messageOf(error));
  }
}

/** The message that answers a call. */
export function toolResult(call: ToolCall, result: string): ToolResultMessage {
  return { role: "toolResult", toolCallId: call.id, content: result };
}
