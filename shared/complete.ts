/** For s01, which has no events yet: joins the events of a provider into one whole message. */

import type { MessageEnd, MessageStart, TextDelta } from "./fake-provider.ts";

export type WholeEvent = MessageStart | TextDelta | MessageEnd<"stop" | "length" | "error">;
type WholeMessage = { role: "assistant"; content: string; stopReason: "stop" | "length" | "error"; errorMessage?: string };

/** Rejects when the stream throws or ends without an end event. */
export function completing<Request>(provider: { stream(request: Request): AsyncIterable<WholeEvent> }): {
  complete(request: Request): Promise<WholeMessage>;
} {
  return {
    async complete(request) {
      let content = "";
      for await (const event of provider.stream(request)) {
        if (event.type === "text_delta") content += event.delta;
        if (event.type !== "message_end") continue;
        const { stopReason, errorMessage } = event;
        return { role: "assistant", content, stopReason, ...(errorMessage === undefined ? {} : { errorMessage }) };
      }
      throw new Error("the provider broke off");
    },
  };
}
