import type { CostSource, NanoUsd, TokenCounts, UsageItem } from "../item.ts";
import { costOf, priceOf, type PriceTable } from "../price/prices.ts";

/**
 * The usage items that a sum takes. A turn's responses count; its `turn` item counts where the turn has no response, or
 * none that is exact.
 */
export const billed = (usages: Iterable<UsageItem>): UsageItem[] => {
  const turns = new Map<number, { responses: UsageItem[]; turn: UsageItem[] }>();
  for (const usage of usages) {
    const number = usage.turn ?? 0;
    const group = turns.get(number) ?? { responses: [], turn: [] };
    turns.set(number, group);
    (usage.covers === "turn" ? group.turn : group.responses).push(usage);
  }
  return [...turns.values()].flatMap(({ responses, turn }) =>
    turn.length > 0 && !responses.some(({ exact }) => exact) ? turn : responses,
  );
};

const kinds = ["input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h", "reasoning"] as const;

/** Adds token counts; a kind that none of them knows stays unknown. */
export const addTokens = (counts: Iterable<TokenCounts>): TokenCounts => {
  const sum: TokenCounts = {};
  for (const tokens of counts) {
    for (const kind of kinds) {
      const amount = tokens[kind];
      if (amount !== undefined) sum[kind] = (sum[kind] ?? 0) + amount;
    }
  }
  return sum;
};

/** What usage costs: by the agent's own word, else by the table; `unknown` when a part of it has neither. */
export interface Cost {
  costNanoUsd?: NanoUsd;
  costSource: CostSource;
  /** Models that the table does not have. */
  unpriced: string[];
}

export const costOfUsage = (usages: readonly UsageItem[], table: PriceTable): Cost => {
  let sum = 0;
  let recorded = 0;
  let without = 0;
  const unpriced = new Set<string>();
  for (const usage of usages) {
    const price = usage.model === undefined ? undefined : priceOf(table, usage.model);
    if (usage.costNanoUsd !== undefined) {
      sum += usage.costNanoUsd;
      recorded += 1;
    } else if (price === undefined) {
      unpriced.add(usage.model ?? "unknown");
      without += 1;
    } else sum += costOf(usage, price);
  }
  if (without === usages.length) return { costSource: "unknown", unpriced: [...unpriced] };
  if (without > 0) return { costNanoUsd: sum, costSource: "unknown", unpriced: [...unpriced] };
  return { costNanoUsd: sum, costSource: recorded === usages.length ? "recorded" : "priced", unpriced: [] };
};
