import type { ToolTable } from "../../classify/index.ts";

/** Tools of pi, and of omp, which has more of them. */
export const piTools: ToolTable = {
  bash: "shell",
  read: "read",
  edit: "edit",
  write: "edit",
  multi_edit: "edit",
  apply_patch: "patch",
  grep: "search",
  glob: "search",
  find: "search",
  ls: "search",
  web_search: "search",
  task: "agent",
};
