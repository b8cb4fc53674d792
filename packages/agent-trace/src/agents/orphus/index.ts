import type { Agent } from "../../agent.ts";
import { detectStream, streamReader } from "./stream.ts";
import { detectTranscript, isSessionFile, locate, skippedHeads, transcriptReader } from "./transcript.ts";

/** orphus, whose files are a contract: `packages/coding-agent/schema`. */
export const orphus: Agent = {
  name: "orphus",
  stream: { format: "json", detect: detectStream, reader: streamReader },
  transcript: {
    kind: "jsonl",
    skip: skippedHeads,
    locate,
    isSessionFile,
    detect: detectTranscript,
    reader: transcriptReader,
  },
  settles: { session: "stream", tool_call: "stream", mark: "stream", usage: "stream", result: "stream" },
  // Both sources carry the same ids.
  sharedKeys: ["session", "tool_call", "mark", "usage", "result"],
  idPaths: [
    "id",
    "entryId",
    "toolCallId",
    "parentSession",
    "request.id",
    "request.sha256",
    "message.toolCallId",
    "message.responseId",
    "message.content.*.id",
  ],
};
