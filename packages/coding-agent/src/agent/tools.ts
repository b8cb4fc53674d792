import type { Registry } from "../extensions/registry.ts";
import { BUILTIN_TOOLS, DEFAULT_TOOLS } from "../tools/index.ts";
import type { ToolDefinition } from "../tools/tool.ts";

/** A tool the session knows, and whether the model is offered it. */
export interface ToolInfo {
  tool: ToolDefinition;
  active: boolean;
  /** `builtin`, `custom`, or the extension's name. */
  source: string;
}

/**
 * All tools, by name, at the time of asking. An extension's tool takes the place of a built-in one of the same name, a
 * custom tool that of both. Without a list the built-in defaults are on, and everything else that was brought.
 */
export const collectTools = (
  registry: Registry,
  custom: readonly ToolDefinition[],
  listed: readonly string[] | undefined,
): ToolInfo[] => {
  const known = new Map<string, ToolInfo>();
  const add = (tool: ToolDefinition, source: string): void => {
    const byDefault = source !== "builtin" || DEFAULT_TOOLS.includes(tool.name);
    known.set(tool.name, { tool, source, active: listed?.includes(tool.name) ?? byDefault });
  };
  for (const tool of BUILTIN_TOOLS) add(tool, "builtin");
  for (const { owner, value } of registry.tools.values()) add(value, owner);
  for (const tool of custom) add(tool, "custom");
  return [...known.values()];
};

/** Throws for names in a list that no tool has. */
export const checkToolNames = (listed: readonly string[] | undefined, known: readonly ToolInfo[]): void => {
  const missing = listed?.filter((name) => !known.some(({ tool }) => tool.name === name)) ?? [];
  if (missing.length > 0)
    throw new Error(
      `No tool is named ${missing.join(", ")}. There are: ${known.map(({ tool }) => tool.name).join(", ")}.`,
    );
};
