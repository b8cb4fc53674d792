/**
 * What passes between user, model and tools, as it is kept in a session and reported in the JSON stream. The vocabulary
 * (roles, content blocks, stop reasons) is that of pi session files, version 3.
 */

/** What JSON can say. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

export interface TextContent {
  type: "text";
  text: string;
  /** The provider's opaque mark on the block, kept byte for byte. */
  textSignature?: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  /** The provider's signature, kept byte for byte: a changed one is refused. */
  thinkingSignature?: string;
  /** The provider withheld the text; the signature holds its encrypted form. */
  redacted?: boolean;
}

export interface ImageContent {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ToolCall {
  type: "toolCall";
  /** The provider's id of the call: joins call, execution and result. */
  id: string;
  name: string;
  /** As the model wrote them; what ran differs only where an `orphus.tool.audit.v1` record says so. */
  arguments: JsonObject;
  thoughtSignature?: string;
  /** Why the model's arguments were no JSON object; `arguments` is then `{}`. */
  argumentsError?: string;
}

/** Tokens of one response. `input` excludes cache reads and writes; `output` includes `reasoning`. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour, where the provider tells. */
  cacheWrite1h?: number;
  /** The part of `output` that is reasoning, where the provider tells. */
  reasoning?: number;
  totalTokens: number;
  /** Absent when the prices are not known. */
  cost?: Cost;
}

/** US dollars. */
export interface Cost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}

/** Why a response ended. `error` and `aborted` did not complete; everything else did. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface UserMessage {
  role: "user";
  content: (TextContent | ImageContent)[];
  /** Milliseconds since 1970, from the clock capability. */
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  /** The model asked for. */
  model: string;
  /** The model that answered, where the provider names another. */
  responseModel?: string;
  /** The provider's id of the response. */
  responseId?: string;
  /** Absent when the provider reported none. */
  usage?: Usage;
  stopReason: StopReason;
  /** The provider's own word for the stop reason, where it has one. */
  rawStopReason?: string;
  /** Set when `stopReason` is `error` or `aborted`. */
  errorMessage?: string;
  /** When the request was issued: milliseconds since 1970. */
  timestamp: number;
  /** Milliseconds from dispatch to settlement. */
  durationMs?: number;
}

/**
 * How a tool call ended. `blocked`, `invalid_arguments` and `unknown_tool` never ran; `aborted` and `timed_out` were cut
 * short; `error` ran and failed.
 */
export type ToolOutcome =
  | "ok"
  | "error"
  | "blocked"
  | "invalid_arguments"
  | "unknown_tool"
  | "aborted"
  | "timed_out";

export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** The tool's own account for readers; never sent to the model. */
  details?: JsonObject;
  /** True exactly when `outcome` is not `ok`. */
  isError: boolean;
  outcome: ToolOutcome;
  /** A word for the failure: `ENOENT`, `no_match`, `exit_nonzero`, … */
  errorCode?: string;
  /** Exit code of a command. */
  exitCode?: number;
  /** Milliseconds since 1970. */
  timestamp: number;
  /** Milliseconds the execution took; absent when the tool never ran. */
  durationMs?: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;
