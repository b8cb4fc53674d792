import { createHash } from "node:crypto";
import type { NanoUsd, TokenCounts } from "../item.ts";
import { number, object, string } from "../jsonline.ts";
import { lookup } from "../lookup.ts";
import { nanoUsd } from "../money.ts";
import type { JsonValue } from "../reader.ts";

/** What a model costs: US dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
}

export interface PriceTable {
  /** Where the prices are from. */
  source: string;
  /** The day they are of. */
  date: string;
  /** SHA-256 of `models` as JSON. */
  sha256: string;
  /** By the model's own name, without provider. */
  models: Readonly<Record<string, ModelPrice>>;
}

const kinds = ["input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h"] as const;

/**
 * The price of a model as agents name it: with or without a provider before it, a date, a region or a variant. Undefined
 * when the table does not have it.
 */
export const priceOf = (table: PriceTable, model: string): ModelPrice | undefined => {
  for (const name of namesOf(model)) {
    const price = lookup(table.models, name);
    if (price !== undefined) return price;
  }
  return undefined;
};

const namesOf = (model: string): string[] => {
  const plain = model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral)\./, "")
    .replace(/\[[^\]]*\]$/, "");
  const bare = plain.replace(/-v\d+(?::\d+)?$/, "").replace(/[@:].*$/, "");
  const undated = bare.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/, "");
  return [...new Set([model, plain, bare, undated])];
};

/** What tokens cost at a price: whole nano-dollars, rounded once. */
export const costOf = (tokens: TokenCounts, price: ModelPrice): NanoUsd => {
  let pico = 0n;
  for (const kind of kinds) {
    // A dollar for a million tokens is a million pico-dollars for one.
    pico += BigInt(tokens[kind] ?? 0) * BigInt(Math.round(price[kind] * 1e6));
  }
  return Number((pico + 500n) / 1000n);
};

/** Reads a table of the user's own, of the same shape; a missing kind of token is free. Undefined when it is none. */
export const parsePriceTable = (value: JsonValue | undefined): PriceTable | undefined => {
  const table = object(value);
  const given = object(table?.["models"]);
  if (table === undefined || given === undefined) return undefined;
  const models: Record<string, ModelPrice> = {};
  for (const [name, entry] of Object.entries(given)) {
    const price = object(entry);
    const at = (kind: (typeof kinds)[number]): number => Math.max(number(price?.[kind]) ?? 0, 0);
    if (price === undefined || nanoUsd(price["input"]) === undefined) return undefined;
    models[name] = {
      input: at("input"),
      output: at("output"),
      cacheRead: at("cacheRead"),
      cacheWrite5m: at("cacheWrite5m"),
      cacheWrite1h: at("cacheWrite1h"),
    };
  }
  return {
    source: string(table["source"]) ?? "a file",
    date: string(table["date"]) ?? "unknown",
    sha256: createHash("sha256").update(JSON.stringify(models)).digest("hex"),
    models,
  };
};
