import type { AgentName, CostSource, ErrorClass } from "@orphus/agent-trace/item";

/** What a run's items add up to: counts and ids, no content. The ledger keeps it. */
export interface RunTotals {
  sessions: { id: string; agent: AgentName }[];
  models: { model: string; provider?: string }[];
  /** A count that is not known exactly is absent. */
  tokens: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  costNanoUsd?: number;
  costSource: CostSource;
  toolCalls: number;
  toolErrors: number;
  errors: Partial<Record<ErrorClass, number>>;
  /** Lines of the stream that were no record. */
  unreadLines: number;
  /** Nothing announced a session. */
  traceMissing: boolean;
}

/** A run about which nothing is known yet. */
export const emptyTotals: RunTotals = {
  sessions: [],
  models: [],
  tokens: {},
  costSource: "unknown",
  toolCalls: 0,
  toolErrors: 0,
  errors: {},
  unreadLines: 0,
  traceMissing: false,
};
