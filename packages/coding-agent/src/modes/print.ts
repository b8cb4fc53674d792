import type { AgentSession } from "../agent/session.ts";
import { runOnce } from "./run.ts";

/** `--mode text`: the last answer on the output; what went wrong beside it. */
export const runPrint = async (session: AgentSession, prompt: string): Promise<number> => {
  const { terminal } = session.capabilities;
  const { result, exitCode } = await runOnce(session, prompt);
  if (result.text !== "") terminal.write(`${result.text}\n`);
  if (result.error !== undefined) {
    const { kind, status, message } = result.error;
    terminal.writeError(`orphus: ${kind}${status === undefined ? "" : ` (HTTP ${status})`}: ${message}\n`);
  } else if (result.isError) {
    terminal.writeError("orphus: the answer was cut at the model's length limit\n");
  }
  return exitCode;
};
