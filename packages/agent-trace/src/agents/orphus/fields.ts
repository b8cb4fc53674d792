import { createFieldWatch, type FormatFields, typeAndRole } from "../../fields.ts";
import known from "./fields.json" with { type: "json" };

/** Fields that the captures and public records have. */
export const formats = {
  stream: { ...known.stream, kindOf: typeAndRole },
  transcript: { ...known.transcript, kindOf: typeAndRole },
} satisfies Record<string, FormatFields>;

export const streamFields = createFieldWatch(formats.stream);
export const transcriptFields = createFieldWatch(formats.transcript);
