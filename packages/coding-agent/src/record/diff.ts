import { childPath, isJsonObject } from "../json.ts";
import type { JsonValue } from "../message.ts";

/**
 * Where two JSON values differ: `a.b` for a changed, added or removed key, `list[1]` for an element, the array's own path
 * when its length changed, `root` when the values differ as a whole.
 */
export const diffPaths = (
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path = "",
): string[] => {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, index) => diffPaths(item, after[index], childPath(path, index)));
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => diffPaths(before[key], after[key], childPath(path, key)));
  }
  return [path === "" ? "root" : path];
};
