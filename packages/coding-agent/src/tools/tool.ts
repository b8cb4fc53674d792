import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { JsonObject, ToolOutcome, ToolResultMessage } from "../message.ts";

/** What a tool gives back. A tool that fails may return `isError` or throw; a {@link ToolError} carries a code. */
export interface ToolResult {
  content: ToolResultMessage["content"];
  /** For readers of the session; never sent to the model. */
  details?: JsonObject;
  isError?: boolean;
  /** Finer than `isError`, for a call that was cut short. */
  outcome?: Extract<ToolOutcome, "aborted" | "timed_out">;
  errorCode?: string;
  exitCode?: number;
}

export interface ToolContext {
  /** The session's working directory, absolute. */
  cwd: string;
  capabilities: HarnessCapabilities;
}

/** A tool the model may call. */
export interface ToolDefinition {
  name: string;
  label?: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
  /** One `sequential` tool makes its whole batch run one call after the other. Default `parallel`. */
  executionMode?: "parallel" | "sequential";
  /**
   * Does the work. `params` fit the schema and are frozen: what was approved is what runs. `onUpdate` tells of output
   * that has come so far.
   */
  execute(
    toolCallId: string,
    params: JsonObject,
    signal: AbortSignal,
    onUpdate: (delta: string) => void,
    context: ToolContext,
  ): Promise<ToolResult> | ToolResult;
}

/** A failure the model should read. */
export class ToolError extends Error {
  override name = "ToolError";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A result of one text. */
export const textResult = (text: string): ToolResult => ({ content: [{ type: "text", text }] });
