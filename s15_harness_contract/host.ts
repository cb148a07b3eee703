/** s15: how a host answers a tool call that the harness pulls for: through the pipeline, so that validation and policy hold. */

import { executeToolCall, type ToolHooks } from "./execute.ts";
import type { PullRequest, ResumePayload } from "./harness.ts";
import type { AssistantMessage } from "./messages.ts";
import type { ToolRegistry } from "./tools.ts";

export type HostOptions = { registry: ToolRegistry; hooks: ToolHooks; signal: AbortSignal };

/** Runs the call of a pull request, and gives what the harness is to be resumed with. Never throws for a call that fails. */
export async function runToolCall(
  { payload }: Extract<PullRequest, { reason: "tool_call" }>,
  { registry, hooks, signal }: HostOptions,
): Promise<ResumePayload> {
  const call = { id: payload.callId, name: payload.toolName, args: payload.toolArgs };
  const assistantMessage: AssistantMessage = { role: "assistant", content: "", toolCalls: [call], stopReason: "toolUse" };
  const scope = { assistantMessage, messages: () => [assistantMessage], onUpdate: async () => {}, crash: {}, signal };
  const { content, isError } = await executeToolCall(registry, hooks, call, scope);
  return isError ? { error: content } : { result: content };
}
