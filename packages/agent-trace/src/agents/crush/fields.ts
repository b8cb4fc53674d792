import { createFieldWatch, type FormatFields } from "../../fields.ts";
import { string, type JsonObject } from "../../jsonline.ts";
import known from "./fields.json" with { type: "json" };

const kindOf = (part: JsonObject): string | undefined => `part/${string(part["type"]) ?? ""}`;

/** Fields of a message's parts that public databases have. */
export const formats = { transcript: { ...known.transcript, kindOf } } satisfies Record<string, FormatFields>;

export const transcriptFields = createFieldWatch(formats.transcript);
