import { conversationReader, handlerState } from "../../json-lines.ts";
import { object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import type { LineReader, ReaderOptions, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { OrphusConversation } from "./conversation.ts";
import { callEnd, requestError, requestOf } from "./message.ts";
import { streamFields } from "./fields.ts";

/** Events that say nothing that another does not say as well. */
const silent = new Set([
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "message_start",
  "tool_execution_start",
  "tool_execution_update",
  "auto_retry_end",
  "compaction_start",
]);

/** Reads one line of what `orphus -p --mode json` writes: the session's header, then events, by orphus's own schema. */
const readEvent = (conversation: OrphusConversation, record: JsonObject, sink: ReadSink): void => {
  const kind = string(record["type"]) ?? "";
  switch (kind) {
    case "session":
      return conversation.header(record, sink);
    case "message_end":
      return readMessage(conversation, record, sink);
    case "message_update":
      return readDelta(conversation, record, sink);
    case "tool_execution_end":
      return readCallEnd(conversation, record, sink);
    case "auto_retry_start":
      return readRetry(conversation, record, sink);
    case "compaction_end":
      return conversation.compaction(record, text(record["entryId"]), sink);
    case "result":
      return conversation.result(record, sink);
    default:
      if (!silent.has(kind)) conversation.novelty(kind, record, sink);
  }
};

const readMessage = (conversation: OrphusConversation, record: JsonObject, sink: ReadSink): void => {
  const message = object(record["message"]);
  if (message === undefined) return;
  const at = timestamp(record["timestamp"]);
  const request = requestOf(record["request"]);
  conversation.message({ entryId: text(record["entryId"]), message, request, at }, sink);
};

const readDelta = ({ session }: OrphusConversation, record: JsonObject, sink: ReadSink): void => {
  const delta = text(record["delta"]);
  if (session === undefined || delta === undefined || record["kind"] !== "text") return;
  sink.live?.({ v: 1, type: "text_delta", sessionId: session.id, key: "-", rev: 0, seq: 0, text: delta });
};

const readCallEnd = ({ session, calls }: OrphusConversation, record: JsonObject, sink: ReadSink): void => {
  const callId = text(record["toolCallId"]);
  if (session === undefined || callId === undefined) return;
  const end = callEnd(record, string(record["result"]) ?? "", timestamp(record["timestamp"]));
  calls.end(session.id, callId, end, sink);
};

const readRetry = ({ session }: OrphusConversation, record: JsonObject, sink: ReadSink): void => {
  const at = timestamp(record["timestamp"]);
  session?.mark("api_retry", undefined, at, requestError(record["error"]), sink);
};

export const streamReader = (options: ReaderOptions): LineReader => {
  const conversation = new OrphusConversation(options, handlerState(options.state));
  return conversationReader(conversation, (record, sink) => readEvent(conversation, record, sink), {
    state: options.state,
    fields: streamFields,
  });
};

/** The header names the agent. */
export const detectStream = (line: string): boolean => {
  const record = object(parseJson(line));
  return record?.["type"] === "session" && object(record["agent"])?.["name"] === "orphus";
};
