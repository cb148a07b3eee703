/** Observed facts about aborting, subscribers, queues, and the ways into a session. */

import { entry, error, fact, hangs, has, kept, lacks, lastAnswer, only, open, queued, ran, requests, result, settles, twice, unanswered, type Fact } from "./kinds.ts";

export const sessionFacts: readonly Fact[] = [
  fact("abort-before-tool", "Abort when an answer with two calls ends. 1.6.0: no hook, both calls announced and answered. 1.0.3: the first is asked about and answered, the second stays unanswered. Then one more request, with an aborted signal.", "带两个调用的回答一结束就中止。1.6.0：不问 hook，两个调用都宣布并答复。1.0.3：第一个问了关口并答复，第二个一直没有结果。之后还有一次请求，信号已经中止。", ran("alpha", 0), ran("beta", 0), has("REQ2!"), only("1.6.0", has("t1( )t1:ERR t2( )t2:ERR"), unanswered()), only("1.0.3", has("t1( bT1 )t1:ERR res1:ERR fT"), unanswered("c2"))),
  fact("abort-before-tool-no-hooks", "The same without hooks.", "不装 hook 也一样。", ran("alpha", 0), has("REQ2!"), only("1.6.0", unanswered()), only("1.0.3", unanswered("c2"))),
  fact("abort-in-before", "Abort inside beforeToolCall: that call is answered and does not run. 1.6.0 also answers the next; 1.0.3 never announces it.", "在 beforeToolCall 里中止：这个调用得到答复，不执行。1.6.0 也答复下一个；1.0.3 根本不宣布它。", ran("alpha", 0), ran("beta", 0), only("1.6.0", unanswered()), only("1.0.3", unanswered("c2"), lacks("t2("))),
  fact("abort-in-second-before", "Abort inside the second beforeToolCall: the first call, already permitted, does not run either.", "在第二个 beforeToolCall 里中止：已经放行的第一个调用也不执行。", ran("alpha", 0), ran("beta", 0), ran("gamma", 0), only("1.6.0", unanswered()), only("1.0.3", unanswered("c3"))),
  fact("abort-during-sequential-then-prompt", "Abort during the first of three calls: 1.6.0 answers the others; 1.0.3 leaves them unanswered, and the next prompt sends them so.", "三个调用里第一个执行时中止：1.6.0 会答复其余的；1.0.3 不答复，下一次提问就这样发送。", ran("alpha", 1, 0), ran("beta", 0), only("1.6.0", unanswered()), only("1.0.3", unanswered("c2", "c3"))),
  fact("abort-during-parallel", "Abort while two tools run: the one that does not listen finishes, and its good result is kept; finishTurn and prepareNextTurn are asked, and one more request leaves, with an aborted signal.", "两个工具运行时中止：不听信号的那个会做完，好结果照样保存；还会问 finishTurn 和 prepareNextTurn，再发一次请求，信号已经中止。", ran("alpha", 1, 0), ran("beta", 1), result("c2", false, "beta result c2"), has("fT )turn qS nT qS turn( pR tC cL gK REQ2!")),
  fact("abort-during-tool-with-queue", "Abort while messages wait: the steering message is taken and goes into the aborted request; the follow-up stays queued.", "有消息等着时中止：steering 消息被取走，进了那次已中止的请求；follow-up 留在队列里。", has("qS=S1"), has("REQ2!"), queued(true)),
  fact("abort-during-stream", "Abort while an answer arrives: the part so far is kept with the stop reason aborted, finishTurn is asked, prompt() resolves.", "回答到一半时中止：已到的部分以 aborted 保存，会问 finishTurn，prompt() 正常完成。", lastAnswer("aborted", "aaaabbbb"), has(")ans:aborted fT"), settles("resolved")),
  fact("abort-in-prepare-request", "Abort inside prepareRequest: the other hooks are asked, and the provider is asked with an aborted signal.", "在 prepareRequest 里中止：其他 hook 照样问，provider 也照样问，信号已经中止。", has("pR [abort] tC cL gK REQ1!")),
  fact("abort-then-hook-throws", "prepareRequest aborts and throws: the answer that is made up says aborted, with the hook's message.", "prepareRequest 先中止再抛出异常：补上的回答是 aborted，文字是 hook 的。", lastAnswer("aborted", ""), error("prepare broke"), requests(0)),
  fact("listener-order", "Subscribers hear an event in the order of subscription, each awaited before the next; the loop waits for all.", "订阅者按订阅顺序听到事件，逐个等待；循环等所有人。", (trace) => inTurn(trace.log)),
  fact("listener-sees-reduced-state", "State changes before subscribers hear: a message is in the transcript at its end, a call is pending at its start and no longer at its end.", "状态先变，订阅者后听到：消息结束时已在对话记录里，调用开始时算进行中，结束时已不算。", entry({ at: "message_end", messages: 2, streaming: null }), entry({ at: "tool_execution_start", pending: ["c1"] }), entry({ at: "tool_execution_end", pending: [] })),
  fact("listener-throws-agent-start", "A subscriber that throws ends the run with a made-up error answer; prompt() resolves. On agent_start the prompt is lost.", "订阅者抛出异常，运行就以补上的错误回答结束；prompt() 正常完成。如果发生在 agent_start，提问就丢了。", kept("sa"), lastAnswer("error", ""), settles("resolved"), twice("turn")),
  fact("listener-throws-user-message", "On the end of the user message: no request, an error answer.", "发生在 user 消息结束时：没有请求，一条错误回答。", requests(0), kept("sua")),
  fact("listener-throws-assistant-end", "On the end of an answer with a call: the call is neither executed nor answered.", "发生在带调用的回答结束时：调用既不执行，也没有结果。", ran("alpha", 0), unanswered("c1")),
  fact("listener-throws-tool-start", "On tool_execution_start: that start has no end, the call no result.", "发生在 tool_execution_start：这个开始没有结束，调用没有结果。", open("tool c1"), unanswered("c1"), ran("alpha", 0)),
  fact("listener-throws-tool-end", "On the end of the fast one of two tools: the run ends while the slow one works; its effect comes after prompt() has resolved.", "发生在两个工具中快的那个结束时：慢的还在做，运行就结束了；它的副作用发生时，prompt() 早已完成。", has("=>resolved eff1 aT1"), unanswered("c1", "c2")),
  fact("listener-throws-tool-end-then-prompt", "The same, and a second prompt: the end of the stray tool comes in the middle of the second run.", "同上，再提问一次：那个走散的工具，结束事件出现在第二次运行中间。", has("eff1 aT1 )t1:ok"), settles("resolved", "resolved")),
  fact("listener-throws-agent-end", "On agent_end a finished run becomes a failed one, with a second turn_end and a second agent_end.", "发生在 agent_end，已经完成的运行变成失败的，turn_end 和 agent_end 都再来一次。", twice("turn", "agent"), lastAnswer("error", "")),
  fact("listener-throws-always", "A subscriber that throws again while the failure is reported makes prompt() reject.", "报告失败时订阅者又抛出异常，prompt() 就会拒绝。", settles("rejected", "resolved")),
  fact("steer-during-tool", "A steering message while a tool runs goes into the next turn, after all results.", "工具运行时的 steering 消息进入下一回合，排在所有结果之后。", has("qS=S1 nT turn( user:S1"), kept("suarua")),
  fact("steer-during-first-of-two", "Steering skips none of the remaining calls.", "steering 不会跳过剩下的调用。", ran("beta", 1), kept("suarrua")),
  fact("steer-all", "In the mode all every steering message goes into one turn.", "在 all 方式下，所有 steering 消息进入同一个回合。", requests(2), kept("suaruuua")),
  fact("steer-before-prompt", "A steering message before the prompt joins the first request, behind the prompt.", "提问之前的 steering 消息并入第一次请求，排在提问后面。", requests(1), kept("suua")),
  fact("steer-in-prepare-request", "A steering message from inside prepareRequest is too late for that request and goes into the next turn.", "在 prepareRequest 里说的 steering 消息赶不上那次请求，进入下一回合。", requests(2), kept("suaua")),
  fact("follow-up", "A follow-up waits until the run would stop; then a second turn in the same run.", "follow-up 等到运行要停时才用：同一次运行里再来一个回合。", has("qS qF=F1 nT turn( user:F1"), requests(2)),
  fact("follow-up-all", "In the mode all every follow-up goes into one more turn.", "在 all 方式下，所有 follow-up 进入同一个新回合。", requests(2), kept("suauuua")),
  fact("steer-and-follow-up", "Steering comes first, a follow-up when nothing else is left.", "先 steering，什么都没剩下了才轮到 follow-up。", requests(3), kept("suaruaua")),
  fact("prompt-while-running", "prompt(), continue() and reset() are refused while a run goes on; the run is not disturbed.", "运行期间，prompt()、continue() 和 reset() 都会被拒绝；运行不受影响。", settles("rejected", "rejected", "rejected", "resolved"), ran("alpha", 1)),
  fact("prompt-inside-agent-end", "The agent is still busy during agent_end: prompt() from a subscriber is refused.", "agent_end 期间 agent 还在忙：订阅者里调用 prompt() 会被拒绝。", settles("rejected", "resolved")),
  fact("continue-empty", "continue() with nothing but the system message is refused.", "除了 system 消息什么都没有时，continue() 会被拒绝。", settles("rejected"), requests(0)),
  fact("continue-assistant-tail", "continue() after a finished run, with nothing queued, is refused, and no request is made.", "运行结束之后，队列里什么都没有，continue() 会被拒绝，不发请求。", settles("resolved", "rejected"), requests(1)),
  fact("continue-assistant-tail-follow-up", "continue() after a finished run starts with the follow-up that is queued.", "运行结束之后，continue() 会用排着的 follow-up 开始。", settles("resolved", "resolved"), requests(2), kept("suaua")),
  fact("continue-user-tail", "continue() from a transcript that ends with a user message runs, without events for that message.", "对话记录以 user 消息结尾，continue() 就会运行，不为那条消息发事件。", requests(1), lacks("user")),
  fact("continue-after-error-popped", "With the failed answer taken out, continue() runs.", "把失败的回答拿掉，continue() 就能运行。", settles("resolved", "resolved"), lastAnswer("stop", "recovered")),
  fact("reset-after-run", "reset() leaves only the system message and empties the queues.", "reset() 只留下 system 消息，并清空队列。", kept("s"), queued(false)),
  fact("low-run", "runAgentLoop has the same order without the queues.", "runAgentLoop 的顺序相同，只是没有队列。", has("fT )turn nT turn( pR"), settles("resolved")),
  fact("low-run-convert-throws", "When convertToLlm throws in runAgentLoop, that function rejects; agent_start and turn_start stay without their ends.", "在 runAgentLoop 里 convertToLlm 抛出异常，这个函数就会拒绝；agent_start 和 turn_start 没有结束。", settles("rejected"), open("agent", "turn")),
  fact("low-stream-convert-throws", "When convertToLlm throws under agentLoop, its reader waits for ever, and the rejection is not handled by anybody.", "在 agentLoop 下 convertToLlm 抛出异常，读它的人永远等下去，而且没有人处理那个 rejection。", hangs, (trace) => trace.unhandledRejections.length === 1),
  fact("low-continue-assistant-tail", "agentLoopContinue on a transcript that ends with an answer throws at once.", "对话记录以回答结尾，agentLoopContinue 马上抛出异常。", settles("rejected"), requests(0)),
];

/** Nobody enters before the one before has left. */
function inTurn(log: readonly { [field: string]: unknown }[]): boolean {
  const notes = log.filter((entry) => entry["listener"] !== undefined).map((entry) => `${entry["listener"]} ${entry["at"]}`);
  const round = ["L1 enter", "L1 leave", "L2 enter", "L2 leave", "L3 enter", "L3 leave"];
  return notes.length > 0 && notes.every((note, index) => note === round[index % round.length]);
}
