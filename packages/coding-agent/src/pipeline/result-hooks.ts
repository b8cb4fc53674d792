import type { ExtensionRunner } from "../extensions/runner.ts";
import type { PreparedCall } from "./call.ts";
import type { Execution } from "./execute.ts";

/** Stage 8: `tool_result` handlers, each seeing what the one before left. One that throws makes the result an error. */
export const runResultHooks = async (
  extensions: ExtensionRunner,
  { call, arguments: input }: PreparedCall,
  execution: Execution,
): Promise<Execution> => {
  const { result } = execution;
  const event = {
    toolCallId: call.id,
    toolName: call.name,
    input,
    content: result.content,
    ...(result.details === undefined ? {} : { details: result.details }),
    isError: execution.outcome !== "ok",
  };
  try {
    await extensions.emit("tool_result", event, (answer) => {
      Object.assign(event, answer ?? {});
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return {
      ...execution,
      outcome: "error",
      result: { content: [{ type: "text", text }], errorCode: "hook_failed" },
    };
  }
  const { content, details, isError } = event;
  const failed = execution.outcome === "ok" ? ("error" as const) : execution.outcome;
  return {
    ...execution,
    result: { ...result, content, ...(details === undefined ? {} : { details }) },
    outcome: isError ? failed : "ok",
  };
};
