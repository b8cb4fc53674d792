/** A run as it is stored: masked, with what the server itself knows about it filled in. */
export interface Run {
  /** Unguessable: who has it may read the run. */
  id: string;
  /** `open` runs still take spans. */
  status: "open" | "closed";
  title?: string;
  prompt?: string;
  model?: string;
  tokenCount?: number;
  provenance: Provenance;
  startedAt: Timestamp;
  /** Absent while the run is open. */
  endedAt?: Timestamp;
  /** From here on the run answers as if it had never been. */
  expiresAt: Timestamp;
  /** In the order in which they were sent. */
  spans: Span[];
}

/** Who brought the run here. Only `onBehalfOf` is the client's word. */
export interface Provenance {
  /** `token` for a writer that showed one, `loopback` for one on this machine where no token is set. */
  actor: "token" | "loopback";
  onBehalfOf?: string;
  /** The door it came in by. */
  channel: "api";
  capturedAt: Timestamp;
}

/** One thing that happened in a run. */
export interface Span {
  /** Unique within the run and stable. */
  spanId: string;
  parentSpanId?: string;
  /** Order within the run, from 0. */
  seq: number;
  /** Open set; `prompt` is a point in time, `reason` carries no tool, `write` may name an artifact. */
  category: string;
  name?: string;
  tool?: string;
  args?: JsonValue;
  output?: Output;
  /** Milliseconds from the run's `startedAt`. */
  startOffsetMs?: number;
  durationMs?: number;
  producedArtifactId?: string;
}

/** What a tool gave back. */
export interface Output {
  /** Of the masked bytes, lower-case hex. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** The client sent less than there was. */
  truncated: boolean;
  /** The masked bytes; absent where a large output is left to be fetched by itself. */
  bytes?: Uint8Array;
}

/** RFC 3339 in UTC with milliseconds. */
export type Timestamp = string;

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export const limits = {
  /** Bytes of one request. */
  bodyBytes: 16 * 1024 * 1024,
  spansPerRequest: 500,
  /** Levels of spans under one another. */
  spanDepth: 32,
  /** Levels of JSON under one another in a request. */
  jsonDepth: 64,
  /** Bytes of an output that is shown in place; a larger one is fetched by itself. */
  inlineOutputBytes: 16 * 1024,
} as const;
