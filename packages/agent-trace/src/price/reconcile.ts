import type { Claim, NanoUsd } from "../item.ts";
import { billed, costOfUsage } from "../totals/billed.ts";
import type { SessionRecord } from "../totals/fold.ts";
import type { PriceTable } from "./prices.ts";

/** An agent's own total beside ours. */
export interface Reconciliation {
  /** The agent's word on the whole session; absent when it gave none. */
  claimedNanoUsd?: NanoUsd;
  countedNanoUsd?: NanoUsd;
  /** Ours minus the agent's. */
  differenceNanoUsd?: NanoUsd;
  /** Why they differ, or that they do not. */
  rule:
    | "equal"
    | "no claim"
    | "nothing counted"
    | "placeholder figures"
    | "models without a price"
    | "earlier runs of the session"
    | "requests that are in no record"
    | "prices differ";
}

/** Rounding of the agent's binary sums. */
const roundingNanoUsd = 1000;

/**
 * Holds a session's own total against the sum of its usage and its sub-agents'. `family` is the session first, then its
 * sub-agents.
 */
export const reconcile = (family: readonly SessionRecord[], table: PriceTable): Reconciliation => {
  const usages = family.flatMap((record) => billed(record.usages.values()));
  const { costNanoUsd: counted, unpriced } = costOfUsage(usages, table);
  const claimed = lastClaim(family[0])?.costNanoUsd;
  if (claimed === undefined)
    return { ...(counted === undefined ? {} : { countedNanoUsd: counted }), rule: "no claim" };
  if (counted === undefined) return { claimedNanoUsd: claimed, rule: "nothing counted" };
  const difference = counted - claimed;
  const totals = { claimedNanoUsd: claimed, countedNanoUsd: counted, differenceNanoUsd: difference };
  if (Math.abs(difference) <= roundingNanoUsd) return { ...totals, rule: "equal" };
  if (unpriced.length > 0) return { ...totals, rule: "models without a price" };
  if (usages.some(({ exact }) => !exact)) return { ...totals, rule: "placeholder figures" };
  if (difference > 0) return { ...totals, rule: "prices differ" };
  const forked = family[0]?.session?.forkedFrom !== undefined || (family[0]?.duplicates ?? 0) > 0;
  return { ...totals, rule: forked ? "earlier runs of the session" : "requests that are in no record" };
};

const lastClaim = (record: SessionRecord | undefined): Claim | undefined =>
  [...(record?.results.values() ?? [])]
    .flatMap(({ claims }) => claims)
    .findLast(({ since, costNanoUsd }) => since === "session" && costNanoUsd !== undefined);
