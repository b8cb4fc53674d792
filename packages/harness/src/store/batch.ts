import type { AgentName, TraceItem } from "@orphus/agent-trace/item";
import type { RunRef } from "./run-record.ts";

export type SourceKind = "stream" | "transcript";

/** Where one source of a run goes on after a restart. It commits with the items that were read up to it. */
export interface Cursor {
  /** Unique in the store, such as `run:nightly/3:stdout`. */
  source: string;
  /** How far the source is read, in its own units: lines of a channel, bytes of a file, rows of a database. */
  position: number;
  /** Snapshot of what reads it, as JSON can say it. Only its writer knows its shape. */
  state: unknown;
  /** Raw bytes of the source that are taken in. */
  rawIn: number;
  /** Bytes of the file written from it: what lies behind them is not committed. */
  fileOut: number;
}

/** Bytes of the run log that came from one channel, and when. */
export interface OutputSegment {
  channel: "stdout" | "stderr";
  /** Wall time in ms. */
  at: number;
  /** Offsets in the run log. */
  from: number;
  to: number;
}

/** What one source gave in one stretch. All of it is committed, or none. */
export interface Batch {
  run: RunRef;
  agent: AgentName;
  source: SourceKind;
  /** Wall time in ms; dates what the source left undated. */
  at: number;
  /** False: identity and amounts are kept until the run closes, content never. */
  keepContent: boolean;
  items: readonly TraceItem[];
  cursors: readonly Cursor[];
  output: readonly OutputSegment[];
}

/** An item as it was committed: new, or a higher revision of `previous`. Repeats are not among them. */
export interface StoredItem {
  change: number;
  run: RunRef;
  source: SourceKind;
  /** The item's own time in ms; where it has none, when it was read. */
  at: number;
  item: TraceItem;
  /** What the store had under this identity. Counters add the difference. */
  previous?: TraceItem;
  /** The response was counted before, in another session: it adds nothing. */
  duplicate: boolean;
}

/** What a commit changed. */
export interface Committed {
  items: StoredItem[];
  /** The batch's output segments, in order, with their change. */
  output: { change: number; segment: OutputSegment }[];
}
