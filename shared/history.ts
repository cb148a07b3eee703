/** The rules by which a real chat API refuses a history. The fake provider and `play` both ask here. */

/** What every lesson's message looks like to a provider, whatever else it carries. */
export type WireMessage = {
  role: string;
  content: string;
  toolCalls?: readonly { id: string; name: string; args: unknown }[];
  toolCallId?: string;
};

/** What every lesson's request looks like to a provider. A lesson's own type has more, never less. */
export type WireRequest = {
  messages: readonly WireMessage[];
  tools?: readonly { name: string; description: string }[];
  model?: string;
};

const roles: readonly string[] = ["user", "assistant", "toolResult"];

/**
 * Why a request with these messages would be refused, or undefined when it would be accepted. The text names the
 * rule (a closed list) and the place; places count from 1. A role that no API has is refused before any rule.
 * - H1 a call has no result before the next user or assistant message, or before the end
 * - H2 a result has no call
 * - H3 a call has two results
 * - H4 a call id is used twice in one request
 * - H5 an assistant message has neither text nor call
 * - H6 the request ends with an assistant message
 * - H7 the request is empty
 *
 * Two user messages in a row are accepted: some services merge them, some refuse.
 */
export function refusalOf(messages: readonly WireMessage[]): string | undefined {
  const unknown = messages.find((message) => !roles.includes(message.role));
  if (unknown) return `unknown role "${unknown.role}"; roles: ${roles.join(", ")}`;
  if (messages.length === 0) return "H7: the request is empty";
  return pairing(messages) ?? ending(messages);
}

function pairing(messages: readonly WireMessage[]): string | undefined {
  const seen = new Set<string>();
  const answered = new Set<string>();
  let open = new Set<string>();

  for (const [index, message] of messages.entries()) {
    const place = `message ${index + 1}`;
    if (message.role === "toolResult") {
      const id = message.toolCallId ?? "";
      if (answered.has(id)) return `H3: ${place} is a second result for call "${id}"`;
      if (!open.delete(id)) return `H2: ${place} is a result for call "${id}", which nobody made`;
      answered.add(id);
      continue;
    }
    if (open.size > 0) return `H1: call "${[...open][0]}" has no result before ${place}`;
    if (message.role !== "assistant") continue;

    const ids = (message.toolCalls ?? []).map((call) => call.id);
    if (ids.length === 0 && !message.content) return `H5: ${place} is an assistant message with neither text nor call`;
    for (const id of ids) {
      if (seen.has(id)) return `H4: ${place} uses call id "${id}" a second time`;
      seen.add(id);
    }
    open = new Set(ids);
  }
  if (open.size > 0 && messages.at(-1)?.role !== "assistant") return `H1: call "${[...open][0]}" has no result before the end`;
  return undefined;
}

function ending(messages: readonly WireMessage[]): string | undefined {
  if (messages.at(-1)?.role !== "assistant") return undefined;
  return "H6: the request ends with an assistant message";
}
