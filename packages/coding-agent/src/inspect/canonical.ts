import { createHash } from "node:crypto";
import { isObject } from "../json.ts";

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
};

/** JSON with the keys of every object sorted; lists keep their order. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

/** Lower-case hex. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
