import type { ProviderError } from "./record/types.ts";

/** The provider request that a message came from. */
export interface RequestRef {
  /** `requestId` of its record; unique over all sessions, and given also when recording is off. */
  id: string;
  /** SHA-256 of the exact body sent, lower-case hex. */
  sha256: string;
}

/**
 * `success`: the model ended its answer. `length`: it was cut at the output limit. `error`: a request failed for good.
 * `aborted`: the user, a signal or a time-out ended the run. `max_turns`: the limit of model turns was reached.
 */
export type RunSubtype = "success" | "length" | "error" | "aborted" | "max_turns";

/** Sums over the run's responses. A figure that no response reported is absent. */
export interface RunUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h?: number;
  reasoning?: number;
}

/** How the agent's work on one prompt ended, in its own accounting. Amounts are of this run alone. */
export interface RunResult {
  subtype: RunSubtype;
  /** True for every subtype but `success`. */
  isError: boolean;
  /** Model responses that completed. */
  turns: number;
  durationMs: number;
  /** Text of the last assistant message. */
  text: string;
  /** Absent when no response reported usage. Failed and aborted responses count with what they reported. */
  usage?: RunUsage;
  /** US dollars, rounded to whole nano-dollars. Absent with `usage`. */
  costUsd?: number;
  /** HTTP requests that were dispatched, retries included. */
  requests: number;
  error?: ProviderError;
}
