import type { ModelInfo } from "../model.ts";
import type { JsonValue, Message, Usage } from "../message.ts";
import type { RequestRef, RunResult } from "../result.ts";
import type {
  PROVIDER_REQUEST_ENTRY,
  PROVIDER_RESPONSE_ENTRY,
  ProviderRequestRecord,
  ProviderResponseRecord,
  TOOL_AUDIT_ENTRY,
  ToolAuditRecord,
} from "../record/types.ts";

/** Version of the session format. */
export const SESSION_VERSION = 3;

/** The first line of a session file, and of the JSON stream. On disk before anything else happens. */
export interface SessionHeader {
  type: "session";
  version: 3;
  /** UUID version 7. */
  id: string;
  /** ISO 8601, UTC, milliseconds. */
  timestamp: string;
  cwd: string;
  agent: { name: "orphus"; version: string };
  gitBranch?: string;
  /** The session file (base name) whose history this one continues under a new id. */
  parentSession?: string;
}

/** What every entry after the header carries. Entries form a tree: `parentId` is null for a root only. */
export interface EntryHead {
  /** 8 hex digits, unique within the session. */
  id: string;
  parentId: string | null;
  /** ISO 8601, UTC, milliseconds. */
  timestamp: string;
}

export interface MessageEntry extends EntryHead {
  type: "message";
  message: Message;
  /** On assistant messages: the last HTTP request it took. Absent when none left the process. */
  request?: RequestRef;
}

export interface ModelChangeEntry extends EntryHead {
  type: "model_change";
  provider: string;
  modelId: string;
  /** All that was known of the model: what is sent depends on it, so a replay needs it. */
  model?: ModelInfo;
}

export interface ThinkingLevelChangeEntry extends EntryHead {
  type: "thinking_level_change";
  thinkingLevel: ThinkingLevel;
}

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Older history is replaced by a summary in what the model sees; the entries stay. */
export interface CompactionEntry extends EntryHead {
  type: "compaction";
  summary: string;
  /** The first entry that is kept verbatim. */
  firstKeptEntryId: string;
  tokensBefore: number;
  /** Who summed up. */
  provider?: string;
  model?: string;
  /** What the summary cost, and the request it took. */
  usage?: Usage;
  request?: RequestRef;
}

export interface BranchSummaryEntry extends EntryHead {
  type: "branch_summary";
  fromId: string;
  summary: string;
}

export interface SessionInfoEntry extends EntryHead {
  type: "session_info";
  name: string;
}

export interface LabelEntry extends EntryHead {
  type: "label";
  targetId: string;
  label?: string;
}

/** A run of the agent over one prompt ended. The JSON stream's `result` has the same fields and this entry's id. */
export interface ResultEntry extends EntryHead, RunResult {
  type: "result";
}

/** Text an extension adds to the conversation: the model sees it, as a user message. */
export interface CustomMessageEntry extends EntryHead {
  type: "custom_message";
  customType: string;
  content: string;
  display: boolean;
}

/** For readers, never for the model. */
export type CustomEntry =
  | (EntryHead & { type: "custom"; customType: typeof PROVIDER_REQUEST_ENTRY; data: ProviderRequestRecord })
  | (EntryHead & { type: "custom"; customType: typeof PROVIDER_RESPONSE_ENTRY; data: ProviderResponseRecord })
  | (EntryHead & { type: "custom"; customType: typeof TOOL_AUDIT_ENTRY; data: ToolAuditRecord })
  | ExtensionEntry;

/** A custom entry of an extension. */
export interface ExtensionEntry extends EntryHead {
  type: "custom";
  customType: string;
  data?: JsonValue;
}

export type SessionEntry =
  | MessageEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | SessionInfoEntry
  | LabelEntry
  | ResultEntry
  | CustomMessageEntry
  | CustomEntry;

/** One line of a session file. */
export type SessionLine = SessionHeader | SessionEntry;
