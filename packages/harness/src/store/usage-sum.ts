import type { CostSource, UsageItem } from "@orphus/agent-trace/item";
import type { RunTotals } from "./totals.ts";

/** Tokens and money of a session, or of several. */
export type UsageSum = Pick<RunTotals, "tokens" | "costNanoUsd" | "costSource">;

/**
 * Adds usage items: a turn's responses, and the turn's own item only where the turn has no response, or none that is
 * exact. A figure of which any part is unknown or a placeholder is absent, never too low.
 */
export const sumUsage = (items: readonly UsageItem[]): UsageSum => {
  const chosen = choose(items);
  if (chosen.length === 0) return { tokens: {}, costSource: "unknown" };
  const exact = chosen.every((item) => item.exact);
  return { tokens: exact ? sumTokens(chosen) : {}, ...sumCost(chosen) };
};

const choose = (items: readonly UsageItem[]): UsageItem[] => {
  const turns = Map.groupBy(items, (item) => item.turn);
  return [...turns.values()].flatMap((turn) => {
    const responses = turn.filter((item) => item.covers === "response");
    const whole = turn.filter((item) => item.covers === "turn");
    const useResponses = whole.length === 0 || responses.some((item) => item.exact);
    return useResponses ? responses : whole;
  });
};

/** `undefined` as soon as one part is unknown, or the sum is beyond what a number holds exactly. */
const sum = (parts: readonly (number | undefined)[]): number | undefined => {
  let total = 0;
  for (const part of parts) {
    if (part === undefined) return undefined;
    total += part;
  }
  return Number.isSafeInteger(total) ? total : undefined;
};

const sumTokens = (items: readonly UsageItem[]): RunTotals["tokens"] => {
  const input = sum(items.map((item) => item.input));
  const output = sum(items.map((item) => item.output));
  const cacheRead = sumKnown(items.map((item) => item.cacheRead));
  const cacheWrite = sumKnown(items.flatMap((item) => [item.cacheWrite5m, item.cacheWrite1h]));
  return {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
};

/**
 * Adds what is known: cache counts are left out by a provider for a request that did not use the cache. `undefined` when
 * nothing is.
 */
export const sumKnown = (parts: readonly (number | undefined)[]): number | undefined => {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : sum(known);
};

const sumCost = (items: readonly UsageItem[]): { costNanoUsd?: number; costSource: CostSource } => {
  const cost = sum(items.map((item) => item.costNanoUsd));
  if (cost === undefined) return { costSource: "unknown" };
  const sources = new Set(items.map((item) => item.costSource));
  if (sources.has("unknown")) return { costSource: "unknown" };
  return { costNanoUsd: cost, costSource: sources.has("priced") ? "priced" : "recorded" };
};

/** Adds what several sessions came to. What one of them does not know, the sum does not know. */
export const addSums = (sums: readonly UsageSum[]): UsageSum => {
  if (sums.length === 0) return { tokens: {}, costSource: "unknown" };
  const tokens = (pick: (tokens: RunTotals["tokens"]) => number | undefined): number | undefined =>
    sum(sums.map((each) => pick(each.tokens)));
  const input = tokens((each) => each.input);
  const output = tokens((each) => each.output);
  const cacheRead = sumKnown(sums.map((each) => each.tokens.cacheRead));
  const cacheWrite = sumKnown(sums.map((each) => each.tokens.cacheWrite));
  const cost = sum(sums.map((each) => each.costNanoUsd));
  const priced = sums.some((each) => each.costSource === "priced");
  return {
    tokens: {
      ...(input === undefined ? {} : { input }),
      ...(output === undefined ? {} : { output }),
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
    },
    ...(cost === undefined ? {} : { costNanoUsd: cost }),
    costSource: cost === undefined ? "unknown" : priced ? "priced" : "recorded",
  };
};

/** Whether the counts say what went in and what came out. */
export const isKnown = (tokens: RunTotals["tokens"]): boolean =>
  tokens.input !== undefined && tokens.output !== undefined;
