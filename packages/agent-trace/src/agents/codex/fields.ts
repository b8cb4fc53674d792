import { createFieldWatch, type FormatFields } from "../../fields.ts";
import { at, string, type JsonObject } from "../../jsonline.ts";
import known from "./fields.json" with { type: "json" };

/** A line of the stream; the three steps of an item are one kind. */
const eventKind = (record: JsonObject): string | undefined => {
  const item = string(at(record, "item", "type"));
  return item === undefined ? string(record["type"]) : `item/${item}`;
};

/** A record of a rollout; the kinds of bare ones, of 2025, are not told apart from the wrapped. */
const recordKind = (record: JsonObject): string | undefined => {
  const type = string(record["type"]);
  const inner = string(at(record, "payload", "type"));
  const item = string(at(record, "payload", "item", "type"));
  if (inner === undefined) return type;
  return item === undefined ? `${type}/${inner}` : `${type}/${inner}/${item}`;
};

/** Fields that the captures and public records of 0.50 to 0.171 have. */
export const formats = {
  stream: { ...known.stream, kindOf: eventKind },
  transcript: { ...known.transcript, kindOf: recordKind },
} satisfies Record<string, FormatFields>;

export const streamFields = createFieldWatch(formats.stream);
export const transcriptFields = createFieldWatch(formats.transcript);
