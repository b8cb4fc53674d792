import { basename, join } from "node:path";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { uuidV7 } from "../ids.ts";
import { withoutStoredBodies } from "../record/entries.ts";
import { SESSION_VERSION, type SessionHeader } from "../session/entry.ts";
import { gitBranch } from "../session/git.ts";
import { createSessionLog, openSessionLog, type SessionLog } from "../session/log.ts";
import { agentDir, sessionDirFor } from "../session/paths.ts";
import { isoTime } from "../time.ts";
import { VERSION } from "../version.ts";

/** Where a session is kept. */
export type SessionPlace =
  /** A new one, in the folder of its working directory or in the given one. */
  | { kind: "new"; dir?: string }
  /** A new one, in memory only. */
  | { kind: "memory" }
  /** Go on with the session in a file. */
  | { kind: "file"; path: string }
  /** Go on with the history of a session, in a new one. */
  | { kind: "fork"; path: string; dir?: string }
  /** Go on with the last session of the folder; a new one when there is none. */
  | { kind: "last"; dir?: string };

/** The newest session file of a folder; their names sort by time. */
const lastSessionIn = async ({ fs }: HarnessCapabilities, dir: string): Promise<string | undefined> => {
  if ((await fs.stat(dir)) === undefined) return undefined;
  const name = (await fs.readdir(dir)).findLast((file) => file.endsWith(".jsonl"));
  return name === undefined ? undefined : join(dir, name);
};

const newHeader = async (
  { clock, process, fs }: HarnessCapabilities,
  cwd: string,
): Promise<SessionHeader> => {
  const now = clock.now();
  const branch = await gitBranch(fs, cwd);
  return {
    type: "session",
    version: SESSION_VERSION,
    id: uuidV7(now, process.randomBytes),
    timestamp: isoTime(now),
    cwd,
    agent: { name: "orphus", version: VERSION },
    ...(branch === undefined ? {} : { gitBranch: branch }),
  };
};

/** Opens or begins a session's log. With `keepBodies` what was sent and received stays in memory too. */
export const openLog = async (
  capabilities: HarnessCapabilities,
  cwd: string,
  place: SessionPlace,
  keepBodies: boolean,
): Promise<SessionLog> => {
  const { clock, fs, process } = capabilities;
  const world = { clock, fs, random: process.randomBytes, keepBodies };
  if (place.kind === "file") return openSessionLog(world, place.path);
  if (place.kind === "memory") return createSessionLog(world, await newHeader(capabilities, cwd), undefined);
  const dir = place.dir ?? sessionDirFor(agentDir(process), cwd);
  if (place.kind === "fork") {
    const source = await openSessionLog(world, place.path);
    const header = { ...(await newHeader(capabilities, cwd)), parentSession: basename(place.path) };
    return createSessionLog(world, header, dir, source.branch().map(withoutStoredBodies));
  }
  const last = place.kind === "last" ? await lastSessionIn(capabilities, dir) : undefined;
  if (last !== undefined) return openSessionLog(world, last);
  return createSessionLog(world, await newHeader(capabilities, cwd), dir);
};
