import { createFieldWatch, type FormatFields } from "../../fields.ts";
import { string, type JsonObject } from "../../jsonline.ts";
import known from "./fields.json" with { type: "json" };

const eventKind = (record: JsonObject): string | undefined => string(record["type"]);

/** A row's `data`: a message has a role, a part a type. */
const rowKind = (record: JsonObject): string | undefined => {
  const role = string(record["role"]);
  return role === undefined ? `part/${string(record["type"]) ?? ""}` : `message/${role}`;
};

/** Fields that the captures and public records of 1.0 to 1.16 have. */
export const formats = {
  stream: { ...known.stream, kindOf: eventKind },
  transcript: { ...known.transcript, kindOf: rowKind },
} satisfies Record<string, FormatFields>;

export const streamFields = createFieldWatch(formats.stream);
export const transcriptFields = createFieldWatch(formats.transcript);
