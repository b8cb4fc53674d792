import type { ToolTable } from "../../classify/index.ts";

/** The tools orphus has of its own; an extension's are `other`. */
export const tools: ToolTable = {
  read: "read",
  write: "edit",
  edit: "edit",
  bash: "shell",
  grep: "search",
  find: "search",
  ls: "search",
};
