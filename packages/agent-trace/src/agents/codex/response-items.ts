import type { Timestamp } from "../../item.ts";
import { at as path, object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import type { ReadSink } from "../../reader.ts";
import { childEnds } from "./children.ts";
import { contentTexts } from "./output.ts";
import type { Thread } from "./thread.ts";

/** Records of the model that hold no call: what it said and thought, and what compaction left. */
const plain = new Set([
  "reasoning",
  "compaction",
  "compaction_summary",
  "ghost_snapshot",
  "other",
  "agent_message",
]);

/** Text that the agent put in on the user's behalf. */
const isInjected = (said: string): boolean => {
  const trimmed = said.trim();
  return trimmed.startsWith("# AGENTS.md instructions") || (trimmed.startsWith("<") && trimmed.endsWith(">"));
};

/** Reads a record of the model's own conversation. `bare`: an old rollout, which has no events beside them. */
export const readResponseItem = (
  thread: Thread,
  kind: string,
  item: JsonObject,
  at: Timestamp | undefined,
  sink: ReadSink,
  bare = false,
): void => {
  const call = started(kind, item);
  if (call !== undefined) {
    const { tool, input } = call;
    const search = kind === "web_search_call" && text(item["call_id"]) === undefined;
    if (search && !thread.turns.search("record")) return;
    const callId =
      text(item["call_id"]) ??
      text(item["id"]) ??
      `${kind}:${thread.turns.nextResponse(thread.session.turn)}`;
    thread.calls.start(thread.callSource, { callId, tool, input }, at, sink);
    // The provider ran it; no output will come.
    if (search) thread.calls.end(thread.callSource, callId, undefined, at, sink);
  } else if (kind.endsWith("_output")) ended(thread, item, at, sink);
  else if (kind === "message") {
    const said = contentTexts(item["content"]);
    if (bare && item["role"] === "user" && said !== "" && !isInjected(said)) {
      thread.session.beginTurn();
      thread.session.mark("user_message", text(item["id"]), at, { note: said }, sink);
    }
  } else if (!plain.has(kind)) thread.session.novelty("kind", `response_item/${kind}`, item, sink);
};

const started = (kind: string, item: JsonObject) => {
  if (kind === "function_call") return { tool: string(item["name"]) ?? kind, input: item["arguments"] };
  if (kind === "custom_tool_call") return { tool: string(item["name"]) ?? kind, input: item["input"] };
  if (kind === "local_shell_call" || kind === "web_search_call") return { tool: kind, input: item["action"] };
  if (kind === "tool_search_call" || kind === "image_generation_call")
    return { tool: kind, input: item["arguments"] };
  return undefined;
};

const ended = (thread: Thread, item: JsonObject, at: Timestamp | undefined, sink: ReadSink): void => {
  const callId = text(item["call_id"]);
  if (callId === undefined || !thread.calls.isOpen(thread.callSource, callId)) return;
  const said = object(parseJson(string(item["output"]) ?? ""));
  const child = text(said?.["agent_id"]);
  if (child !== undefined) {
    thread.calls.child(thread.callSource, callId, child);
    thread.session.mark("subagent_start", child, at, { note: text(said?.["nickname"]) ?? child }, sink);
  }
  childEnds(thread, path(said, "status"), at, sink);
  const output = item["output"] ?? (item["status"] === undefined ? undefined : "");
  thread.calls.end(thread.callSource, callId, output, at, sink);
};
