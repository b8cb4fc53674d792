/**
 * The Agent Trajectory Interchange Format, version 1.4, as far as it is written here. Names and meanings are those of
 * Harbor's RFC 0001 (laude-institute/harbor, docs/rfcs/0001-trajectory-format.md).
 */
export interface AtifTrajectory {
  schema_version: "ATIF-v1.4";
  session_id: string;
  agent: { name: string; version: string; model_name?: string };
  steps: AtifStep[];
  notes?: string;
  final_metrics?: {
    total_prompt_tokens?: number;
    total_completion_tokens?: number;
    total_cached_tokens?: number;
    total_cost_usd?: number;
    total_steps?: number;
  };
  extra?: Record<string, unknown>;
}

export interface AtifStep {
  /** From 1. */
  step_id: number;
  /** ISO 8601. */
  timestamp?: string;
  source: "system" | "user" | "agent";
  model_name?: string;
  message: string;
  tool_calls?: AtifToolCall[];
  observation?: { results: AtifObservationResult[] };
  metrics?: AtifMetrics;
  extra?: Record<string, unknown>;
}

export interface AtifToolCall {
  tool_call_id: string;
  function_name: string;
  arguments: Record<string, never>;
}

export interface AtifObservationResult {
  source_call_id?: string;
  content?: string;
  subagent_trajectory_ref?: { session_id: string }[];
}

export interface AtifMetrics {
  /** All input tokens, cached ones included. */
  prompt_tokens?: number;
  completion_tokens?: number;
  cached_tokens?: number;
  cost_usd?: number;
  extra?: Record<string, unknown>;
}
