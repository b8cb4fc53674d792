import type { ToolTable } from "../../classify/index.ts";

/** Claude Code's own tools, lower case. MCP tools (`mcp__…`) and everything missing are `other`. */
export const tools: ToolTable = {
  bash: "shell",
  bashoutput: "other",
  read: "read",
  notebookread: "read",
  write: "edit",
  edit: "edit",
  multiedit: "edit",
  notebookedit: "edit",
  grep: "search",
  glob: "search",
  ls: "search",
  task: "agent",
  agent: "agent",
};
