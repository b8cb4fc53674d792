import type { LineReader, ReaderOptions, ReadSink } from "../../reader.ts";
import { conversationReader, handlerState } from "../../json-lines.ts";
import { boolean, count, object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import { fromMillis, timestamp } from "../../time.ts";
import { ClaudeConversation } from "./conversation.ts";
import { readResult } from "./result.ts";
import { readSystem } from "./system.ts";
import { streamFields } from "./fields.ts";

/** Line kinds that carry nothing for the record. */
const silent = new Set(["stream_event", "control_request", "control_response", "keep_alive"]);

/**
 * Reads one line of what `claude -p --verbose --output-format stream-json` writes on stdout. Seen in 2.1.138 to 2.1.332.
 * The prompt is not echoed: a turn begins with an `init` line, of which a finished background agent brings another.
 */
const readEvent = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const kind = string(record["type"]);
  switch (kind) {
    case "system":
      return readSystem(conversation, record, sink);
    case "assistant":
      return readAssistant(conversation, record, sink);
    case "user":
      return readUser(conversation, record, sink);
    case "result":
      return readResult(conversation, record, sink);
    case "rate_limit_event":
      return readLimit(conversation, record);
    case undefined:
      return conversation.novelty("line", "without a type", record, sink);
    default:
      if (!silent.has(kind)) conversation.novelty("kind", kind, record, sink);
  }
};

/** Tells how far the account's usage windows are used; a rejected one with its end, in seconds since 1970. */
const readLimit = (conversation: ClaudeConversation, record: JsonObject): void => {
  const info = object(record["rate_limit_info"]);
  const seconds = count(info?.["resetsAt"]);
  const rejected = info?.["status"] === "rejected" && seconds !== undefined;
  conversation.resetAt = rejected ? fromMillis(seconds * 1000) : undefined;
};

const readAssistant = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const session = conversation.sessionOf(record);
  if (session === undefined) return;
  conversation.announceChild(session, record, sink);
  if (session === conversation.main) conversation.turnOpen = true;
  conversation.assistant(session, record, false, sink);
};

const readUser = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const session = conversation.sessionOf(record);
  if (session === undefined) return;
  conversation.announceChild(session, record, sink);
  const said = conversation.user(session, record, sink);
  if (said === undefined || said === "" || boolean(record["isSynthetic"]) === true) return;
  if (session !== conversation.main) return;
  session.mark("user_message", text(record["uuid"]), timestamp(record["timestamp"]), { note: said }, sink);
};

export const streamReader = (options: ReaderOptions): LineReader => {
  const conversation = new ClaudeConversation(options, handlerState(options.state));
  return conversationReader(conversation, (record, sink) => readEvent(conversation, record, sink), {
    state: options.state,
    fields: streamFields,
  });
};

/** Every line of this stream names its session in snake case; other agents' lines do not. */
export const detectStream = (line: string): boolean => {
  const record = object(parseJson(line));
  if (record === undefined || text(record["session_id"]) === undefined) return false;
  return ["system", "assistant", "user", "result"].includes(string(record["type"]) ?? "");
};
