import { classifyError } from "../../classify/index.ts";
import { count, objects, string, strings, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import type { ClaudeConversation } from "./conversation.ts";

/** Subtypes that carry nothing for the record: progress, estimates, and state that other lines tell as well. */
const silent = new Set([
  "background_tasks_changed",
  "hook_progress",
  "hook_response",
  "hook_started",
  "notification",
  "task_summary",
  "task_progress",
  "task_updated",
  "thinking_tokens",
]);

/** Reads a `system` line of the stream. */
export const readSystem = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const subtype = string(record["subtype"]) ?? "";
  switch (subtype) {
    case "init":
      return readInit(conversation, record, sink);
    case "api_retry":
      return readRetry(conversation, record, sink);
    case "permission_denied":
      return readDenial(conversation, record, sink);
    case "compact_boundary":
      return readCompaction(conversation, record, sink);
    case "status":
      if (record["status"] === "compacting") readCompaction(conversation, record, sink);
      return;
    case "task_started":
    case "task_notification":
      return readTask(conversation, record, subtype, sink);
    default:
      if (!silent.has(subtype)) conversation.novelty("kind", `system/${subtype}`, record, sink);
  }
};

/** Comes first, and again whenever a finished background agent starts another turn. */
const readInit = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const session = conversation.sessionOf(record);
  if (session === undefined) return;
  if (session.turn === 0 || conversation.turnOpen) session.beginTurn();
  conversation.turnOpen = false;
  // The model that init names was asked for; the ones that answered are on the responses.
  session.learn(
    present({
      cwd: text(record["cwd"]),
      agentVersion: text(record["claude_code_version"]),
      tools: strings(record["tools"]),
      mcpServers:
        record["mcp_servers"] === undefined ? undefined : objects(record["mcp_servers"]).flatMap(serverOf),
    }),
    sink,
  );
};

const serverOf = (server: JsonObject): { name: string; status?: string }[] => {
  const name = text(server["name"]);
  return name === undefined ? [] : [{ name, ...present({ status: text(server["status"]) }) }];
};

const readRetry = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const session = conversation.sessionOf(record);
  const code = string(record["error"]) ?? "";
  const status = count(record["error_status"]);
  const verdict = classifyError(code, { about: "model", status, code });
  const tries = `try ${count(record["attempt"]) ?? "?"} of ${count(record["max_retries"]) ?? "?"}`;
  const note = code === "" ? tries : `${code}, ${tries}`;
  session?.mark(
    "api_retry",
    text(record["uuid"]),
    undefined,
    { note, ...verdict, ...present({ status }) },
    sink,
  );
};

const readDenial = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const note = text(record["message"]) ?? text(record["tool_name"]);
  conversation
    .sessionOf(record)
    ?.mark("permission_denied", text(record["tool_use_id"]), undefined, present({ note }), sink);
};

const readCompaction = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  conversation
    .sessionOf(record)
    ?.mark("compaction", text(record["uuid"]), timestamp(record["timestamp"]), {}, sink);
};

const readTask = (
  conversation: ClaudeConversation,
  record: JsonObject,
  subtype: "task_started" | "task_notification",
  sink: ReadSink,
): void => {
  const session = conversation.sessionOf(record);
  const callId = text(record["tool_use_id"]);
  const agentId = text(record["task_id"]);
  const started = subtype === "task_started";
  if (started && session !== undefined && callId !== undefined && agentId !== undefined)
    conversation.rememberAgent(session.id, callId, agentId);
  const note = started ? text(record["description"]) : text(record["status"]);
  const kind = started ? "subagent_start" : "subagent_end";
  session?.mark(kind, agentId, undefined, present({ note }), sink);
};
