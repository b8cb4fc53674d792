import type { ToolDefinition } from "../tools/tool.ts";
import type { Stop } from "./call.ts";

/** Stage 1: the tool that a call names. */
export const resolveTool = (
  name: string,
  tools: ReadonlyMap<string, ToolDefinition>,
): ToolDefinition | Stop =>
  tools.get(name) ?? {
    outcome: "unknown_tool",
    reason: `No tool is named ${name}. There are: ${[...tools.keys()].join(", ") || "none"}.`,
    decider: "resolve",
  };
