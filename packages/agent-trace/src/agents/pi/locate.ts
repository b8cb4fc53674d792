import { posix } from "node:path";

/** Session files are named `<ISO time>_<session id>.jsonl`; omp names a sub-agent's after the agent, in its parent's folder. */
export const sessionIdOfPath = (path: string): string | undefined =>
  /^[^_]*_(.+)\.jsonl$/.exec(posix.basename(path))?.[1];

/** The session whose folder holds this file: the parent of a sub-agent's. */
export const folderSessionId = (path: string): string | undefined =>
  sessionIdOfPath(`${posix.dirname(path)}.jsonl`);

export const isPiSession = (path: string): boolean => path.endsWith(".jsonl");
