/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = Record<string, Json>;

/** A request's body: an object, or an empty one for whatever else was sent. */
export const parseObject = (text: string): JsonObject => {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
};

export const objectOf = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came out of JSON.parse
      (value as JsonObject)
    : {};

export const objectsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.map(objectOf) : []);

export const wordOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The text of a message's content: a string, or the text of its blocks, one a line. */
export const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : objectsOf(content)
        .map((block) => wordOf(block["text"]))
        .join("\n");
