import type { JsonValue, StopReason, Usage } from "../message.ts";

export const PROVIDER_REQUEST_ENTRY = "orphus.provider.request.v1";
export const PROVIDER_RESPONSE_ENTRY = "orphus.provider.response.v1";
export const TOOL_AUDIT_ENTRY = "orphus.tool.audit.v1";

/** Stored bodies of at most this many bytes stand in the record; larger ones go to a file. */
export const MAX_INLINE_BODY_BYTES = 1_048_576;
/** Of a response's body at most this much is kept. */
export const MAX_RESPONSE_TEXT_BYTES = 1_048_576;
/** Folder of the larger bodies, beside the session files. */
export const PROVIDER_REQUEST_SPILL_DIR = "provider-requests";
/** `0`, `false` or `off` (trimmed, any case) turns the recording of provider requests and responses off. */
export const ENV_PROVIDER_AUDIT = "ORPHUS_PROVIDER_AUDIT";

/** One HTTP request, written and flushed before it leaves the process. */
export interface ProviderRequestRecord {
  /** Joins the response record, and the `request` of the assistant message it led to. */
  requestId: string;
  /** 0 for the first try of a turn. */
  attempt: number;
  /** Number of responses that completed before it, over the records of the branch. */
  turn: number;
  /** The session's leaf when the request was issued, before this record. */
  branchLeafId: string | null;
  provider: string;
  model: string;
  api: string;
  /** SHA-256 of the exact body sent, lower-case hex. */
  sha256: string;
  /** Length of the exact body sent. */
  byteLength: number;
  /** The body as stored. Exactly the body sent, unless `redactedPaths` is present. */
  body?: string;
  /** Instead of `body`: `provider-requests/<requestId>.json`, relative to the folder of the session file. */
  bodyPath?: string;
  /** Where the stored body differs from the one sent, as `a.b` and `list[0].c`. Absent when nowhere. */
  redactedPaths?: string[];
  /** SHA-256 of the stored body; only beside `redactedPaths`. */
  storedSha256?: string;
  /** What the request was for, where that is not the conversation itself. */
  purpose?: "compaction";
  /** Wall time of the clock capability, milliseconds since 1970. */
  timestamp: number;
}

export type ProviderErrorKind =
  | "auth"
  | "rate_limit"
  | "overloaded"
  | "context_overflow"
  | "network"
  | "aborted"
  | "provider"
  | "unknown";

export interface ProviderError {
  kind: ProviderErrorKind;
  /** HTTP status, where there was a response. */
  status?: number;
  message: string;
}

/** The body of a response as it came, from which the run can be replayed. */
export interface ResponseStream {
  contentType?: string;
  /** Of the exact body, as far as it was read. */
  byteLength: number;
  sha256: string;
  /** The body with credentials masked, at most {@link MAX_RESPONSE_TEXT_BYTES} of it. */
  text: string;
  /** The body was longer than what is kept. */
  truncated?: true;
  /** Something was masked, so that `text` has another hash. */
  redacted?: true;
}

/** What became of one recorded request. */
export interface ProviderResponseRecord {
  requestId: string;
  attempt: number;
  turn: number;
  /** HTTP status; absent when no response came. */
  status?: number;
  finishReason?: StopReason;
  usage?: Usage;
  /** Monotonic milliseconds from dispatch to settlement. */
  durationMs: number;
  /** Present exactly when the request failed. */
  error?: ProviderError;
  /** Absent when no response came. */
  stream?: ResponseStream;
  timestamp: number;
}

export type ToolAuditOutcome = "executed" | "blocked" | "invalid_arguments";

/** Written when there is more to say of a tool call than the transcript does. */
export interface ToolAuditRecord {
  toolCallId: string;
  toolName: string;
  outcome: ToolAuditOutcome;
  /** After all hooks, with credential-shaped values redacted. */
  arguments: JsonValue;
  /** What hooks changed: `a.b`, `list[1]`, `root`. */
  mutatedPaths: string[];
  /** Why the call was stopped. */
  reason?: string;
  /** Who stopped it: `schema`, `hook`, `policy`, `approval`, `resolve`. */
  decider?: string;
  timestamp: number;
}
