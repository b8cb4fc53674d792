import { posix } from "node:path";
import type { Agent } from "../../agent.ts";
import { isPiSession } from "./locate.ts";
import { eventReader, isPiLine } from "./stream.ts";
import { hasSessionHeader, sessionFileReader } from "./transcript.ts";
import { streamFields, transcriptFields } from "./fields.ts";

/** Positions of ids, the same for omp. */
export const piIdPaths = [
  "id",
  "parentId",
  "targetId",
  "toolCallId",
  "message.responseId",
  "message.toolCallId",
  "message.content.*.id",
  "messages.*.responseId",
  "messages.*.toolCallId",
  "messages.*.content.*.id",
  "toolResults.*.toolCallId",
  "data.toolCallId",
] as const;

/** pi: `--mode json`, and its session files. */
export const pi: Agent = {
  name: "pi",
  stream: {
    format: "pi-json",
    detect: isPiLine,
    reader: (options) => eventReader("pi", streamFields, options),
  },
  transcript: {
    kind: "jsonl",
    locate: ({ home, env }) => [
      posix.join(env["PI_CODING_AGENT_DIR"] ?? posix.join(home, ".pi", "agent"), "sessions"),
    ],
    isSessionFile: isPiSession,
    detect: (lines) => hasSessionHeader(lines, false),
    reader: (options) => sessionFileReader("pi", transcriptFields, options),
  },
  // The stream carries each finished message whole, and exit codes that the transcript lacks.
  settles: { session: "stream", tool_call: "stream", mark: "stream", usage: "stream", result: "stream" },
  // Calls by the provider's call id; responses, and the results that end with them, by response id or time stamp.
  sharedKeys: ["tool_call", "usage", "result"],
  idPaths: piIdPaths,
};
