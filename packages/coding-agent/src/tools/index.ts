import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import type { ToolDefinition } from "./tool.ts";
import { writeTool } from "./write.ts";

/** Names of those that are on unless told otherwise. */
export const DEFAULT_TOOLS: readonly string[] = ["read", "bash", "edit", "write"];

/** The tools that come with orphus. */
export const BUILTIN_TOOLS: readonly ToolDefinition[] = [
  readTool,
  bashTool,
  editTool,
  writeTool,
  grepTool,
  findTool,
  lsTool,
];
