import type { FileMarker } from "./line-file.ts";

/*
 * Lines of our own in a run's files. In the stream file they are JSON objects whose first key is `harness`, so that the
 * file stays JSON line by line and none of them can pass for an agent's event.
 */

/** A line of which the beginning is gone. */
export const cutMarker = (bytes: number): string =>
  JSON.stringify({ harness: "line_cut", stream: "stdout", bytes });

/** A line that is no JSON of its own, masked. */
export const notJsonMarker = (text: string): string =>
  JSON.stringify({ harness: "not_json", stream: "stdout", text });

export const streamFileMarker = (marker: FileMarker): string =>
  marker.what === "truncated"
    ? JSON.stringify({ harness: "stream_truncated", limit: marker.limit })
    : JSON.stringify({
        harness: "stream_gap",
        lines: marker.lines,
        bytes: marker.bytes,
        reason: marker.reason,
      });

export const runLogMarker = (marker: FileMarker): string =>
  marker.what === "truncated"
    ? `[harness] the log is cut here, at its limit of ${marker.limit} bytes`
    : `[harness] ${marker.lines} lines (${marker.bytes} bytes) are missing here: ${marker.reason}`;

export const droppedText = (channel: string, bytes: number, limit: number): string =>
  `[harness] a line of ${bytes} bytes on ${channel} was dropped (limit ${limit})`;

export const cutText = (channel: string, bytes: number): string =>
  `[harness] a line on ${channel} was cut: ${bytes} bytes of it are gone`;
