import { createFieldWatch, type FormatFields } from "../../fields.ts";
import { string, type JsonObject } from "../../jsonline.ts";
import known from "./fields.json" with { type: "json" };

const kindOf = (event: JsonObject): string | undefined => string(event["type"]);

/** Fields that public event files have. */
export const formats = { transcript: { ...known.transcript, kindOf } } satisfies Record<string, FormatFields>;

export const transcriptFields = createFieldWatch(formats.transcript);
