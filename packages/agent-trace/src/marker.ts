import type { SourceFault } from "./item.ts";
import { count, object, parseJson, string, type JsonObject } from "./jsonline.ts";
import { present } from "./present.ts";

/** What a marker line says was lost. */
export interface Marker {
  fault: SourceFault;
  note: string;
  /** Bytes lost, where known. */
  bytes?: number;
}

/** A source that is gone. */
export const deletedMarker: Marker = { fault: "deleted", note: "The file is gone." };

/**
 * Reads a line that stands in a stream file in place of what could not be kept. Its key is `harness` and not `type`, so
 * that it cannot pass for an agent's own line; undefined for every other record.
 */
export const markerOf = (record: JsonObject): Marker | undefined => {
  const name = record["type"] === undefined ? string(record["harness"]) : undefined;
  const bytes = present({ bytes: count(record["bytes"]) });
  switch (name) {
    case undefined:
      return undefined;
    case "line_dropped":
      return { fault: "oversize", note: "A line over the limit was dropped.", ...bytes };
    case "stream_truncated":
      return { fault: "truncated", note: "The stream file reached its limit and ends here.", ...bytes };
    case "source_truncated":
      return {
        fault: "truncated",
        note: "The file became shorter than what was read of it; it is read anew.",
        ...bytes,
      };
    case "source_rewritten":
      return {
        fault: "rewritten",
        note: "The file is another one than was read before; it is read anew.",
        ...bytes,
      };
    case "source_deleted":
      return { ...deletedMarker, ...bytes };
    default:
      return { fault: "unreadable", note: `The supervisor could not keep a part: ${name}.`, ...bytes };
  }
};

const keptHead = '{"harness":"not_json"';

/** The line that stands wrapped in a stream file because it was no JSON; undefined for every other line. */
export const keptText = (line: string): string | undefined =>
  line.startsWith(keptHead) ? string(object(parseJson(line))?.["text"]) : undefined;

/** The marker for a line that was too long to be kept. */
export const droppedLineMarker = (stream: "stdout" | "stderr", bytes: number, limit: number): string =>
  JSON.stringify({ harness: "line_dropped", stream, bytes, limit });

/** The marker for a source that is not what it was when it was last read. */
export const sourceMarker = (what: "truncated" | "rewritten" | "deleted"): string =>
  JSON.stringify({ harness: `source_${what}` });
