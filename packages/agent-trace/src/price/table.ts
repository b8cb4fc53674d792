import { readFileSync } from "node:fs";
import { parseJson } from "../jsonline.ts";
import { parsePriceTable, type PriceTable } from "./prices.ts";

let pinned: PriceTable | undefined;

/**
 * The pinned price list, which `scripts/prices.ts` writes: US dollars per million tokens, with its source, date and hash.
 * It is read from its file at the first call. Throws when the installed file is not what was shipped.
 */
export const pinnedPrices = (): PriceTable => {
  if (pinned !== undefined) return pinned;
  const shipped = parsePriceTable(parseJson(readFileSync(new URL("table.json", import.meta.url), "utf8")));
  if (shipped === undefined) throw new Error("the price list that was installed with agent-trace is damaged");
  pinned = shipped;
  return pinned;
};
