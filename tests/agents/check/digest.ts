import { createHash } from "node:crypto";
import type { Json } from "../model/json.ts";
import type { CallArguments } from "../model/script.ts";

const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([key, field]): [string, Json] => [key, sorted(field)]);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * What a record's `inputDigest` is by its own description, from the arguments that the model asked with. Free text is
 * the one argument `input`.
 */
export const digestOf = (given: CallArguments): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(typeof given === "string" ? { input: given } : given)))
    .digest("hex")
    .slice(0, 32);
