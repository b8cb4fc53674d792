import { cutBytes, plainText, RESULT_TEXT_BYTES } from "../../bounded-text.ts";
import type { Timestamp } from "../../item.ts";
import { at as path, number, objects, string, strings, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { fromMillis } from "../../time.ts";
import { childEnds } from "./children.ts";
import { messageOf, modelError } from "./errors.ts";
import { contentTexts, durationMs } from "./output.ts";
import type { Thread } from "./thread.ts";
import { codexTokens, tokenCounts } from "./usage.ts";

type EventReader = (thread: Thread, event: JsonObject, at: Timestamp | undefined, sink: ReadSink) => void;

/** An event that repeats what a record of the model says, or that no item is made of. */
const passed: EventReader = () => {};

const userMessage: EventReader = (thread, event, at, sink) => {
  thread.session.beginTurn();
  const note = string(event["message"]) ?? contentTexts(event["content"]);
  thread.session.mark("user_message", text(event["id"]), at, { note }, sink);
};

const enter: EventReader = (thread, event) => {
  thread.turns.enter(text(event["turn_id"]));
};

/** The end of a usage window that is used up; the latest where several are. */
const resetOf = (event: JsonObject): string | undefined => {
  const ends = ["primary", "secondary"].flatMap((name) => {
    const window = path(event, "rate_limits", name);
    const used = number(path(window, "used_percent")) ?? 0;
    const seconds = number(path(window, "resets_at"));
    return used >= 100 && seconds !== undefined ? [seconds * 1000] : [];
  });
  return ends.length === 0 ? undefined : fromMillis(Math.max(...ends));
};

const tokenCount: EventReader = (thread, event, at, sink) => {
  if (path(event, "rate_limits", "primary") !== undefined) thread.turns.resetAt = resetOf(event);
  const total = codexTokens(path(event, "info", "total_token_usage"));
  thread.spend(total, codexTokens(path(event, "info", "last_token_usage")), undefined, at, sink);
};

/** A failed model request. The event and the turn's end tell of one failure with one text. */
const failed = (
  thread: Thread,
  error: JsonValue,
  info: JsonValue | undefined,
  at: Timestamp | undefined,
  sink: ReadSink,
) => {
  const message = messageOf(error);
  const said = modelError(message, info, at);
  const isLimit = said.errorKind === "usage_limit" || said.errorKind === "rate_limited";
  const verdict = isLimit ? { ...said, ...present({ resetAt: said.resetAt ?? thread.turns.resetAt }) } : said;
  if (thread.turns.failure !== message)
    thread.session.mark("api_error", undefined, at, { note: message, ...verdict }, sink);
  thread.turns.failure = message;
  return verdict;
};

const complete: EventReader = (thread, event, at, sink) => {
  enter(thread, event, at, sink);
  const error = event["error"] ?? undefined;
  const verdict =
    error === undefined ? undefined : failed(thread, error, path(error, "codex_error_info"), at, sink);
  const total = thread.total.total;
  const key = text(event["turn_id"]) ?? String(thread.session.turn);
  sink.item({
    ...thread.session.head("result", key, thread.items.nextSeq(), at),
    type: "result",
    isError: error !== undefined,
    ...present({
      durationMs: number(event["duration_ms"]),
      text: resultText(event["last_agent_message"]),
      errorClass: verdict?.errorClass,
      errorKind: verdict?.errorKind,
    }),
    claims: total === undefined ? [] : [{ usage: tokenCounts(total), since: "session", subagents: "out" }],
  });
};

const resultText = (said: JsonValue | undefined): string | undefined => {
  const words = text(said);
  return words === undefined ? undefined : cutBytes(plainText(words), RESULT_TEXT_BYTES);
};

/** A command's end: `exec_command_end`, or an item of the kind `CommandExecution`. */
const command: EventReader = (thread, event, at, sink) => {
  const callId = text(event["call_id"]) ?? text(event["id"]);
  if (callId === undefined) return;
  whole(thread, callId, "exec_command", { cmd: strings(event["command"]) ?? [] }, event, at, sink);
};

const patch: EventReader = (thread, event, at, sink) => {
  const callId = text(event["call_id"]) ?? text(event["id"]);
  if (callId === undefined) return;
  const changes = event["changes"];
  const paths = Array.isArray(changes)
    ? objects(changes).flatMap((change) => text(change["path"]) ?? [])
    : Object.keys(changes ?? {});
  whole(thread, callId, "file_change", { paths }, event, at, sink);
};

const mcp: EventReader = (thread, event, at, sink) => {
  const callId = text(event["call_id"]) ?? text(event["id"]);
  if (callId === undefined) return;
  const call = path(event, "invocation") ?? event;
  whole(thread, callId, text(path(call, "tool")) ?? "mcp", path(call, "arguments") ?? {}, event, at, sink);
};

const search: EventReader = (thread, event, at, sink) => {
  const callId = text(event["call_id"]) ?? text(event["id"]);
  if (callId === undefined || !thread.turns.search("event")) return;
  const query = {
    query: event["query"] ?? "",
    ...(event["action"] === undefined ? {} : { action: event["action"] }),
  };
  thread.calls.start(thread.callSource, { callId, tool: "web_search_call", input: query }, at, sink);
  thread.calls.end(thread.callSource, callId, undefined, at, sink);
};

/** Takes the event's word on a call of the model; a call that no record of the model told of is told by it alone. */
const whole = (
  thread: Thread,
  callId: string,
  tool: string,
  input: JsonValue,
  event: JsonObject,
  at: Timestamp | undefined,
  sink: ReadSink,
): void => {
  const source = thread.callSource;
  const status =
    text(event["status"]) ??
    (event["success"] === false || path(event, "result", "Err") !== undefined ? "failed" : undefined);
  const report = present({
    exitCode: number(event["exit_code"]),
    durationMs: durationMs(event["duration"]),
    status,
  });
  const known = thread.calls.isKnown(source, callId);
  if (!known) {
    const startedAt = fromMillis(number(event["started_at_ms"])) ?? at;
    thread.calls.start(source, { callId, tool, input }, startedAt, sink);
  }
  thread.calls.report(callId, report);
  const output = string(event["aggregated_output"]) ?? string(event["stdout"]) ?? "";
  if (!known) thread.calls.end(source, callId, output, at, sink);
};

const collab: EventReader = (thread, event, at, sink) => {
  const children = strings(event["receiver_thread_ids"]) ?? [];
  const callId = text(event["id"]);
  const [child] = children;
  const isSpawn = /spawn/i.test(string(event["tool"]) ?? "");
  if (isSpawn && child !== undefined && callId !== undefined)
    thread.calls.child(thread.callSource, callId, child);
  childEnds(thread, event["agents_states"], at, sink);
};

const compacted: EventReader = (thread, event, at, sink) => {
  if (thread.turns.compaction("event")) thread.session.mark("compaction", text(event["id"]), at, {}, sink);
};

/** What an `item_completed` event tells, by the kind of its item. */
const itemReaders: Readonly<Record<string, EventReader>> = {
  UserMessage: userMessage,
  AgentMessage: passed,
  Reasoning: passed,
  Plan: passed,
  TodoList: passed,
  ImageView: passed,
  CommandExecution: command,
  FileChange: patch,
  McpToolCall: mcp,
  WebSearch: search,
  CollabAgentToolCall: collab,
  ContextCompaction: compacted,
};

const itemCompleted: EventReader = (thread, event, at, sink) => {
  const item = event["item"];
  const kind = string(path(item, "type")) ?? "?";
  const reader = itemReaders[kind];
  const fields = objects([item ?? null])[0];
  if (fields === undefined || reader === undefined) {
    thread.session.novelty("kind", `item_completed/${kind}`, item, sink);
    return;
  }
  const began = event["started_at_ms"];
  reader(thread, began === undefined ? fields : { ...fields, started_at_ms: began }, at, sink);
};

const error: EventReader = (thread, event, at, sink) => {
  failed(thread, event["message"] ?? "", event["codex_error_info"], at, sink);
};

const streamError: EventReader = (thread, event, at, sink) => {
  const message = messageOf(event["message"]);
  const { errorClass, errorKind, status } = modelError(message, event["codex_error_info"], at);
  const fields = present({ note: message, errorClass, errorKind, status });
  thread.session.mark("api_retry", undefined, at, fields, sink);
};

const aborted: EventReader = (thread, event, at, sink) => {
  enter(thread, event, at, sink);
  thread.session.mark(
    "interrupted",
    text(event["turn_id"]),
    at,
    { note: string(event["reason"]) ?? "" },
    sink,
  );
};

const renamed: EventReader = (thread, event, _at, sink) => {
  const title = text(event["thread_name"]);
  if (title !== undefined) thread.session.learn({ title }, sink);
};

/** Old and new kinds alike: 0.171 tells of most things by `item_completed`, older versions by an event each. */
const eventReaders: Readonly<Record<string, EventReader>> = {
  item_completed: itemCompleted,
  user_message: userMessage,
  token_count: tokenCount,
  task_started: enter,
  turn_started: enter,
  task_complete: complete,
  turn_complete: complete,
  turn_aborted: aborted,
  error,
  stream_error: streamError,
  exec_command_end: command,
  patch_apply_end: patch,
  mcp_tool_call_end: mcp,
  web_search_end: search,
  context_compacted: compacted,
  thread_name_updated: renamed,
};

const passedKinds = new Set([
  "agent_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "agent_reasoning_section_break",
  "exec_command_begin",
  "exec_command_output_delta",
  "item_started",
  "mcp_tool_call_begin",
  "patch_apply_begin",
  "plan_update",
  "session_configured",
  "thread_rolled_back",
  "thread_settings_applied",
  "turn_diff",
  "undo_completed",
  "view_image_tool_call",
  "warning",
  "web_search_begin",
  "entered_review_mode",
  "exited_review_mode",
]);

export const readEvent = (
  thread: Thread,
  kind: string,
  event: JsonObject,
  at: Timestamp | undefined,
  sink: ReadSink,
): void => {
  const reader = Object.hasOwn(eventReaders, kind) ? eventReaders[kind] : undefined;
  if (reader !== undefined) reader(thread, event, at, sink);
  else if (!passedKinds.has(kind)) thread.session.novelty("kind", `event_msg/${kind}`, event, sink);
};
