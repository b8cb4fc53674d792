import type { AgentName, ResultItem, SessionItem, UsageItem } from "@orphus/agent-trace/item";
import type { Database } from "./database.ts";
import { integer, json, optionalInteger } from "./row.ts";
import type { RunRef } from "./run-record.ts";
import { sumUsage } from "./usage-sum.ts";
import type { RunTotals } from "./totals.ts";

/** What one session of a run adds up to. */
export interface SessionTotals {
  /** Row id. */
  session: number;
  agent: AgentName;
  sessionId: string;
  body: SessionItem;
  totals: Pick<RunTotals, "tokens" | "costNanoUsd" | "costSource">;
  /** The agent's own total since the session began, with its earlier runs: the baseline of the next. */
  claimedNanoUsd?: number;
  /** The claim covers the sub-agents' sessions as well. */
  coversChildren: boolean;
}

/**
 * The sessions of a run with what each cost. The agent's own total stands (`recorded`), less what it had reached in an
 * earlier run of the session; without one it is the sum of the usage items.
 */
export const sessionTotals = (database: Database, run: RunRef): SessionTotals[] =>
  database
    .all(
      "SELECT id, agent, body FROM session WHERE harness = ? AND run_id = ? ORDER BY id",
      run.harness,
      run.runId,
    )
    .map((row) => oneSession(database, run, integer(row, "id"), json<SessionItem>(row, "body")));

const oneSession = (database: Database, run: RunRef, session: number, body: SessionItem): SessionTotals => {
  const sum = sumUsage(usageItems(database, session));
  const claimed = lastClaim(database, session);
  const base = { session, agent: body.agent, sessionId: body.sessionId, body };
  if (claimed === undefined) return { ...base, totals: sum, coversChildren: false };
  const costNanoUsd =
    claimed.since === "process" ? claimed.nanoUsd : sinceBaseline(database, run, body, claimed.nanoUsd);
  return {
    ...base,
    totals: { tokens: sum.tokens, costNanoUsd, costSource: "recorded" },
    ...(claimed.since === "session" ? { claimedNanoUsd: claimed.nanoUsd } : {}),
    coversChildren: claimed.subagents === "in",
  };
};

const usageItems = (database: Database, session: number): UsageItem[] =>
  database
    .all("SELECT body FROM event WHERE session = ? AND type = 'usage' AND duplicate = 0", session)
    .map((row) => json<UsageItem>(row, "body"));

interface LastClaim {
  nanoUsd: number;
  since: "process" | "session";
  subagents: "in" | "out";
}

/** Results are cumulative and come more than once: the last one with a total counts. */
const lastClaim = (database: Database, session: number): LastClaim | undefined => {
  const results = database
    .all(
      "SELECT body FROM event WHERE session = ? AND type = 'result' ORDER BY seq DESC, change DESC",
      session,
    )
    .map((row) => json<ResultItem>(row, "body"));
  for (const result of results) {
    for (const { since, subagents, costNanoUsd } of result.claims) {
      if (costNanoUsd !== undefined && since !== "turn") return { nanoUsd: costNanoUsd, since, subagents };
    }
  }
  return undefined;
};

/** A session that goes on from an earlier run has that run's total as its baseline. A lower total began anew. */
const sinceBaseline = (
  database: Database,
  run: RunRef,
  body: SessionItem,
  claimedNanoUsd: number,
): number => {
  const row = database.get(
    `SELECT max(total_nano_usd) AS baseline FROM claim
     WHERE agent = ? AND session_id = ? AND NOT (harness = ? AND run_id = ?)`,
    body.agent,
    body.sessionId,
    run.harness,
    run.runId,
  );
  const baseline = (row === undefined ? undefined : optionalInteger(row, "baseline")) ?? 0;
  return baseline <= claimedNanoUsd ? claimedNanoUsd - baseline : claimedNanoUsd;
};
