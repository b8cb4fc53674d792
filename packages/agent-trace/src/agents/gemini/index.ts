import { posix } from "node:path";
import type { Agent } from "../../agent.ts";
import { isGeminiSession, readGeminiSession } from "./document.ts";

/** Gemini CLI: one JSON document a session, written whole at each step. Its stream is not read. */
export const gemini: Agent = {
  name: "gemini",
  transcript: {
    kind: "document",
    locate: ({ home }) => [posix.join(home, ".gemini", "tmp")],
    isSessionFile: (path) => /\/chats\/session-[^/]*\.json$/.test(path),
    detect: isGeminiSession,
    read: readGeminiSession,
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
  idPaths: ["sessionId", "messages.*.id", "messages.*.toolCalls.*.id"],
};
