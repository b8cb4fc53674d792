import type { ToolTable } from "../../classify/index.ts";

/** Codex's tools. Everything the model does to files goes through a shell or a patch. */
export const codexTools: ToolTable = {
  exec_command: "shell",
  write_stdin: "shell",
  shell: "shell",
  shell_command: "shell",
  local_shell_call: "shell",
  "container.exec": "shell",
  command_execution: "shell",
  apply_patch: "patch",
  file_change: "edit",
  view_image: "read",
  read_file: "read",
  list_dir: "search",
  grep_files: "search",
  tool_search_call: "search",
  web_search_call: "search",
  web_search: "search",
  spawn_agent: "agent",
};
