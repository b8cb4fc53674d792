import type { Kind } from "../kinds/kind.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { HarnessDefinition } from "./definition.ts";

/**
 * How a definition's process is connected: a prompt one-shot of a kind that declares a stream runs on pipes; everything
 * else is a terminal's. Residents, commands and kinds without a stream are the latter.
 */
export type Launch = { on: "pipes"; kind: Kind; stream: string } | { on: "terminal"; kind?: Kind };

export const launchOf = (definition: Pick<HarnessDefinition, "kind" | "prompt">): Launch => {
  const kind = kindNamed(definition.kind);
  if (kind === undefined) return { on: "terminal" };
  if (definition.prompt === undefined || kind.stream === undefined) return { on: "terminal", kind };
  return { on: "pipes", kind, stream: kind.stream };
};
