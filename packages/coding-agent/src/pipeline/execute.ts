import type { ToolOutcome } from "../message.ts";
import { type ToolContext, ToolError, type ToolResult, textResult } from "../tools/tool.ts";
import type { PreparedCall } from "./call.ts";

export interface Execution {
  result: ToolResult;
  outcome: ToolOutcome;
  durationMs: number;
}

const outcomeOf = (result: ToolResult): ToolOutcome =>
  result.outcome ?? (result.isError === true ? "error" : "ok");

/** Stage 7: the tool runs on exactly the approved arguments. Whatever it throws becomes a result. */
export const execute = async (
  { call, tool, arguments: args }: PreparedCall,
  signal: AbortSignal,
  onUpdate: (delta: string) => void,
  context: ToolContext,
): Promise<Execution> => {
  const { clock } = context.capabilities;
  const startedAt = clock.monotonicNow();
  const run = async (): Promise<ToolResult> => {
    try {
      return await tool.execute(call.id, args, signal, onUpdate, context);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const errorCode = error instanceof ToolError ? error.code : undefined;
      return {
        ...textResult(text),
        isError: true,
        ...(signal.aborted ? { outcome: "aborted" as const } : {}),
        ...(errorCode === undefined ? {} : { errorCode }),
      };
    }
  };
  const result = await run();
  return { result, outcome: outcomeOf(result), durationMs: clock.monotonicNow() - startedAt };
};
