import type { TraceItem } from "@orphus/agent-trace/item";
import { stripControls } from "@orphus/agent-trace/redact";

/** Longest summary of a call and sample of a novelty, in UTF-8 bytes. */
const SUMMARY_BYTES = 1024;
/** Longest text of a result, in UTF-8 bytes. */
const RESULT_TEXT_BYTES = 4096;
/** Longest of any other string: a note, a path, a title. */
const STRING_BYTES = 8192;
/** Longest id. Beyond it two ids could not be told apart, so the item is refused. */
const ID_BYTES = 1024;
/** Most entries of any list, such as a search's hits. */
const LIST_LENGTH = 1000;

/**
 * The item as it may be stored and shown, whatever its reader let through: no control characters, no string or list over
 * its cap, no number that is not a whole one. An item that is within bounds comes back as it was. `undefined` when its
 * identity itself is out of bounds.
 */
export const cleanItem = (item: TraceItem): TraceItem | undefined => {
  if (!isId(item.key) || !isId(item.sessionId)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `cleanValue` keeps every object's shape
  const clean = cleanValue(item) as TraceItem;
  if (clean.type === "tool_call") return { ...clean, summary: cutBytes(clean.summary, SUMMARY_BYTES) };
  if (clean.type === "result" && clean.text !== undefined) {
    return { ...clean, text: cutBytes(clean.text, RESULT_TEXT_BYTES) };
  }
  return clean;
};

// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const isId = (id: string): boolean => id.length > 0 && Buffer.byteLength(id) <= ID_BYTES && !CONTROL.test(id);

const cleanValue = (value: unknown): unknown => {
  if (typeof value === "string") return cutBytes(stripControls(value), STRING_BYTES);
  if (typeof value === "number") return wholeNumber(value);
  if (Array.isArray(value)) return value.slice(0, LIST_LENGTH).map(cleanValue);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => [key, cleanValue(each)]);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
};

/** `undefined` for a number that cannot be exact. */
const wholeNumber = (value: number): number | undefined => {
  const whole = Math.round(value);
  return Number.isSafeInteger(whole) ? whole : undefined;
};

const ELLIPSIS = "…";

/** The text cut to at most that many bytes of UTF-8, `…` included, at a code point's edge. */
const cutBytes = (text: string, limit: number): string => {
  // A UTF-16 unit is at most 3 bytes.
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  const room = limit - Buffer.byteLength(ELLIPSIS);
  let bytes = 0;
  let units = 0;
  for (const point of text) {
    const size = Buffer.byteLength(point);
    if (bytes + size > room) break;
    bytes += size;
    units += point.length;
  }
  return text.slice(0, units) + ELLIPSIS;
};
