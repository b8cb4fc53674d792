import type { ToolTable } from "../../classify/index.ts";

export const crushTools: ToolTable = {
  bash: "shell",
  view: "read",
  read: "read",
  edit: "edit",
  multiedit: "edit",
  write: "edit",
  patch: "edit",
  grep: "search",
  glob: "search",
  ls: "search",
  sourcegraph: "search",
  web_search: "search",
  agent: "agent",
  agentic_fetch: "agent",
};
