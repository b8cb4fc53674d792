import type { AssistantMessage, ToolCall, ToolResultMessage } from "../message.ts";
import { isStopped, type PreparedCall, type StoppedCall } from "../pipeline/call.ts";
import { type AgentWorld, keepMessage } from "./world.ts";

/** Why a call that the model finished asking for is not even prepared. */
const unprepared = (
  call: ToolCall,
  { clock }: AgentWorld["capabilities"],
  aborted: boolean,
): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: call.id,
  toolName: call.name,
  content: [
    {
      type: "text",
      text: aborted
        ? "Aborted before it ran"
        : "Not run: the answer was cut at its length limit, so the call may be incomplete",
    },
  ],
  isError: true,
  outcome: aborted ? "aborted" : "error",
  errorCode: aborted ? "aborted" : "length",
  timestamp: clock.now(),
});

const textOf = ({ content }: ToolResultMessage): string =>
  content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n");

const start = (world: AgentWorld, call: ToolCall): void =>
  world.emit({
    type: "tool_execution_start",
    toolCallId: call.id,
    toolName: call.name,
    args: call.arguments,
  });

const end = (world: AgentWorld, message: ToolResultMessage, args: ToolCall["arguments"]): void => {
  const { toolCallId, toolName, isError, outcome, errorCode, exitCode, durationMs } = message;
  world.emit({
    type: "tool_execution_end",
    toolCallId,
    toolName,
    args,
    result: textOf(message),
    isError,
    outcome,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined ? {} : { durationMs }),
  });
};

const finish = async (
  world: AgentWorld,
  prepared: PreparedCall | StoppedCall,
  signal: AbortSignal,
): Promise<ToolResultMessage> => {
  const { id: toolCallId, name: toolName } = prepared.call;
  const { finished, message } = await world.pipeline.finish(prepared, signal, (delta) =>
    world.emit({ type: "tool_execution_update", toolCallId, toolName, delta }),
  );
  end(world, message, finished.arguments);
  return message;
};

const isSequential = (prepared: readonly (PreparedCall | StoppedCall)[]): boolean =>
  prepared.some((call) => !isStopped(call) && call.tool.executionMode === "sequential");

/** Runs every call; sequentially when one of them asks for it. Results come in the order of the calls. */
const runAll = async (
  world: AgentWorld,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<ToolResultMessage[]> => {
  const refuse = (call: ToolCall): ToolResultMessage => {
    const message = unprepared(call, world.capabilities, true);
    end(world, message, call.arguments);
    return message;
  };
  const prepared: (PreparedCall | StoppedCall | ToolCall)[] = [];
  for (const call of calls) {
    start(world, call);
    prepared.push(signal.aborted ? call : await world.pipeline.prepare(call));
  }
  const run = async (one: PreparedCall | StoppedCall | ToolCall): Promise<ToolResultMessage> => {
    if (!("call" in one)) return refuse(one);
    return signal.aborted && !isStopped(one) ? refuse(one.call) : finish(world, one, signal);
  };
  if (!isSequential(prepared.filter((one) => "call" in one))) return Promise.all(prepared.map(run));
  const results: ToolResultMessage[] = [];
  for (const one of prepared) results.push(await run(one));
  return results;
};

/** Runs the tool calls of an answer and keeps their results; returns how many there were. */
export const runBatch = async (
  world: AgentWorld,
  answer: AssistantMessage,
  signal: AbortSignal,
): Promise<number> => {
  const calls = answer.content.filter((block) => block.type === "toolCall");
  const results =
    answer.stopReason === "length"
      ? calls.map((call) => {
          start(world, call);
          const message = unprepared(call, world.capabilities, false);
          end(world, message, call.arguments);
          return message;
        })
      : await runAll(world, calls, signal);
  for (const message of results) {
    world.emit({ type: "message_start", role: "toolResult" });
    await keepMessage(world, message);
  }
  return results.length;
};
