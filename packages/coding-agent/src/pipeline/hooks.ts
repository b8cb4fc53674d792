import type { ExtensionRunner } from "../extensions/runner.ts";
import type { JsonObject, ToolCall } from "../message.ts";
import type { Stop } from "./call.ts";

/**
 * Stage 3: `tool_call` handlers, with the live arguments. The first that blocks ends the chain; one that throws stops the
 * call, since a gate that broke has not said yes.
 */
export const runCallHooks = async (
  extensions: ExtensionRunner,
  call: ToolCall,
  input: JsonObject,
): Promise<Stop | undefined> => {
  let stop: Stop | undefined;
  try {
    await extensions.emit("tool_call", { toolCallId: call.id, toolName: call.name, input }, (answer) => {
      if (answer?.block !== true) return true;
      stop = { outcome: "blocked", reason: answer.reason ?? "blocked by an extension", decider: "hook" };
      return false;
    });
  } catch (error) {
    return {
      outcome: "blocked",
      reason: error instanceof Error ? error.message : String(error),
      decider: "hook",
    };
  }
  return stop;
};
