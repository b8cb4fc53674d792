import type { Agent } from "../../agent.ts";
import { isSessionFile, locate } from "./locate.ts";
import { detectStream, streamReader } from "./stream.ts";
import { detectTranscript, skippedHeads, transcriptReader } from "./transcript.ts";

/** Claude Code, `claude`. Facts from records that versions 1.0.51 to 2.1.332 wrote. */
export const claudeCode: Agent = {
  name: "claude-code",
  stream: { format: "stream-json", detect: detectStream, reader: streamReader },
  transcript: {
    kind: "jsonl",
    skip: skippedHeads,
    locate,
    isSessionFile,
    detect: detectTranscript,
    reader: transcriptReader,
  },
  // The stream's usage is a placeholder, and it leaves out what background agents say.
  settles: { session: "stream", tool_call: "stream", mark: "stream", result: "stream", usage: "transcript" },
  sharedKeys: ["session", "tool_call", "usage"],
  idPaths: [
    "session_id",
    "uuid",
    "parent_tool_use_id",
    "agent_id",
    "task_id",
    "tool_use_id",
    "request_id",
    "message.id",
    "message.content.*.id",
    "message.content.*.tool_use_id",
    "tool_result_meta.*.id",
    "tool_use_result.agentId",
    "sessionId",
    "parentUuid",
    "agentId",
    "requestId",
    "toolUseResult.agentId",
    "parentToolUseID",
    "toolUseID",
    "data.agentId",
    "sourceToolAssistantUUID",
  ],
};
