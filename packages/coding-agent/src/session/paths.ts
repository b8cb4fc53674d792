import { join } from "node:path";
import type { ProcessCapability } from "../capabilities/types.ts";
import type { SessionHeader } from "./entry.ts";

/** Where orphus keeps what is the user's: `$ORPHUS_CODING_AGENT_DIR`, else `~/.orphus/agent`. */
export const agentDir = ({ env, cwd }: ProcessCapability): string =>
  env["ORPHUS_CODING_AGENT_DIR"] ?? join(env["HOME"] ?? cwd, ".orphus", "agent");

/** The folder of a working directory's sessions. */
export const sessionDirFor = (agentFolder: string, cwd: string): string =>
  join(agentFolder, "sessions", `--${cwd.replace(/^[/\\]/u, "").replaceAll(/[/\\:]/gu, "-")}--`);

/** The file of a session. */
export const sessionFileName = ({ timestamp, id }: SessionHeader): string =>
  `${timestamp.replaceAll(/[:.]/gu, "-")}_${id}.jsonl`;
