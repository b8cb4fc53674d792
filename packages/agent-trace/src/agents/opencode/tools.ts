import type { ToolTable } from "../../classify/index.ts";

export const opencodeTools: ToolTable = {
  bash: "shell",
  read: "read",
  view: "read",
  edit: "edit",
  write: "edit",
  multiedit: "edit",
  patch: "patch",
  apply_patch: "patch",
  grep: "search",
  glob: "search",
  list: "search",
  ls: "search",
  codesearch: "search",
  websearch: "search",
  lsp: "search",
  task: "agent",
};
