import { createFieldWatch, type FormatFields } from "../../fields.ts";
import { string, type JsonObject } from "../../jsonline.ts";
import known from "./fields.json" with { type: "json" };

const kindOf = (record: JsonObject): string | undefined => {
  const type = string(record["type"]);
  return type === "system" ? `system/${string(record["subtype"]) ?? ""}` : type;
};

/** Fields that the captures and public records of 1.0.51 to 2.1.332 have. */
export const formats = {
  stream: { ...known.stream, kindOf },
  transcript: { ...known.transcript, kindOf },
} satisfies Record<string, FormatFields>;

export const streamFields = createFieldWatch(formats.stream);
export const transcriptFields = createFieldWatch(formats.transcript);
