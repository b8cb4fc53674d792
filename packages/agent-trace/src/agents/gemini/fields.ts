import { createFieldWatch, type FormatFields } from "../../fields.ts";
import { object, objects, string, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import known from "./fields.json" with { type: "json" };

const kindOf = (record: JsonObject): string | undefined =>
  record["messages"] === undefined ? `message/${string(record["type"]) ?? ""}` : "session";

/** The document without its messages, and each message. */
const recordsOf = (document: JsonValue): JsonObject[] => {
  const session = object(document);
  return session === undefined ? [] : [{ ...session, messages: [] }, ...objects(session["messages"])];
};

/** Fields that public sessions have. */
export const formats = {
  document: { ...known.document, kindOf, recordsOf },
} satisfies Record<string, FormatFields>;

export const documentFields = createFieldWatch(formats.document);
