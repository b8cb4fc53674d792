import type { Message, UserMessage } from "../message.ts";
import type { SessionEntry } from "./entry.ts";
import { epochOf } from "../time.ts";

const userText = (text: string, timestamp: string): UserMessage => ({
  role: "user",
  content: [{ type: "text", text }],
  timestamp: epochOf(timestamp),
});

/** What an entry is to the model; undefined for what is no part of the conversation. */
export const messageOf = (entry: SessionEntry): Message | undefined => {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      // A try that failed or was cut short is on record, but no part of the conversation.
      const failed =
        message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
      return failed ? undefined : message;
    }
    case "custom_message":
      return userText(entry.content, entry.timestamp);
    case "branch_summary":
      return userText(`Summary of another branch of this conversation:\n\n${entry.summary}`, entry.timestamp);
    case "compaction":
    case "custom":
    case "label":
    case "model_change":
    case "result":
    case "session_info":
    case "thinking_level_change":
      return undefined;
    default:
      // A type that a later version writes.
      return undefined;
  }
};

/** What the model sees of a branch (root first). Records and other custom entries are no part of it. */
export const modelContext = (branch: readonly SessionEntry[]): Message[] => {
  const compaction = branch.findLast((entry) => entry.type === "compaction");
  if (compaction === undefined) return branch.map(messageOf).filter((message) => message !== undefined);
  const firstKept = branch.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  const kept = branch.slice(firstKept === -1 ? branch.indexOf(compaction) : firstKept);
  return [
    userText(`Summary of the conversation so far:\n\n${compaction.summary}`, compaction.timestamp),
    ...kept.map(messageOf).filter((message) => message !== undefined),
  ];
};
