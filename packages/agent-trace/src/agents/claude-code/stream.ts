import type { LineReader, JsonValue, ReaderOptions, ReadSink } from "../../reader.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import { boolean, object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import type { Marker } from "../../marker.ts";
import { timestamp } from "../../time.ts";
import { Conversation } from "./conversation.ts";
import { readResult } from "./result.ts";
import { readSystem } from "./system.ts";

/** Line kinds that carry nothing for the record. */
const silent = new Set([
  "stream_event",
  "control_request",
  "control_response",
  "keep_alive",
  "rate_limit_event",
]);

/**
 * What `claude -p --verbose --output-format stream-json` writes on stdout. Seen in 2.1.138 to 2.1.332. The prompt is not
 * echoed: a turn begins with an `init` line, of which a finished background agent brings another.
 */
class ClaudeStream implements RecordHandler {
  readonly #conversation: Conversation;

  constructor(options: ReaderOptions) {
    this.#conversation = new Conversation(options, handlerState(options.state));
  }

  record(record: JsonObject, sink: ReadSink): void {
    const kind = string(record["type"]);
    switch (kind) {
      case "system":
        return readSystem(this.#conversation, record, sink);
      case "assistant":
        return this.#assistant(record, sink);
      case "user":
        return this.#user(record, sink);
      case "result":
        return readResult(this.#conversation, record, sink);
      case undefined:
        return this.#conversation.novelty("line", "without a type", record, sink);
      default:
        if (!silent.has(kind)) this.#conversation.novelty("kind", kind, record, sink);
    }
  }

  #assistant(record: JsonObject, sink: ReadSink): void {
    const session = this.#conversation.sessionOf(record);
    if (session === undefined) return;
    this.#conversation.announceChild(session, record, sink);
    if (session === this.#conversation.main) this.#conversation.turnOpen = true;
    this.#conversation.assistant(session, record, false, sink);
  }

  #user(record: JsonObject, sink: ReadSink): void {
    const session = this.#conversation.sessionOf(record);
    if (session === undefined) return;
    this.#conversation.announceChild(session, record, sink);
    const said = this.#conversation.user(session, record, sink);
    if (said === undefined || said === "" || boolean(record["isSynthetic"]) === true) return;
    if (session !== this.#conversation.main) return;
    session.mark("user_message", text(record["uuid"]), timestamp(record["timestamp"]), { note: said }, sink);
  }

  lost(marker: Marker, sink: ReadSink): void {
    this.#conversation.main?.mark("source_fault", undefined, undefined, { ...marker }, sink);
  }

  finish(sink: ReadSink): void {
    this.#conversation.finish(sink);
  }

  state(): JsonValue {
    return this.#conversation.state();
  }
}

export const streamReader = (options: ReaderOptions): LineReader =>
  jsonLinesReader(new ClaudeStream(options), { state: options.state });

/** Every line of this stream names its session in snake case; other agents' lines do not. */
export const detectStream = (line: string): boolean => {
  const record = object(parseJson(line));
  if (record === undefined || text(record["session_id"]) === undefined) return false;
  return ["system", "assistant", "user", "result"].includes(string(record["type"]) ?? "");
};
