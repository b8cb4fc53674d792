import type { ErrorClass, MarkItem, ToolCallItem } from "@orphus/agent-trace/item";
import type { Database } from "./database.ts";
import { json } from "./row.ts";
import type { RunRef } from "./run-record.ts";
import { sessionTotals, type SessionTotals } from "./session-totals.ts";
import type { RunTotals } from "./totals.ts";
import { addSums, isKnown, type UsageSum } from "./usage-sum.ts";

/** Most sessions and models that the ledger names for one run. */
const MAX_NAMED = 16;

/** What the store has of a run, added up. The same at any time: while the run lives, at its end, and after a restart. */
export const runTotals = (database: Database, run: RunRef): RunTotals => {
  const sessions = sessionTotals(database, run);
  return {
    sessions: sessions.slice(0, MAX_NAMED).map(({ sessionId, agent }) => ({ id: sessionId, agent })),
    models: servedModels(sessions),
    ...spending(sessions),
    ...callCounts(database, run),
    unreadLines: 0,
    traceMissing: sessions.length === 0,
  };
};

const servedModels = (sessions: readonly SessionTotals[]): RunTotals["models"] => {
  const models = new Map<string, RunTotals["models"][number]>();
  for (const { body } of sessions) {
    for (const each of body.models ?? []) models.set(`${each.provider ?? ""} ${each.model}`, each);
  }
  return [...models.values()].slice(0, MAX_NAMED);
};

/**
 * A total that covers the sub-agents stands for their sessions too: their money is not added to it, and where the usage
 * items do not add up to exact counts, its tokens stand for theirs.
 */
const spending = (all: readonly SessionTotals[]): UsageSum => {
  const sessions = all.filter((each) => each.spent);
  const covering = new Set(sessions.filter((each) => each.coversChildren).map((each) => each.sessionId));
  const paid = sessions.filter(({ body }) => !isBelow(all, body.parentSessionId, covering));
  const { tokens } = addSums(sessions.map((each) => each.totals));
  const { tokens: _tokens, ...cost } = addSums(paid.map((each) => each.totals));
  if (isKnown(tokens)) return { tokens, ...cost };
  const claimed = addSums(
    paid.map(({ totals, own }) => ({ tokens: own?.tokens ?? totals.tokens, costSource: totals.costSource })),
  );
  return { tokens: claimed.tokens, ...cost };
};

const isBelow = (
  sessions: readonly SessionTotals[],
  parent: string | undefined,
  covering: ReadonlySet<string>,
): boolean => {
  const seen = new Set<string>();
  for (let id = parent; id !== undefined && !seen.has(id);) {
    if (covering.has(id)) return true;
    seen.add(id);
    const above = id;
    id = sessions.find((each) => each.sessionId === above)?.body.parentSessionId;
  }
  return false;
};

interface CallCounts {
  toolCalls: number;
  toolErrors: number;
  errors: Partial<Record<ErrorClass, number>>;
}

const callCounts = (database: Database, run: RunRef): CallCounts => {
  const counts: CallCounts = { toolCalls: 0, toolErrors: 0, errors: {} };
  const rows = database.all(
    `SELECT e.body FROM event e JOIN session s ON s.id = e.session
     WHERE s.harness = ? AND s.run_id = ? AND e.type IN ('tool_call', 'mark')`,
    run.harness,
    run.runId,
  );
  for (const row of rows) {
    const item = json<ToolCallItem | MarkItem>(row, "body");
    if (item.type === "tool_call") {
      counts.toolCalls += 1;
      if (item.outcome !== "ok") counts.toolErrors += 1;
    } else if (item.errorClass !== undefined) {
      counts.errors[item.errorClass] = (counts.errors[item.errorClass] ?? 0) + 1;
    }
  }
  return counts;
};
