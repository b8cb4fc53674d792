import { posix } from "node:path";
import type { TranscriptOptions } from "../../agent.ts";
import type { FieldWatch } from "../../fields.ts";
import type { AgentName } from "../../item.ts";
import type { SessionItems } from "../../items.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import { at as path, object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { folderSessionId, sessionIdOfPath } from "./locate.ts";
import { PiMessages } from "./messages.ts";
import { isOmpLine, isPiLine } from "./stream.ts";

/** Entries that no item is made of. */
const passed = new Set([
  "thinking_level_change",
  "model_change",
  "model_usage",
  "mode_change",
  "service_tier_change",
  "ttsr_injection",
  "credential_pin",
  "reset_boundary",
  "branch_summary",
  "context_edit",
  "custom",
  "custom_message",
  "label",
  "leaf",
]);

/**
 * The session files of pi and omp: entries in a tree by `id` and `parentId`, in one flat list before 2026. Every entry of
 * the file is read, whatever branch it lies on: a branch that was left was paid for all the same.
 */
class SessionFileHandler implements RecordHandler {
  readonly #path: string;
  readonly #agent: AgentName;
  readonly #options: TranscriptOptions;
  #messages: PiMessages;
  /** The session whose file the header names: a parent, or what this one was forked from; the next entries tell. */
  #origin: string | undefined;
  #hasHeader: boolean;

  constructor(agent: AgentName, options: TranscriptOptions, saved: JsonObject | undefined) {
    this.#agent = agent;
    this.#options = options;
    this.#path = options.path;
    this.#messages = new PiMessages(
      agent,
      sessionIdOfPath(options.path) ?? posix.basename(options.path),
      options,
      object(saved?.["messages"]),
    );
    this.#origin = string(saved?.["origin"]);
    this.#hasHeader = saved?.["hasHeader"] === true;
  }

  record(entry: JsonObject, sink: ReadSink): void {
    const type = string(entry["type"]) ?? "?";
    if (type === "session") this.#header(entry, sink);
    else if (type === "title" || type === "title_change") this.#title(entry["title"], sink);
    else this.#entry(type, entry, sink);
  }

  #entry(type: string, entry: JsonObject, sink: ReadSink): void {
    const at = timestamp(entry["timestamp"]);
    const { session } = this.#messages;
    session.touch(at);
    const message = object(entry["message"]);
    if (type === "message" && message !== undefined) {
      this.#settleOrigin("forkedFrom", sink);
      this.#messages.read(message, at, sink);
    } else if (type === "session_init") this.#settleOrigin("parentSessionId", sink);
    else if (type === "session_info") this.#title(entry["name"], sink);
    else if (type === "compaction") session.mark("compaction", text(entry["id"]), at, {}, sink);
    else if (type === "custom" && entry["customType"] === "session_exit") this.#exit(entry, sink);
    else if (!passed.has(type)) session.novelty("kind", type, entry, sink);
  }

  #header(header: JsonObject, sink: ReadSink): void {
    const id = text(header["id"]);
    if (this.#hasHeader || id === undefined) return;
    this.#hasHeader = true;
    const title = this.#messages.session.facts.title;
    if (id !== this.#messages.session.id)
      this.#messages = new PiMessages(this.#agent, id, this.#options, undefined);
    const { session } = this.#messages;
    session.touch(timestamp(header["timestamp"]));
    const origin = text(header["parentSession"]) ?? text(header["branchedFrom"]);
    this.#origin = origin === undefined ? undefined : (sessionIdOfPath(origin) ?? origin);
    session.learn(present({ cwd: text(header["cwd"]), title: text(header["title"]) ?? title }), sink);
    const parent = folderSessionId(this.#path);
    if (this.#agent === "omp" && parent !== undefined && parent !== id) {
      this.#origin = parent;
      this.#settleOrigin("parentSessionId", sink);
    }
  }

  #settleOrigin(as: "forkedFrom" | "parentSessionId", sink: ReadSink): void {
    const origin = this.#origin;
    this.#origin = undefined;
    if (origin !== undefined) this.#messages.session.learn({ [as]: origin }, sink);
  }

  #title(title: JsonValue | undefined, sink: ReadSink): void {
    const words = text(title);
    if (words === undefined) return;
    // The line before the header is read before the session's id is known.
    if (this.#hasHeader) this.#messages.session.learn({ title: words }, sink);
    else this.#messages.session.learn({ title: words }, { item: () => {} });
  }

  /** The end that omp writes when it leaves. */
  #exit(entry: JsonObject, sink: ReadSink): void {
    this.#messages.settleFailure(sink);
    const kind = string(path(entry, "data", "kind"));
    if (kind === undefined || kind === "normal") return;
    const note = string(path(entry, "data", "reason")) ?? kind;
    this.#messages.session.mark(
      "interrupted",
      text(entry["id"]),
      timestamp(entry["timestamp"]),
      { note },
      sink,
    );
  }

  get session(): SessionItems {
    return this.#messages.session;
  }

  finish(sink: ReadSink): void {
    this.#messages.finish(sink);
  }

  state(): JsonValue {
    return {
      messages: this.#messages.state(),
      hasHeader: this.#hasHeader,
      ...present({ origin: this.#origin }),
    };
  }
}

export const sessionFileReader = (
  agent: AgentName,
  fields: FieldWatch,
  options: TranscriptOptions,
): LineReader =>
  jsonLinesReader(new SessionFileHandler(agent, options, object(handlerState(options.state))), {
    state: options.state,
    fields,
  });

/** Whether the lines begin with a session's header; omp has its title before it. */
export const hasSessionHeader = (lines: readonly string[], titleFirst: boolean): boolean => {
  const [first, second] = lines.slice(0, 2).map((line) => object(parseJson(line)));
  const header = titleFirst ? second : first;
  if (titleFirst && first?.["type"] !== "title") return false;
  // orphus names itself in its header.
  if (header?.["agent"] !== undefined) return false;
  // A captured stream begins with the same header; its next line is an event.
  if (lines.slice(1, 3).some((line) => isPiLine(line) || isOmpLine(line))) return false;
  return (
    header?.["type"] === "session" && text(header["id"]) !== undefined && text(header["cwd"]) !== undefined
  );
};
