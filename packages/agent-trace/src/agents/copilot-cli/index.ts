import { posix } from "node:path";
import type { Agent } from "../../agent.ts";
import { copilotReader, isCopilotHead } from "./transcript.ts";

/** GitHub Copilot CLI: an event file a session. Its stream is not read. */
export const copilotCli: Agent = {
  name: "copilot-cli",
  transcript: {
    kind: "jsonl",
    locate: ({ home, env }) => [
      posix.join(env["COPILOT_HOME"] ?? posix.join(home, ".copilot"), "session-state"),
    ],
    isSessionFile: (path) => /\/session-state\/(?:[^/]+\/events|[^/]+)\.jsonl$/.test(path),
    detect: isCopilotHead,
    reader: copilotReader,
  },
  settles: {
    session: "transcript",
    tool_call: "transcript",
    mark: "transcript",
    usage: "transcript",
    result: "transcript",
  },
  // There is no second source.
  sharedKeys: [],
  idPaths: [
    "id",
    "parentId",
    "data.sessionId",
    "data.messageId",
    "data.apiCallId",
    "data.requestId",
    "data.toolCallId",
    "data.parentToolCallId",
    "data.turnId",
    "data.interactionId",
    "data.toolRequests.*.toolCallId",
  ],
};
