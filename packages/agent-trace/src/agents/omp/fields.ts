import { createFieldWatch, type FormatFields } from "../../fields.ts";
import { at, string, type JsonObject } from "../../jsonline.ts";
import known from "./fields.json" with { type: "json" };

const kindOf = (record: JsonObject): string | undefined => {
  const type = string(record["type"]);
  const role = string(at(record, "message", "role"));
  return role === undefined ? type : `${type}/${role}`;
};

/** Fields that the captures and public records have. */
export const formats = {
  stream: { ...known.stream, kindOf },
  transcript: { ...known.transcript, kindOf },
} satisfies Record<string, FormatFields>;

export const streamFields = createFieldWatch(formats.stream);
export const transcriptFields = createFieldWatch(formats.transcript);
