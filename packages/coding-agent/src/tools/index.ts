import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import type { ToolDefinition } from "./tool.ts";
import { writeTool } from "./write.ts";

/** The tools that come with orphus, all on by default. */
export const BUILTIN_TOOLS: readonly ToolDefinition[] = [readTool, bashTool, editTool, writeTool];
