import { posix } from "node:path";
import type { LocateContext } from "../../agent.ts";

/** Rollouts lie in `sessions/YYYY/MM/DD/`, archived ones flat in `archived_sessions/`. */
export const locateCodex = ({ home, env }: LocateContext): string[] => {
  const root = env["CODEX_HOME"] ?? posix.join(home, ".codex");
  return [posix.join(root, "sessions"), posix.join(root, "archived_sessions")];
};

export const isRollout = (path: string): boolean => /(?:^|[/\\])rollout-[^/\\]*\.jsonl$/.test(path);

/** The list of thread names, beside the folder that holds the rollout. */
export const nameIndexPath = (rollout: string): string | undefined => {
  const parts = /^(.*)[/\\](?:sessions|archived_sessions)[/\\]/.exec(rollout);
  return parts === null ? undefined : `${parts[1] ?? ""}/session_index.jsonl`;
};
