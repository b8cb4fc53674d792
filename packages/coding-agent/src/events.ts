import type { JsonObject, Message, ToolOutcome, Usage } from "./message.ts";
import type { ProviderError } from "./record/types.ts";
import type { RequestRef, RunResult } from "./result.ts";
import type { SessionHeader } from "./session/entry.ts";

/** What every event carries. */
interface EventHead {
  /** ISO 8601, UTC, milliseconds, from the clock capability. */
  timestamp: string;
}

/** Work on one prompt begins. */
export interface AgentStartEvent extends EventHead {
  type: "agent_start";
}

/** A model turn begins: one response and the tool calls it asks for. */
export interface TurnStartEvent extends EventHead {
  type: "turn_start";
  /** From 0 over the whole branch; equals `turn` of the turn's request records. */
  turn: number;
}

export interface MessageStartEvent extends EventHead {
  type: "message_start";
  role: Message["role"];
}

/** A piece of the assistant message that is being written. */
export interface MessageUpdateEvent extends EventHead {
  type: "message_update";
  /** Index of the block in the message's `content`. */
  contentIndex: number;
  kind: "text" | "thinking" | "toolCall";
  /** What was added; for a tool call, a piece of its arguments as JSON text. */
  delta: string;
}

/** A message is complete and on disk. */
export interface MessageEndEvent extends EventHead {
  type: "message_end";
  /** Id of its entry in the session file. */
  entryId: string;
  message: Message;
  /** On assistant messages: the last HTTP request it took. */
  request?: RequestRef;
}

/** A tool call begins its way through the pipeline; `args` are the model's. */
export interface ToolExecutionStartEvent extends EventHead {
  type: "tool_execution_start";
  toolCallId: string;
  toolName: string;
  args: JsonObject;
}

/** Output of a tool that is still running. */
export interface ToolExecutionUpdateEvent extends EventHead {
  type: "tool_execution_update";
  toolCallId: string;
  toolName: string;
  /** What was added to the output. */
  delta: string;
}

/** A tool call is over; its result follows as a `message_end` with the role `toolResult`. */
export interface ToolExecutionEndEvent extends EventHead {
  type: "tool_execution_end";
  toolCallId: string;
  toolName: string;
  /** The arguments it ran with, after hooks; of a stopped call, those it was stopped with. */
  args: JsonObject;
  /** Text of the result, as the model will see it. */
  result: string;
  isError: boolean;
  outcome: ToolOutcome;
  errorCode?: string;
  exitCode?: number;
  /** Milliseconds of the execution alone; absent when the tool never ran. */
  durationMs?: number;
}

/** A request failed in a way worth another try. Its message has been kept with `stopReason: "error"`. */
export interface AutoRetryStartEvent extends EventHead {
  type: "auto_retry_start";
  /** The coming try, from 1; equals `attempt` of its request record. */
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  error: ProviderError;
}

/** The tries are over. */
export interface AutoRetryEndEvent extends EventHead {
  type: "auto_retry_end";
  /** The last try made. */
  attempt: number;
  success: boolean;
  error?: ProviderError;
}

/** Older history is being summed up. */
export interface CompactionStartEvent extends EventHead {
  type: "compaction_start";
  /** About how many tokens the conversation has. */
  tokensBefore: number;
}

/** Older history was summed up, or could not be. */
export interface CompactionEndEvent extends EventHead {
  type: "compaction_end";
  /** Id of the `compaction` entry; absent when it failed. */
  entryId?: string;
  tokensBefore: number;
  /** Who summed up. */
  provider: string;
  model: string;
  /** What the summary cost, and the request it took. */
  usage?: Usage;
  request?: RequestRef;
  error?: ProviderError;
}

/** An extension's handler failed; what it registered was rolled back. */
export interface ExtensionErrorEvent extends EventHead {
  type: "extension_error";
  extension: string;
  event: string;
  message: string;
}

export interface TurnEndEvent extends EventHead {
  type: "turn_end";
  turn: number;
  /** Entry id of the turn's assistant message. */
  entryId: string;
  /** Tool calls answered in this turn. */
  toolResults: number;
}

export interface AgentEndEvent extends EventHead {
  type: "agent_end";
}

/** Last event of a run. */
export interface ResultEvent extends EventHead, RunResult {
  type: "result";
  /** Id of the `result` entry in the session file; absent when it could not be written. */
  entryId?: string;
}

/** What a listener of a session hears, in order; a thing that is kept is on disk when its event comes. */
export type SessionEvent =
  | AgentStartEvent
  | TurnStartEvent
  | MessageStartEvent
  | MessageUpdateEvent
  | MessageEndEvent
  | ToolExecutionStartEvent
  | ToolExecutionUpdateEvent
  | ToolExecutionEndEvent
  | AutoRetryStartEvent
  | AutoRetryEndEvent
  | CompactionStartEvent
  | CompactionEndEvent
  | ExtensionErrorEvent
  | TurnEndEvent
  | AgentEndEvent
  | ResultEvent;

/** One line of `orphus --mode json`: the session's header, then events. */
export type StreamLine = SessionHeader | SessionEvent;
