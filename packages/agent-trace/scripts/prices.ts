/**
 * Writes `src/price/table.json` from the model list of the package `@earendil-works/pi-ai`, which its maintainers make
 * from models.dev. Usage: `node scripts/prices.ts YYYY-MM-DD FOLDER`: the day the list is of, and where the
 * package lies.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { count, number, object, parseJson, string } from "../src/jsonline.ts";
import type { JsonValue } from "../src/reader.ts";

/** Providers that sell models of their own; resellers ask the same or have no fixed price. */
const providers = [
  "anthropic",
  "openai",
  "google",
  "deepseek",
  "mistral",
  "moonshotai",
  "xai",
  "zai",
  "minimax",
  "meta",
];

const date = process.argv[2];
if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date))
  throw new Error("which day is the list of? YYYY-MM-DD");
const root = process.argv[3];
if (root === undefined) throw new Error("where does the package lie?");
const version = string(object(parseJson(readFileSync(join(root, "package.json"), "utf8")))?.["version"]);
const imported: Record<string, unknown> = await import(
  pathToFileURL(join(root, "dist", "models.generated.js")).href
);
const list = object(parseJson(JSON.stringify(imported["MODELS"]))) ?? {};

const priceOf = (model: JsonValue): Record<string, number> | undefined => {
  const cost = object(object(model)?.["cost"]);
  const input = number(cost?.["input"]);
  const output = number(cost?.["output"]);
  if (input === undefined || output === undefined || (input === 0 && output === 0)) return undefined;
  const write = number(cost?.["cacheWrite"]) ?? 0;
  // Anthropic asks twice the input price for a write kept an hour; others have one kind of write.
  const long = count(object(object(model)?.["promptCache"])?.["long"]) !== undefined && write > 0;
  return {
    input,
    output,
    cacheRead: number(cost?.["cacheRead"]) ?? 0,
    cacheWrite5m: write,
    cacheWrite1h: long ? input * 2 : write,
  };
};

const models: Record<string, Record<string, number>> = {};
for (const provider of providers) {
  for (const [id, model] of Object.entries(object(list[provider]) ?? {}).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const price = priceOf(model);
    if (price !== undefined) models[id] ??= price;
  }
}
const source = `models.dev, as packaged in @earendil-works/pi-ai ${version ?? "?"}`;
const sha256 = createHash("sha256").update(JSON.stringify(models)).digest("hex");
const table = { source, date, sha256, models };
writeFileSync(
  join(dirname(import.meta.dirname), "src", "price", "table.json"),
  `${JSON.stringify(table, null, 2)}\n`,
);
