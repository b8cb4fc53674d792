import type { JsonObject, JsonValue } from "../message.ts";

/** Stage 4: a copy of what the hooks left, which no reference of theirs reaches. */
export const snapshot = (live: JsonObject): JsonObject => structuredClone(live);

/** Makes a value unchangeable to the last level. */
export const deepFreeze = <T extends JsonValue>(value: T): T => {
  if (typeof value !== "object" || value === null) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
};
