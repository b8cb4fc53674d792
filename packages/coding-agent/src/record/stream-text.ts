import { isObject, parseJson } from "../json.ts";
import { type MaskText, redactBody } from "./redact.ts";

/** A string in an event of a stream. */
interface Piece {
  holder: { [key: string]: unknown };
  key: string;
  text: string;
}

const DATA = /^data:\s*(?=[{[])/u;

/** Strings below a value by their key path; numbers that say which block or call they belong to are part of it. */
const collect = (value: unknown, path: string, into: Map<string, Piece[]>): void => {
  if (Array.isArray(value)) for (const [at, part] of value.entries()) collect(part, `${path}.${at}`, into);
  if (!isObject(value)) return;
  const index = value["index"];
  const here = typeof index === "number" ? `${path}#${index}` : path;
  for (const [key, part] of Object.entries(value)) {
    const place = `${here}.${key}`;
    if (typeof part !== "string") collect(part, place, into);
    else into.set(place, [...(into.get(place) ?? []), { holder: value, key, text: part }]);
  }
};

/** A model's pieces cut secrets in two: what is found in all pieces of a place together goes into the first of them. */
const maskPieces = (pieces: readonly Piece[], mask: MaskText): void => {
  const [first, ...rest] = pieces;
  if (first === undefined) return;
  const whole = pieces.map(({ text }) => text).join("");
  const masked = mask(whole);
  const isRepeat = rest.every(({ text }) => text === first.text);
  if (masked === whole || (isRepeat && rest.length > 0)) {
    for (const { holder, key, text } of pieces) holder[key] = mask(text);
    return;
  }
  first.holder[first.key] = masked;
  for (const { holder, key } of rest) holder[key] = "";
};

/** The body of a response as it is stored: an event stream, one JSON text, or anything else. Clean, it is as it came. */
export const maskStreamText = (text: string, mask: MaskText): string => {
  if (parseJson(text) !== undefined) return redactBody(text, mask).stored;
  const lines = text.split("\n");
  const events = lines.map((line) => (DATA.test(line) ? parseJson(line.replace(DATA, "")) : undefined));
  if (events.every((event) => event === undefined)) return mask(text);
  const places = new Map<string, Piece[]>();
  for (const event of events) collect(event, "", places);
  const before = events.map((event) => JSON.stringify(event));
  for (const pieces of places.values()) maskPieces(pieces, mask);
  return lines
    .map((line, at) => {
      const event = events[at];
      if (event === undefined) return mask(line);
      const after = JSON.stringify(event);
      return after === before[at] ? line : `data: ${after}`;
    })
    .join("\n");
};
