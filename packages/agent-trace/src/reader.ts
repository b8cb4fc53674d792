import type { JsonValue, LiveItem, TraceItem } from "./item.ts";

export type { JsonValue };

/** A line that could not be read as a record. It is reported, never thrown, and never ends a run. */
export interface UnreadLine {
  reason: "not_json" | "oversize" | "torn";
  /** The masked line, at most 64 KiB of it. */
  text: string;
  /** Bytes of the whole line. */
  bytes: number;
}

/** Where a reader puts what it read. Calls come in the order of the source. */
export interface ReadSink {
  item(item: TraceItem): void;
  live?(item: LiveItem): void;
  unread?(line: UnreadLine): void;
}

/**
 * Reads one source of lines (a stream, or one JSONL transcript). It takes lines that are **already masked**, without
 * their line end, and never throws: what it does not know becomes a `novelty` mark, what it cannot parse an unread line.
 */
export interface LineReader {
  line(text: string, sink: ReadSink): void;
  /**
   * The owner knows that the source has ended (the process exited, the file was read whole): open calls are given out
   * as `unanswered`. A reader never decides this by itself.
   */
  finish(sink: ReadSink): void;
  /**
   * A bounded snapshot (open calls, open response, last totals). A reader made from it goes on exactly as this one
   * would have, so that a cursor {position, state} can be committed together with the items.
   */
  state(): JsonValue;
}

export interface ReaderOptions {
  /** Snapshot of an earlier reader of the same source. */
  state?: JsonValue;
  /** Used to make paths relative where the source has no working directory of its own. */
  cwd?: string;
  /** The user's home directory, to tell `home` from `other` in touches outside the working directory. */
  home?: string;
}
