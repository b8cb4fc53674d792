import { posix } from "node:path";
import type { LocateContext, TranscriptOptions } from "../../agent.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import { object, string, text, type JsonObject } from "../../jsonline.ts";
import type { Marker } from "../../marker.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { Conversation } from "./conversation.ts";
import { callEnd, messageText, requestOf } from "./message.ts";
import { detectStream } from "./stream.ts";

/** Request bodies and an extension's data: most of a file, and nothing that the messages do not say as well. */
export const skippedHeads = ['{"type":"custom",'] as const;

/** Entries that carry nothing for the record. */
const silent = new Set(["model_change", "thinking_level_change", "custom", "custom_message", "label"]);

/** A session file of orphus: the header, then entries, appended to only. */
class OrphusTranscript implements RecordHandler {
  readonly #conversation: Conversation;

  constructor(options: TranscriptOptions) {
    this.#conversation = new Conversation(options, handlerState(options.state));
  }

  record(record: JsonObject, sink: ReadSink): void {
    const kind = string(record["type"]) ?? "";
    const { session } = this.#conversation;
    const at = timestamp(record["timestamp"]);
    switch (kind) {
      case "session":
        return this.#conversation.header(record, sink);
      case "message":
        return this.#message(record, at, sink);
      case "compaction":
      case "branch_summary":
        return session?.mark("compaction", text(record["id"]), at, {}, sink);
      case "session_info":
        return session?.learn(present({ title: text(record["name"]) }), sink);
      case "result":
        return this.#conversation.result(record, sink);
      default:
        if (!silent.has(kind)) this.#conversation.novelty(kind, record, sink);
    }
  }

  #message(record: JsonObject, at: string | undefined, sink: ReadSink): void {
    const message = object(record["message"]);
    const { session } = this.#conversation;
    if (message === undefined || session === undefined) return;
    const callId = message["role"] === "toolResult" ? text(message["toolCallId"]) : undefined;
    if (callId === undefined) {
      const request = requestOf(record["request"]);
      this.#conversation.message({ entryId: text(record["id"]), message, request, at }, sink);
    } else {
      const end = callEnd(message, messageText(message), at);
      this.#conversation.calls.end(session.id, callId, end, sink);
    }
  }

  lost(marker: Marker, sink: ReadSink): void {
    this.#conversation.lost(marker, sink);
  }

  finish(sink: ReadSink): void {
    this.#conversation.finish(sink);
  }

  state(): JsonValue {
    return this.#conversation.state();
  }
}

export const transcriptReader = (options: TranscriptOptions): LineReader =>
  jsonLinesReader(new OrphusTranscript(options), { state: options.state, skip: skippedHeads });

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
