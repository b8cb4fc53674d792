import type { AgentSession } from "../agent/session.ts";
import { openRedactor } from "../record/mask.ts";
import { runOnce } from "./run.ts";

/** Where lines hold ids: masked ones could not be joined any more. */
const ID_PATHS = [
  "id",
  "parentSession",
  "entryId",
  "toolCallId",
  "request.id",
  "request.sha256",
  "message.toolCallId",
  "message.responseId",
  "message.content.*.id",
];

/** `--mode json`: the session's header, then every event, one masked JSON line each, and nothing else. */
export const runJson = async (session: AgentSession, prompt: string): Promise<number> => {
  const { terminal } = session.capabilities;
  const redactor = await openRedactor(session.capabilities, ID_PATHS);
  const line = (value: object): void => terminal.write(`${redactor.jsonLine(JSON.stringify(value))}\n`);
  line(session.header);
  const stop = session.subscribe(line);
  const { exitCode } = await runOnce(session, prompt);
  stop();
  return exitCode;
};
