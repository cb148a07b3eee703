/** The part of Pi that the driver touches, written loosely: two versions, and one that is not out yet, must fit. */

export type PiBlock = { type: string; text?: string; id?: string; name?: string; arguments?: unknown };

export type PiMessage = {
  role: string;
  content?: string | PiBlock[];
  stopReason?: string;
  errorMessage?: string;
  thinkingLevel?: string;
  model?: string;
  toolCallId?: string;
  toolName?: string;
  isError?: boolean;
  details?: unknown;
  durationMs?: number;
  toolsAdded?: { name: string }[];
  toolsRemoved?: unknown[];
  timestamp?: number;
};

export type PiResult = { content?: PiBlock[]; details?: unknown; structuredContent?: unknown; isError?: boolean; terminate?: boolean };
export type PiModel = { id: string; provider: string };
export type PiContext = { messages: PiMessage[]; tools?: PiTool[] };
export type PiCall = { type: "toolCall"; id: string; name: string; arguments: unknown };

export type PiTool = {
  name: string;
  label: string;
  description: string;
  parameters: object;
  executionMode?: string;
  prepareArguments?: (args: unknown) => unknown;
  execute(id: string, args: unknown, signal?: AbortSignal, onUpdate?: (partial: PiResult) => void): Promise<unknown>;
};

export type PiEvent = {
  type: string;
  message?: PiMessage;
  messages?: PiMessage[];
  assistantMessageEvent?: { type: string; delta?: string };
  toolCallId?: string;
  toolName?: string;
  args?: unknown;
  result?: PiResult;
  partialResult?: PiResult;
  isError?: boolean;
  durationMs?: number;
  toolResults?: PiMessage[];
};

export type StreamFn = (model: PiModel, context: { messages: PiMessage[] }, options?: Record<string, unknown>) => unknown;

/** A hook takes what it is given; which hook gets what is the scenario's matter. */
export type PiHooks = Record<string, (...given: never[]) => unknown>;

export type PiState = {
  messages: PiMessage[];
  tools: PiTool[];
  model: PiModel;
  isStreaming: boolean;
  streamingMessage?: PiMessage;
  pendingToolCalls: ReadonlySet<string>;
  errorMessage?: string;
};

export type PiAgent = {
  state: PiState;
  subscribe(listener: (event: PiEvent) => unknown): () => void;
  prompt(input: string | PiMessage[]): Promise<void>;
  continue(): Promise<void>;
  reset(): void;
  steer(message: PiMessage): void;
  followUp(message: PiMessage): void;
  abort(): void;
  hasQueuedMessages(): boolean;
};

export type AgentClass = new (options: Record<string, unknown>) => PiAgent;

export type LoopFunctions = {
  runAgentLoop(prompts: PiMessage[], context: PiContext, config: unknown, emit: (event: PiEvent) => unknown, signal: undefined, stream: StreamFn): Promise<PiMessage[]>;
  agentLoop(prompts: PiMessage[], context: PiContext, config: unknown, signal: undefined, stream: StreamFn): AsyncIterable<PiEvent>;
  agentLoopContinue(context: PiContext, config: unknown, signal: undefined, stream: StreamFn): AsyncIterable<PiEvent>;
  runToolCall(call: PiCall, options: Record<string, unknown>): Promise<{ result: PiResult; isError: boolean; durationMs?: number }>;
};

export type Faux = {
  provider: { streamSimple(model: PiModel, context: unknown, options?: unknown): unknown };
  setResponses(answers: (() => PiMessage)[]): void;
  getModel(id: string): PiModel;
};
