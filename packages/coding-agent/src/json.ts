import type { JsonObject, JsonValue } from "./message.ts";

/** Whether a value is an object in the sense of JSON. */
export const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value of JSON is an object. */
export const isJsonObject = (value: JsonValue | undefined): value is JsonObject => isObject(value);

/** Parses, or gives undefined for text that is not JSON. */
export const parseJson = (text: string): JsonValue | undefined => {
  try {
    // JSON.parse is typed any; what it can give is just what JsonValue says.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

/** The path of a child, as records write it: `a.b`, `list[0].c`, and `a["b.c"]` where a key is no plain word. */
export const childPath = (path: string, key: string | number): string => {
  if (typeof key === "number") return `${path}[${key}]`;
  if (!/^[\w$-]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
};
