import type { AgentSession } from "../agent/session.ts";
import { createLineWriter } from "./lines.ts";
import { runOnce } from "./run.ts";

/** `--mode json`: the session's header, then every event, one masked JSON line each, and nothing else. */
export const runJson = async (session: AgentSession, prompt: string): Promise<number> => {
  const line = await createLineWriter(session.capabilities);
  line(session.header);
  const stop = session.subscribe(line);
  const { exitCode } = await runOnce(session, prompt);
  stop();
  return exitCode;
};
