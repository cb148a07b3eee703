/** Names that may stand in backticks although no lesson's code holds them, each group with the reason. */

type Group = readonly [why: string, names: string];

/** The groups that any page may use. */
const everywhere: readonly Group[] = [
  [
    "words of TypeScript and JavaScript",
    `
      abstract any as async await boolean break catch class const continue default else enum export extends
      false finally for from function if import in instanceof interface let new null number object of
      readonly return static string super switch this throw true try type typeof undefined unknown var void
      while yield
    `,
  ],
  [
    "global objects of JavaScript",
    `
      Array Boolean Date Error Intl JSON Map Math Number Object Promise Proxy RangeError Record Partial
      Readonly RegExp Set String Symbol SyntaxError TypeError WeakMap parse stringify then resolve reject
      all race allSettled freeze prototype __proto__ constructor toString hasOwn
    `,
  ],
  [
    "the Node of the reader",
    `
      AbortController AbortSignal AsyncGenerator AsyncIterable Buffer EPIPE NO_COLOR FORCE_COLOR CI LANG
      LC_ALL LC_MESSAGES UTF console env fetch log node npm npx process queueMicrotask setTimeout signal
      stderr stdin stdout structuredClone nextTick aborted
    `,
  ],
  [
    "tools of the course, and their files",
    `
      git tsx tsc typescript vitest picocolors ts md zh en sh json package README GLOSSARY CONTRIBUTING
      CHANGELOG LICENSE noUncheckedIndexedAccess exactOptionalPropertyTypes verbatimModuleSyntax
      erasableSyntaxOnly strict PowerShell cmd main test diff my_s05
    `,
  ],
  [
    "Pi: its packages",
    `
      Pi pi earendil works agent core ai coding
    `,
  ],
  [
    "Pi: messages and their content (agent-core and pi-ai, 1.0.3 and 1.6.0)",
    `
      AgentMessage AgentState AgentContext AgentTool AgentToolCall AgentToolResult AssistantMessage
      AssistantMessageEvent UserMessage ToolResultMessage Message Context Model Tool ToolCall TextContent
      ThinkingContent ImageContent Usage StopReason role user assistant toolResult content text thinking
      image toolCall toolCallId toolName arguments details isError usage timestamp stopReason errorMessage
      stop length toolUse error aborted provider api model thinkingLevel reasoning systemPrompt
      customMessage custom argumentsError
    `,
  ],
  [
    "Pi: events of a run",
    `
      AgentEvent agent_start agent_end turn_start turn_end message_start message_update message_end
      tool_execution_start tool_execution_update tool_execution_end assistantMessageEvent start done
      text_start text_delta text_end thinking_start thinking_delta thinking_end toolcall_start
      toolcall_delta toolcall_end durationMs
    `,
  ],
  [
    "Pi: hooks, callbacks and functions of the loop",
    `
      Agent AgentOptions AgentLoopConfig agentLoop agentLoopContinue runAgentLoop runAgentLoopContinue
      prompt continue subscribe abort waitForIdle reset steer followUp clearAllQueues streamFn streamSimple streamFunction
      transformContext convertToLlm getApiKey prepareRequest prepareNextTurn prepareNextTurnWithContext
      beforeToolCall afterToolCall finishTurn shouldStopAfterTurn getSteeringMessages getFollowUpMessages
      onPayload onResponse onProviderStreamEvent BeforeToolCallContext BeforeToolCallResult
      AfterToolCallContext AfterToolCallResult assistantMessage args context result block reason terminate
      action end toolExecution sequential parallel executionMode execute onUpdate label description
      parameters name replay never safe pendingToolCalls isStreaming messages tools session_before_compact
      project_trust input tool_call tool_result setModel setTools setSystemPrompt
    `,
  ],
];

/** The groups for pages that belong to no lesson, such as docs/real-model.md. */
const outsideLessons: readonly Group[] = [
  [
    "fields and values of two public chat APIs",
    `
      messages role content system developer user assistant tool tools tool_calls tool_call_id tool_choice
      function arguments finish_reason tool_use tool_result tool_use_id input input_schema parameters
      stop_reason end_turn max_tokens stop_sequence stop length pause_turn refusal delta choices index id
      type text is_error stream usage model data event DONE name description content_filter content_block
      content_block_start content_block_delta content_block_stop message_delta message_stop input_json_delta
      text_delta partial_json chat completions max_completion_tokens stream_options include_usage strict
      null reasoning_effort output_config effort ping model_context_window_exceeded
    `,
  ],
];

function byName(groups: readonly Group[]): Readonly<Record<string, string>> {
  const entries = groups.flatMap(([why, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, why] as const),
  );
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Record<string, string>;
}

/** Name → why it is allowed. */
export const allowedNames = byName(everywhere);
export const namesOutsideLessons = byName(outsideLessons);
