import type { JsonObject } from "../message.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import type { Stop } from "./call.ts";
import { deepFreeze } from "./snapshot.ts";
import { checkArguments } from "./validate.ts";

/** Puts values into an object in place of all it had, so that whoever holds it sees them. */
const writeBack = (live: JsonObject, values: JsonObject): void => {
  for (const key of Object.keys(live)) if (!(key in values)) delete live[key];
  Object.assign(live, structuredClone(values));
};

/**
 * Stage 5: the snapshot against the tool's schema. What comes out is frozen, and everything after sees this and no
 * earlier version; the hooks' own object is given the coerced values as well.
 */
export const revalidate = (
  tool: ToolDefinition,
  snapshot: JsonObject,
  live: JsonObject,
): { value: JsonObject } | Stop => {
  const checked = checkArguments(tool, snapshot);
  if (!("value" in checked)) return { ...checked, reason: `after hooks: ${checked.reason}` };
  writeBack(live, checked.value);
  return { value: deepFreeze(checked.value) };
};
