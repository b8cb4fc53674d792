import { Buffer } from "node:buffer";
import { cutBytes } from "./bounded-text.ts";
import { object, string, type JsonObject } from "./jsonline.ts";
import { jsonValues } from "./json-values.ts";
import { keptText, markerOf, type Marker } from "./marker.ts";
import type { JsonValue, LineReader, ReadSink, UnreadLine } from "./reader.ts";

/** What an agent's folder writes: it gets each record of the source, parsed, and keeps its own bounded state. */
export interface RecordHandler {
  record(record: JsonObject, sink: ReadSink): void;
  /** A part of the source was lost before it came here. */
  lost(marker: Marker, sink: ReadSink): void;
  finish(sink: ReadSink): void;
  state(): JsonValue;
}

export interface JsonLinesOptions {
  /** State of an earlier reader's {@link jsonLinesReader}; its handler was made from {@link handlerState}. */
  state?: JsonValue | undefined;
  /** Lines beginning with one of these are passed over without being parsed. */
  skip?: readonly string[];
}

/** Longest record that may be spread over several lines, and the longest unread line that is kept. */
const spreadLimit = 1024 * 1024;
const unreadLimit = 64 * 1024;

/**
 * Makes a line reader from a record handler. It reads several objects on one line, one object pretty-printed over several
 * lines, and reports what is no JSON object as unread.
 */
export const jsonLinesReader = (handler: RecordHandler, options: JsonLinesOptions = {}): LineReader => {
  const skip = options.skip ?? [];
  /** The lines so far of an object that opened with a line of `{` alone. */
  let spread = string(object(options.state)?.["spread"]);

  const unread = (text: string, reason: UnreadLine["reason"], sink: ReadSink): void => {
    sink.unread?.({ reason, text: cutBytes(text, unreadLimit), bytes: Buffer.byteLength(text) });
  };

  const read = (text: string, sink: ReadSink): void => {
    const { values, rest } = jsonValues(text);
    for (const value of values) {
      const record = object(value);
      const marker = record === undefined ? undefined : markerOf(record);
      if (record === undefined) unread(JSON.stringify(value), "not_json", sink);
      else if (marker === undefined) handler.record(record, sink);
      else handler.lost(marker, sink);
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
        if (!text.startsWith("{") && spread.length + text.length <= spreadLimit) {
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
      if (/^\{\s*$/.test(text)) spread = text;
      else read(text, sink);
    },
    finish(sink) {
      giveUpSpread(sink);
      handler.finish(sink);
    },
    state: () => ({ handler: handler.state(), ...(spread === undefined ? {} : { spread }) }),
  };
};

/** The part of a {@link jsonLinesReader}'s state that its handler saved. */
export const handlerState = (state: JsonValue | undefined): JsonValue | undefined =>
  object(state)?.["handler"];
