import type { Claim, NanoUsd, ResultItem, SessionItem } from "@orphus/agent-trace/item";
import type { Database } from "./database.ts";
import { json } from "./row.ts";
import type { RunRef } from "./run-record.ts";
import type { RunTotals } from "./totals.ts";
import { sumKnown } from "./usage-sum.ts";

/** What an agent says it has spent. */
export interface AgentTotal {
  costNanoUsd?: NanoUsd;
  tokens: RunTotals["tokens"];
}

export interface LastClaim {
  total: AgentTotal;
  since: "process" | "session";
  subagents: Claim["subagents"];
}

/** Results are cumulative and come more than once: the last total that is more than one turn's counts. */
export const lastClaim = (database: Database, session: number): LastClaim | undefined => {
  const rows = database.all(
    "SELECT body FROM event WHERE session = ? AND type = 'result' ORDER BY seq DESC, change DESC",
    session,
  );
  for (const row of rows) {
    for (const { since, subagents, costNanoUsd, usage } of json<ResultItem>(row, "body").claims) {
      if (since === "turn") continue;
      return {
        since,
        subagents,
        total: { tokens: tokensOf(usage), ...(costNanoUsd === undefined ? {} : { costNanoUsd }) },
      };
    }
  }
  return undefined;
};

const tokensOf = (usage: Claim["usage"]): RunTotals["tokens"] => {
  const cacheWrite = sumKnown([usage?.cacheWrite5m, usage?.cacheWrite1h]);
  return {
    ...(usage?.input === undefined ? {} : { input: usage.input }),
    ...(usage?.output === undefined ? {} : { output: usage.output }),
    ...(usage?.cacheRead === undefined ? {} : { cacheRead: usage.cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
};

/** What the session had come to at the end of its latest earlier run; nothing where no run of ours had it. */
export const baselineOf = (database: Database, run: RunRef, body: SessionItem): AgentTotal | undefined => {
  const row = database.get(
    `SELECT c.total FROM claim c JOIN run r ON r.harness = c.harness AND r.run_id = c.run_id
     WHERE c.agent = ? AND c.session_id = ? AND c.total IS NOT NULL AND NOT (c.harness = ? AND c.run_id = ?)
     ORDER BY r.ended_at DESC, r.run_id DESC LIMIT 1`,
    body.agent,
    body.sessionId,
    run.harness,
    run.runId,
  );
  return row === undefined ? undefined : json<AgentTotal>(row, "total");
};

/**
 * A total that went on from a baseline, without it. A total below the baseline began anew. What the baseline does not
 * know, the difference does not know.
 */
export const less = (total: AgentTotal, baseline: AgentTotal | undefined): AgentTotal => {
  if (baseline === undefined || isBelow(total, baseline)) return total;
  const difference = (all: number | undefined, before: number | undefined): number | undefined =>
    all === undefined || before === undefined || all < before ? undefined : all - before;
  const costNanoUsd = difference(total.costNanoUsd, baseline.costNanoUsd);
  const tokens: RunTotals["tokens"] = {};
  for (const field of ["input", "output", "cacheRead", "cacheWrite"] as const) {
    const count = difference(total.tokens[field], baseline.tokens[field]);
    if (count !== undefined) tokens[field] = count;
  }
  return { tokens, ...(costNanoUsd === undefined ? {} : { costNanoUsd }) };
};

const isBelow = (total: AgentTotal, baseline: AgentTotal): boolean =>
  total.costNanoUsd !== undefined &&
  baseline.costNanoUsd !== undefined &&
  total.costNanoUsd < baseline.costNanoUsd;
