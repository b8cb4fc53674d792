import { classifyError } from "../../classify/index.ts";
import type { SessionItems } from "../../items.ts";
import { at, count, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";

/** Subtypes that carry nothing for the record. */
const silent = new Set([
  "agents_killed",
  "away_summary",
  "bridge_status",
  "file_snapshot",
  "informational",
  "local_command",
  "memory_saved",
  "scheduled_task_fire",
  "stop_hook_summary",
  "turn_duration",
]);

/** Reads a `system` line of a transcript. */
export const readTranscriptSystem = (session: SessionItems, record: JsonObject, sink: ReadSink): void => {
  const subtype = string(record["subtype"]) ?? "";
  if (subtype === "api_error") readRetry(session, record, sink);
  else if (subtype === "compact_boundary" || subtype === "microcompact_boundary")
    session.mark("compaction", text(record["uuid"]), timestamp(record["timestamp"]), {}, sink);
  else if (!silent.has(subtype)) session.novelty("kind", `system/${subtype}`, record, sink);
};

/** Named an error, it is a try that failed and was followed by another. */
const readRetry = (session: SessionItems, record: JsonObject, sink: ReadSink): void => {
  const status = count(at(record, "error", "status"));
  const code =
    text(at(record, "error", "error", "error", "type")) ??
    text(at(record, "error", "error", "type")) ??
    text(at(record, "cause", "code"));
  const said = text(at(record, "error", "formatted")) ?? text(at(record, "error", "message")) ?? code ?? "";
  const when = timestamp(record["timestamp"]);
  const verdict = classifyError(said, { about: "model", status, code, at: when });
  const tries = `try ${count(record["retryAttempt"]) ?? "?"} of ${count(record["maxRetries"]) ?? "?"}`;
  const note = said === "" ? tries : `${said}, ${tries}`;
  session.mark("api_retry", text(record["uuid"]), when, { note, ...verdict, ...present({ status }) }, sink);
};
