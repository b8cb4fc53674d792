/**
 * The record: one `TraceItem` is one thing an agent did or said of itself. Normalizer, transcript readers, bus, store,
 * event log, spans and exporters all speak exactly this. The JSON Schema in `schema/` is generated from this file.
 *
 * **Identity** is (agent, sessionId, type, key). The same identity with an equal or lower `rev` is a repeat and changes
 * nothing; a higher `rev` replaces the whole item. Keys come from the agent's own durable ids, never from content, time,
 * or place in a file that can be rewritten.
 *
 * **Absent means unknown**, never zero and never "no".
 */

/** Version of the record format; raised when a reader of the old one could misunderstand the new one. */
export const TRACE_ITEM_VERSION = 1;

/** Agents whose records can be read. */
export type AgentName =
  | "claude-code"
  | "codex"
  | "crush"
  | "opencode"
  | "pi"
  | "omp"
  | "orphus"
  | "gemini"
  | "copilot-cli";

/** What JSON can say: the type of a record's open parts and of every reader's saved state. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A date and time in UTC, RFC 3339 with milliseconds: `2026-11-30T21:07:40.446Z`. */
export type Timestamp = string;

/** An amount of money in whole nano-dollars (1 USD = 1,000,000,000), rounded once when read. */
export type NanoUsd = number;

/** What every item carries. */
export interface ItemHead {
  /** {@link TRACE_ITEM_VERSION} the item was written under. */
  v: 1;
  /** The agent's own session id; a sub-agent without one is `<parent sessionId>/<agentId>`. */
  sessionId: string;
  /** Unique within (agent, sessionId, type). */
  key: string;
  /** Revision, from 0. */
  rev: number;
  /** Order of starts within one source, from 0. */
  seq: number;
  /** The agent's own start time of the thing. */
  at?: Timestamp;
  /** True when the source has no time and the recorder stamped its own in `at`. */
  atObserved?: boolean;
  /** The user turn the thing belongs to, from 1; 0 is before the first user message. */
  turn?: number;
}

/** A session as far as it is known. Comes at first sight and again when a fact becomes known: absent = unchanged. */
export interface SessionItem extends ItemHead {
  type: "session";
  /** Always `-`. */
  key: string;
  agent: AgentName;
  agentVersion?: string;
  /** The session that started this one as a sub-agent. */
  parentSessionId?: string;
  /** The parent's tool call that started it. */
  parentCallId?: string;
  /** The session whose history this one continues under a new id. */
  forkedFrom?: string;
  /** Earliest time seen so far. */
  startedAt?: Timestamp;
  /** Latest time seen so far. */
  endedAt?: Timestamp;
  cwd?: string;
  gitBranch?: string;
  title?: string;
  /** Every model that served a response, in order of first sight. A patch adds to the union. */
  models?: ServedModel[];
  /** Names of the tools offered to the model. */
  tools?: string[];
  mcpServers?: McpServer[];
}

export interface ServedModel {
  model: string;
  provider?: string;
}

export interface McpServer {
  name: string;
  /** The agent's own word, such as `connected` or `failed`. */
  status?: string;
}

/** What kind of work a tool call is. `verify` is a run of a test runner, linter, type checker or build. */
export type Action = "search" | "read" | "edit" | "exec" | "verify" | "other";

/** How a file was touched, strongest first. `hit` is a search result. */
export type Touch = "edit" | "read" | "hit";

/** A file inside the session's working directory. */
export interface Target {
  /** Relative to the working directory, with `/`. */
  path: string;
  touch: Touch;
  /** Inclusive 1-based ranges `[from, to]`. */
  lines?: [number, number][];
}

/** A path outside the working directory. */
export interface OutsideTouch {
  path: string;
  scope: "home" | "tmp" | "other";
  touch: Touch;
}

/** `unanswered`: the call's result is in no source that was read to its end. */
export type Outcome = "ok" | "error" | "denied" | "unanswered";

/**
 * The coarse class of a failed model request or tool call. Overload (529) is `transport`, not `quota`: it has no reset
 * time. An error that no rule recognised is `other` with `errorKind: "unclassified"`.
 */
export type ErrorClass = "quota" | "auth" | "timeout" | "transport" | "other";

/** What went wrong, finer than {@link ErrorClass}. */
export type ErrorKind =
  // tool calls
  | "exit_nonzero"
  | "not_found"
  | "denied"
  | "unanswered"
  | "invalid_arguments"
  | "interrupted"
  | "timed_out"
  | "no_match"
  | "unknown_tool"
  // model requests
  | "rate_limited"
  | "usage_limit"
  | "billing"
  | "unauthorized"
  | "forbidden"
  | "context_overflow"
  | "invalid_request"
  | "overloaded"
  | "server_error"
  | "connection"
  | "stream_cut"
  | "refused"
  // neither
  | "unclassified";

/** The provider request that an item came from, where the agent keeps one on record. */
export interface RequestRef {
  id: string;
  /** SHA-256 of the exact body sent, lower-case hex. */
  sha256?: string;
}

