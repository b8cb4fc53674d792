import type { JsonObject, ToolCall, ToolOutcome } from "../message.ts";
import type { ToolDefinition, ToolResult } from "../tools/tool.ts";

/** The stages a call passes, in order. */
export const STAGES = [
  "resolve",
  "validate",
  "hooks",
  "snapshot",
  "revalidate",
  "approve",
  "execute",
  "result_hooks",
  "finalize",
  "observe",
] as const;

export type Stage = (typeof STAGES)[number];

/** Who stopped a call. */
export type Decider = "resolve" | "schema" | "hook" | "policy" | "approval";

/** Why a call does not run. */
export interface Stop {
  outcome: Extract<ToolOutcome, "blocked" | "invalid_arguments" | "unknown_tool">;
  reason: string;
  decider: Decider;
}

/** A call with the arguments that are approved and run: frozen to the last level. */
export interface PreparedCall {
  call: ToolCall;
  tool: ToolDefinition;
  arguments: JsonObject;
  mutatedPaths: string[];
}

/** A call that was stopped, with the arguments it was stopped with. */
export interface StoppedCall {
  call: ToolCall;
  arguments: JsonObject;
  mutatedPaths: string[];
  stop: Stop;
}

/** A call that ran, or did not. */
export interface FinishedCall {
  call: ToolCall;
  arguments: JsonObject;
  mutatedPaths: string[];
  stop?: Stop;
  result: ToolResult;
  outcome: ToolOutcome;
  /** Absent when the tool never ran. */
  durationMs?: number;
}

export const isStopped = (call: PreparedCall | StoppedCall): call is StoppedCall => "stop" in call;
