import { posix } from "node:path";
import type { LocateContext, TranscriptOptions } from "../../agent.ts";
import { conversationReader, handlerState } from "../../json-lines.ts";
import { object, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { LineReader, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { OrphusConversation } from "./conversation.ts";
import { callEnd, messageText, requestOf } from "./message.ts";
import { detectStream } from "./stream.ts";
import { transcriptFields } from "./fields.ts";

/** Request bodies and an extension's data: most of a file, and nothing that the messages do not say as well. */
export const skippedHeads = ['{"type":"custom",'] as const;

/** Entries that carry nothing for the record. */
const silent = new Set(["model_change", "thinking_level_change", "custom", "custom_message", "label"]);

/** Reads one line of a session file of orphus: the header, then entries, appended to only. */
const readEntry = (conversation: OrphusConversation, record: JsonObject, sink: ReadSink): void => {
  const kind = string(record["type"]) ?? "";
  const { session } = conversation;
  const at = timestamp(record["timestamp"]);
  switch (kind) {
    case "session":
      return conversation.header(record, sink);
    case "message":
      return readMessage(conversation, record, at, sink);
    case "compaction":
      return conversation.compaction(record, text(record["id"]), sink);
    case "branch_summary":
      return session?.mark("compaction", text(record["id"]), at, {}, sink);
    case "session_info":
      return session?.learn(present({ title: text(record["name"]) }), sink);
    case "result":
      return conversation.result(record, sink);
    default:
      if (!silent.has(kind)) conversation.novelty(kind, record, sink);
  }
};

const readMessage = (
  conversation: OrphusConversation,
  record: JsonObject,
  at: string | undefined,
  sink: ReadSink,
): void => {
  const message = object(record["message"]);
  const { session } = conversation;
  if (message === undefined || session === undefined) return;
  const callId = message["role"] === "toolResult" ? text(message["toolCallId"]) : undefined;
  if (callId === undefined) {
    const request = requestOf(record["request"]);
    conversation.message({ entryId: text(record["id"]), message, request, at }, sink);
  } else {
    const end = callEnd(message, messageText(message), at);
    conversation.calls.end(session.id, callId, end, sink);
  }
};

export const transcriptReader = (options: TranscriptOptions): LineReader => {
  const conversation = new OrphusConversation(options, handlerState(options.state));
  return conversationReader(conversation, (record, sink) => readEntry(conversation, record, sink), {
    state: options.state,
    fields: transcriptFields,
    skip: skippedHeads,
  });
};

/** A session file begins with the header that a stream begins with; only its second line tells the two apart. */
export const detectTranscript = (lines: readonly string[]): boolean =>
  detectStream(lines[0] ?? "") && !(lines[1] ?? "").startsWith('{"type":"agent_start"');

/** Session files lie in a folder for each working directory. */
export const locate = ({ home, env }: LocateContext): string[] => {
  const named = env["ORPHUS_CODING_AGENT_SESSION_DIR"];
  const folder = env["ORPHUS_CODING_AGENT_DIR"] ?? posix.join(home, ".orphus", "agent");
  return [...(named === undefined ? [] : [named]), posix.join(folder, "sessions")];
};

/** `<timestamp>_<session id>.jsonl`, below a folder of sessions. */
export const isSessionFile = (path: string): boolean =>
  /\/\.orphus\/.*\/\d{4}-\d\d-\d\dT[\d-]+Z_[0-9a-f-]{36}\.jsonl$/.test(path);