/** One tool call. Comes when its result is known or when the source ends; a result that comes later is the next `rev`. */
export interface ToolCallItem extends ItemHead {
  type: "tool_call";
  /** The agent's tool name as it wrote it. */
  tool: string;
  action: Action;
  targets: Target[];
  outside: OutsideTouch[];
  /** One line of at most 1 KiB (UTF-8), masked and free of control characters. */
  summary: string;
  outcome: Outcome;
  errorClass?: ErrorClass;
  errorKind?: ErrorKind;
  /** Exit code of a command, where the source tells it. */
  exitCode?: number;
  /** Milliseconds from call to result. */
  durationMs?: number;
  /** UTF-8 bytes of the result's text. */
  resultBytes?: number;
  /**
   * SHA-256 (first 32 hex digits) of the masked arguments as JSON with keys sorted at every depth. Two calls of one tool
   * with one digest asked for the same thing, although the arguments themselves are not kept.
   */
  inputDigest?: string;
  model?: string;
  provider?: string;
  /** The model response that asked for the call: the `key` of its `usage` item. */
  messageId?: string;
  /** The session of the sub-agent that the call started. */
  childSessionId?: string;
  request?: RequestRef;
}

export type MarkKind =
  | "user_message"
  | "compaction"
  | "subagent_start"
  | "subagent_end"
  | "api_retry"
  | "api_error"
  | "permission_denied"
  | "interrupted"
  /** Two live runs announced one session. */
  | "ambiguous"
  | "clock_jump"
  | "source_fault"
  | "novelty";

/** What happened to a source. `oversize`: a line over the limit was skipped. */
export type SourceFault = "cut" | "truncated" | "rewritten" | "deleted" | "oversize" | "unreadable";

/** A point in a session that is no tool call. */
export interface MarkItem extends ItemHead {
  type: "mark";
  kind: MarkKind;
  /** At most 2,000 code points, masked. */
  note?: string;
  errorClass?: ErrorClass;
  errorKind?: ErrorKind;
  /** HTTP status of a failed model request. */
  status?: number;
  /** When a usage limit ends, by the agent's or provider's word. */
  resetAt?: Timestamp;
  /** How often, for a mark that stands for several sights. */
  count?: number;
  fault?: SourceFault;
  /** Bytes that a fault cost, where known. */
  bytes?: number;
  novelty?: Novelty;
}

/** Something the reader did not know. One item per `what`, `name`, agent version and session, with a rising `count`. */
export interface Novelty {
  what: "kind" | "field" | "value" | "line";
  /** Such as `system/new_thing` or `assistant.message.new_field`. */
  name: string;
  agentVersion?: string;
  /** The first such line, masked, at most 1 KiB. */
  sample?: string;
}

/**
 * Token counts mean the same for every agent: `input` excludes cache reads and writes; `output` includes reasoning, of
 * which `reasoning` says how much.
 */
export interface TokenCounts {
  input?: number;
  output?: number;
  cacheRead?: number;
  /** Cache writes kept for 5 minutes, and those whose lifetime the source does not tell. */
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  reasoning?: number;
}

/** `recorded`: the agent wrote it. `priced`: our price table times the tokens. */
export type CostSource = "recorded" | "priced" | "unknown";

/** What was spent on one response, or on one turn where the source is coarser. Always an amount, never a running total. */
export interface UsageItem extends ItemHead, TokenCounts {
  type: "usage";
  /** The message or response id; for a coarser source `turn:N`. */
  key: string;
  model?: string;
  provider?: string;
  costNanoUsd?: NanoUsd;
  costSource: CostSource;
  /** False when the source is known to hold a placeholder instead of the true figure. */
  exact: boolean;
  /**
   * What the amount covers. A sum takes the responses of a turn; it takes the `turn` item only where the turn has no
   * response, or none that is exact.
   */
  covers: "response" | "turn";
  request?: RequestRef;
}

/** A turn ended in the agent's own accounting. Several may come; the last is the session's result. */
export interface ResultItem extends ItemHead {
  type: "result";
  subtype?: string;
  isError: boolean;
  turns?: number;
  durationMs?: number;
  /** At most 4 KiB (UTF-8), masked. */
  text?: string;
  errorClass?: ErrorClass;
  errorKind?: ErrorKind;
  /** The agent's word on what it spent: never added up, only reconciled. */
  claims: Claim[];
}

/** One statement of an agent about its own spending. */
export interface Claim {
  costNanoUsd?: NanoUsd;
  usage?: TokenCounts;
  /** What the figure began with: this turn, this process, or the whole session with its earlier runs. */
  since: "turn" | "process" | "session";
  /** Whether sub-agents are counted in. */
  subagents: "in" | "out";
}

/** One record. */
export type TraceItem = SessionItem | ToolCallItem | MarkItem | UsageItem | ResultItem;
export type TraceItemType = TraceItem["type"];

/** Shown while it happens; never stored and never counted. */
export type LiveItem =
  | (ItemHead & { type: "tool_started"; tool: string; action: Action; summary: string })
  | (ItemHead & { type: "text_delta"; text: string })
  /** An item whose settling source does not have it yet. */
  | (ItemHead & { type: "held"; item: TraceItem });
