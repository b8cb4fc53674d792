import { posix } from "node:path";
import type { Agent } from "../../agent.ts";
import { piIdPaths } from "../pi/index.ts";
import { isPiSession } from "../pi/locate.ts";
import { eventReader, isOmpLine } from "../pi/stream.ts";
import { hasSessionHeader, sessionFileReader } from "../pi/transcript.ts";
import { streamFields, transcriptFields } from "./fields.ts";

/** omp: pi's formats with its own entries, a title line that is rewritten in place, and sub-agents. */
export const omp: Agent = {
  name: "omp",
  stream: {
    format: "omp-json",
    detect: isOmpLine,
    reader: (options) => eventReader("omp", streamFields, options),
  },
  transcript: {
    kind: "jsonl",
    locate: ({ home, env }) => [
      posix.join(env["PI_CODING_AGENT_DIR"] ?? posix.join(home, ".omp", "agent"), "sessions"),
    ],
    isSessionFile: isPiSession,
    detect: (lines) => hasSessionHeader(lines, true),
    reader: (options) => sessionFileReader("omp", transcriptFields, options),
  },
  // As pi; sub-agents have session files of their own and do not show in the stream.
  settles: { session: "stream", tool_call: "stream", mark: "stream", usage: "stream", result: "stream" },
  sharedKeys: ["tool_call", "usage", "result"],
  idPaths: piIdPaths,
};
