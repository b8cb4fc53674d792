import { Buffer } from "node:buffer";
import { cutBytes } from "./bounded-text.ts";
import type { FieldWatch } from "./fields.ts";
import type { SessionItems } from "./items.ts";
import { object, string, type JsonObject } from "./jsonline.ts";
import { jsonValues } from "./json-values.ts";
import { keptText, markerOf } from "./marker.ts";
import type { JsonValue, LineReader, ReadSink, UnreadLine } from "./reader.ts";

/** What an agent's folder keeps of a source from record to record, all of it bounded. */
export interface Conversation {
  /** The session that is told of what befell the source: a part that was lost, a field that nobody knows. */
  readonly session: SessionItems | undefined;
  finish(sink: ReadSink): void;
  state(): JsonValue;
}

/** A conversation that reads its source's records itself. */
export interface RecordHandler extends Conversation {
  record(record: JsonObject, sink: ReadSink): void;
}

export interface JsonLinesOptions {
  /** State of an earlier reader's {@link jsonLinesReader}; its conversation was made from {@link handlerState}. */
  state?: JsonValue | undefined;
  /** Finds fields that are not known; each counts as a novelty of the session. */
  fields?: FieldWatch;
  /** Lines beginning with one of these are passed over without being parsed. */
  skip?: readonly string[];
}

/** Longest record that may be spread over several lines, and the longest unread line that is kept. */
const spreadLimit = 1024 * 1024;
const unreadLimit = 64 * 1024;

/**
 * What a log put before the `{` that opens an object spread over several lines, such as its time; empty where the line is `{`
 * alone, undefined for any other line.
 */
export const spreadOpening = (line: string): string | undefined =>
  /^(?<before>|[^{"]*\s)\{\s*$/.exec(line)?.groups?.["before"]?.trim();

/** Makes a line reader from a handler of its records, as {@link conversationReader} does. */
export const jsonLinesReader = (handler: RecordHandler, options: JsonLinesOptions = {}): LineReader =>
  conversationReader(handler, (record, sink) => handler.record(record, sink), options);

/**
 * Makes a line reader from a conversation and the function that reads one record into it. It reads several objects on one
 * line, one object pretty-printed over several lines, and reports what is no JSON object as unread.
 */
export const conversationReader = (
  conversation: Conversation,
  readRecord: (record: JsonObject, sink: ReadSink) => void,
  options: JsonLinesOptions = {},
): LineReader => {
  const skip = options.skip ?? [];
  /** The lines so far of an object that opened with a line that ends in `{`. */
  let spread = string(object(options.state)?.["spread"]);

  const unread = (text: string, reason: UnreadLine["reason"], sink: ReadSink): void => {
    sink.unread?.({ reason, text: cutBytes(text, unreadLimit), bytes: Buffer.byteLength(text) });
  };

  const readOne = (record: JsonObject, sink: ReadSink): void => {
    const marker = markerOf(record);
    if (marker !== undefined) {
      conversation.session?.fault(marker, sink);
      return;
    }
    readRecord(record, sink);
    options.fields?.check(record, (name, value) => conversation.session?.novelty("field", name, value, sink));
  };

  const read = (text: string, sink: ReadSink): void => {
    const { values, rest } = jsonValues(text);
    for (const value of values) {
      const record = object(value);
      if (record === undefined) unread(JSON.stringify(value), "not_json", sink);
      else readOne(record, sink);
    }
    if (rest !== undefined) unread(rest, rest.startsWith("{") ? "torn" : "not_json", sink);
  };

  const giveUpSpread = (sink: ReadSink): void => {
    if (spread !== undefined) unread(spread, "torn", sink);
    spread = undefined;
  };

  return {
    line(given, sink) {
      // A stream file holds what was no JSON in a wrapping, so that the file is JSON line by line.
      const text = keptText(given) ?? given;
      if (spread !== undefined) {
        if (/^[\s}]|^$/.test(text) && spread.length + text.length <= spreadLimit) {
          spread += `\n${text}`;
          if (!/^\}\s*$/.test(text)) return;
          const whole = spread;
          spread = undefined;
          read(whole, sink);
          return;
        }
        giveUpSpread(sink);
      }
      if (text.trim() === "" || skip.some((head) => text.startsWith(head))) return;
      const opening = spreadOpening(text);
      if (opening === undefined) {
        read(text, sink);
        return;
      }
      if (opening !== "") unread(opening, "not_json", sink);
      spread = "{";
    },
    finish(sink) {
      giveUpSpread(sink);
      conversation.finish(sink);
    },
    state: () => ({ handler: conversation.state(), ...(spread === undefined ? {} : { spread }) }),
  };
};

/** The part of a {@link jsonLinesReader}'s state that its conversation saved. */
export const handlerState = (state: JsonValue | undefined): JsonValue | undefined =>
  object(state)?.["handler"];
