import type { AgentName, SessionItem, UsageItem } from "@orphus/agent-trace/item";
import { baselineOf, lastClaim, less, type AgentTotal } from "./agent-total.ts";
import type { Database } from "./database.ts";
import { integer, json } from "./row.ts";
import type { RunRef } from "./run-record.ts";
import { isKnown, sumUsage, type UsageSum } from "./usage-sum.ts";

/** What one session of a run adds up to. */
export interface SessionTotals {
  /** Row id. */
  session: number;
  agent: AgentName;
  sessionId: string;
  body: SessionItem;
  totals: UsageSum;
  /** Whether anything says that it spent something: only then is an unknown amount missing from a sum. */
  spent: boolean;
  /** The agent's own total since the session began, with its earlier runs: the baseline of the next. */
  claimed?: AgentTotal;
  /** The agent's own total for this run. */
  own?: AgentTotal;
  /** Whether {@link SessionTotals.own} holds what the sub-agents' sessions spent. */
  coversChildren: boolean;
}

/**
 * The sessions of a run with what each spent. The agent's own total stands for the money (`recorded`), less what it had
 * reached in an earlier run of the session; without one it is the sum of the usage items. Tokens are the sum of the usage
 * items where that is exact, else the agent's own total.
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
  const items = usageItems(database, session);
  const sum = sumUsage(items);
  const claim = lastClaim(database, session);
  const spent = items.length > 0 || claim !== undefined;
  const base = { session, spent, agent: body.agent, sessionId: body.sessionId, body };
  if (claim === undefined) return { ...base, totals: sum, coversChildren: false };
  const own = claim.since === "process" ? claim.total : less(claim.total, baselineOf(database, run, body));
  const cost = own.costNanoUsd;
  return {
    ...base,
    totals: {
      tokens: isKnown(sum.tokens) ? sum.tokens : own.tokens,
      ...(cost === undefined
        ? {
            ...(sum.costNanoUsd === undefined ? {} : { costNanoUsd: sum.costNanoUsd }),
            costSource: sum.costSource,
          }
        : { costNanoUsd: cost, costSource: "recorded" }),
    },
    ...(claim.since === "session" ? { claimed: claim.total } : {}),
    own,
    coversChildren: claim.subagents === "in",
  };
};

const usageItems = (database: Database, session: number): UsageItem[] =>
  database
    .all("SELECT body FROM event WHERE session = ? AND type = 'usage' AND duplicate = 0", session)
    .map((row) => json<UsageItem>(row, "body"));
