import type { AgentName, CostSource, ErrorClass, NanoUsd, Timestamp, TokenCounts } from "../item.ts";
import { present } from "../present.ts";
import type { PriceTable } from "../price/prices.ts";
import { addTokens, billed, costOfUsage } from "./billed.ts";
import { errorsOf, type SessionRecord } from "./fold.ts";

/** A session in a list. One JSON object a line under `agent-trace sessions --json`. */
export interface SessionSummary {
  agent?: AgentName;
  sessionId: string;
  parentSessionId?: string;
  /** The agent's title, else the first thing the user said. */
  title?: string;
  cwd?: string;
  gitBranch?: string;
  agentVersion?: string;
  startedAt?: Timestamp;
  endedAt?: Timestamp;
  models: string[];
  turns: number;
  calls: number;
  errors: Partial<Record<ErrorClass, number>>;
  tokens: TokenCounts;
  /** False when a part of the tokens is a placeholder. */
  exact: boolean;
  costNanoUsd?: NanoUsd;
  costSource: CostSource;
  path?: string;
}

export const summaryOf = (record: SessionRecord, table: PriceTable): SessionSummary => {
  const { session, sessionId } = record;
  const usages = billed(record.usages.values());
  const cost = costOfUsage(usages, table);
  const messages = [...record.marks.values()].filter(({ kind }) => kind === "user_message");
  return {
    sessionId,
    ...present({
      agent: record.agent,
      parentSessionId: session?.parentSessionId,
      title: session?.title ?? messages[0]?.note?.split("\n", 1)[0],
      cwd: session?.cwd,
      gitBranch: session?.gitBranch,
      agentVersion: session?.agentVersion,
      startedAt: session?.startedAt,
      endedAt: session?.endedAt,
      costNanoUsd: cost.costNanoUsd,
      path: record.path,
    }),
    models: (session?.models ?? []).map(({ model }) => model),
    turns: messages.length,
    calls: record.calls.size,
    errors: errorsOf(record),
    tokens: addTokens(usages),
    exact: usages.every(({ exact }) => exact),
    costSource: cost.costSource,
  };
};

/** What `usage` groups by. */
export const groupings = ["day", "model", "agent", "project"] as const;
export type Grouping = (typeof groupings)[number];

/** One row of `agent-trace usage`. */
export interface UsageRow {
  /** The day (UTC), model, agent or working directory. */
  group: string;
  responses: number;
  tokens: TokenCounts;
  costNanoUsd?: NanoUsd;
  costSource: CostSource;
  exact: boolean;
}

/** Usage of all sessions by one thing, largest cost first; days in their order. */
export const usageBy = (
  records: readonly SessionRecord[],
  grouping: Grouping,
  table: PriceTable,
): UsageRow[] => {
  const groups = new Map<string, ReturnType<typeof billed>>();
  for (const record of records) {
    for (const usage of billed(record.usages.values())) {
      const group = {
        day: (usage.at ?? record.session?.startedAt)?.slice(0, 10),
        model: usage.model,
        agent: record.agent,
        project: record.session?.cwd,
      }[grouping];
      const name = group ?? "unknown";
      const known = groups.get(name);
      if (known === undefined) groups.set(name, [usage]);
      else known.push(usage);
    }
  }
  const rows = [...groups].map(([group, usages]): UsageRow => {
    const { costNanoUsd, costSource } = costOfUsage(usages, table);
    return {
      group,
      responses: usages.length,
      tokens: addTokens(usages),
      ...present({ costNanoUsd }),
      costSource,
      exact: usages.every(({ exact }) => exact),
    };
  });
  return rows.sort((a, b) =>
    grouping === "day"
      ? a.group < b.group
        ? -1
        : 1
      : (b.costNanoUsd ?? 0) - (a.costNanoUsd ?? 0) || (a.group < b.group ? -1 : 1),
  );
};
