import { posix } from "node:path";
import type { LocateContext } from "../../agent.ts";

/** Where Claude Code keeps its transcripts: `projects/` under its configuration folder. */
export const locate = ({ home, env }: LocateContext): string[] => {
  const named = env["CLAUDE_CONFIG_DIR"];
  const folders = named === undefined || named === "" ? [] : named.split(",").map((folder) => folder.trim());
  const standard = [posix.join(home, ".claude"), posix.join(home, ".config", "claude")];
  return [...new Set([...folders, ...standard])].map((folder) => posix.join(folder, "projects"));
};

/** A session's own file or a sub-agent's. Tool results and other things that lie beside them have other names. */
export const isSessionFile = (path: string): boolean =>
  /\/(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|subagents(?:\/[\w.-]+)*\/agent-[\w-]+|agent-[\w-]+)\.jsonl$/.test(
    path,
  );
