import type { ToolResultMessage } from "../message.ts";
import type { MaskText } from "../record/redact.ts";
import type { FinishedCall } from "./call.ts";

/**
 * Stage 9: the message that is kept and sent. Values that are known to be secret (keys in the environment) are masked
 * here, so that neither the session nor the provider gets them.
 */
export const finalize = (
  { call, result, outcome, durationMs }: FinishedCall,
  timestamp: number,
  maskKnown: MaskText,
): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: call.id,
  toolName: call.name,
  content: result.content.map((block) =>
    block.type === "text" ? { ...block, text: maskKnown(block.text) } : block,
  ),
  ...(result.details === undefined ? {} : { details: result.details }),
  isError: outcome !== "ok",
  outcome,
  ...(result.errorCode === undefined ? {} : { errorCode: result.errorCode }),
  ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
  timestamp,
  ...(durationMs === undefined ? {} : { durationMs }),
});
