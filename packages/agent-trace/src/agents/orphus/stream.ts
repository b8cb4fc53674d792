import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import { object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import type { Marker } from "../../marker.ts";
import type { JsonValue, LineReader, ReaderOptions, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { Conversation } from "./conversation.ts";
import { callEnd, requestError, requestOf } from "./message.ts";

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
]);

/** What `orphus -p --mode json` writes: the session's header, then events. The contract is orphus's own schema. */
class OrphusStream implements RecordHandler {
  readonly #conversation: Conversation;

  constructor(options: ReaderOptions) {
    this.#conversation = new Conversation(options, handlerState(options.state));
  }

  record(record: JsonObject, sink: ReadSink): void {
    const kind = string(record["type"]) ?? "";
    switch (kind) {
      case "session":
        return this.#conversation.header(record, sink);
      case "message_end":
        return this.#message(record, sink);
      case "message_update":
        return this.#delta(record, sink);
      case "tool_execution_end":
        return this.#callEnd(record, sink);
      case "auto_retry_start":
        return this.#retry(record, sink);
      case "extension_error":
        return this.#conversation.novelty(kind, record, sink);
      case "result":
        return this.#conversation.result(record, sink);
      default:
        if (!silent.has(kind)) this.#conversation.novelty(kind, record, sink);
    }
  }

  #message(record: JsonObject, sink: ReadSink): void {
    const message = object(record["message"]);
    if (message === undefined) return;
    const at = timestamp(record["timestamp"]);
    const request = requestOf(record["request"]);
    this.#conversation.message({ entryId: text(record["entryId"]), message, request, at }, sink);
  }

  #delta(record: JsonObject, sink: ReadSink): void {
    const { session } = this.#conversation;
    const delta = text(record["delta"]);
    if (session === undefined || delta === undefined || record["kind"] !== "text") return;
    sink.live?.({ v: 1, type: "text_delta", sessionId: session.id, key: "-", rev: 0, seq: 0, text: delta });
  }

  #callEnd(record: JsonObject, sink: ReadSink): void {
    const { session } = this.#conversation;
    const callId = text(record["toolCallId"]);
    if (session === undefined || callId === undefined) return;
    const end = callEnd(record, string(record["result"]) ?? "", timestamp(record["timestamp"]));
    this.#conversation.calls.end(session.id, callId, end, sink);
  }

  #retry(record: JsonObject, sink: ReadSink): void {
    const at = timestamp(record["timestamp"]);
    this.#conversation.session?.mark("api_retry", undefined, at, requestError(record["error"]), sink);
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

export const streamReader = (options: ReaderOptions): LineReader =>
  jsonLinesReader(new OrphusStream(options), { state: options.state });

/** The header names the agent. */
export const detectStream = (line: string): boolean => {
  const record = object(parseJson(line));
  return record?.["type"] === "session" && object(record["agent"])?.["name"] === "orphus";
};
