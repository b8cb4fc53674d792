import { posix } from "node:path";
import type { TranscriptOptions } from "../../agent.ts";
import type { Timestamp } from "../../item.ts";
import type { SessionItems } from "../../items.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import { at as path, object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { readEvent } from "./events.ts";
import { History } from "./history.ts";
import { threadIdOfPath } from "./ids.ts";
import { nameIndexPath } from "./locate.ts";
import { readResponseItem } from "./response-items.ts";
import { Thread } from "./thread.ts";
import { codexTokens } from "./usage.ts";
import { transcriptFields } from "./fields.ts";

/** Records that are not read: what the model was given beside the conversation, and the agent's own bookkeeping. */
const passedOver = new Set(["world_state", "ghost_snapshot", "state"]);

class RolloutHandler implements RecordHandler {
  readonly #options: TranscriptOptions;
  #thread: Thread;
  #sessionId: string;
  /** Undefined until the thread's own head came. */
  #history: History | undefined;
  /** Whether a record of the thread's own, other than its head, was read. */
  #begun: boolean;

  constructor(options: TranscriptOptions, saved: JsonObject | undefined) {
    this.#options = options;
    this.#sessionId =
      string(saved?.["sessionId"]) ?? threadIdOfPath(options.path) ?? posix.basename(options.path);
    this.#thread = new Thread(this.#sessionId, options, object(saved?.["thread"]));
    const history = saved?.["history"];
    this.#history = history === undefined || history === null ? undefined : History.from(history);
    this.#begun = saved?.["begun"] === true;
  }

  record(record: JsonObject, sink: ReadSink): void {
    const at = timestamp(record["timestamp"]);
    const type = string(record["type"]);
    const payload = object(record["payload"]);
    if (payload !== undefined && type !== undefined) this.#wrapped(type, payload, at, sink);
    else this.#bare(record, type, at, sink);
  }

  #wrapped(type: string, payload: JsonObject, at: Timestamp | undefined, sink: ReadSink): void {
    if (type === "session_meta") {
      this.#head(payload, at, sink);
      return;
    }
    const kind = type === "event_msg" || type === "response_item" ? (string(payload["type"]) ?? "?") : type;
    if (this.#history?.holds(kind, payload, at) === true) {
      this.#replayed(kind, payload);
      return;
    }
    this.#begun = true;
    this.#thread.session.touch(at);
    this.#own(type, kind, payload, at, sink);
  }

  #own(type: string, kind: string, payload: JsonObject, at: Timestamp | undefined, sink: ReadSink): void {
    const thread = this.#thread;
    if (type === "event_msg") readEvent(thread, kind, payload, at, sink);
    else if (type === "response_item") readResponseItem(thread, kind, payload, at, sink);
    else if (type === "turn_context") this.#turnContext(payload, sink);
    else if (type === "token_usage_record") {
      const usage = codexTokens(payload["usage"]);
      thread.spend(codexTokens(payload["thread_token_usage"]), usage, text(payload["response_id"]), at, sink);
    } else if (type === "compacted") {
      if (thread.turns.compaction("line")) thread.session.mark("compaction", undefined, at, {}, sink);
    } else if (!passedOver.has(type)) thread.session.novelty("kind", type, payload, sink);
  }

  /** The first head is the thread's own; a later one of another thread begins that thread's replayed history. */
  #head(meta: JsonObject, at: Timestamp | undefined, sink: ReadSink): void {
    const id = text(meta["id"]) ?? this.#sessionId;
    if (this.#history !== undefined) {
      if (id !== this.#sessionId && !this.#begun) this.#history.foreignHead();
      return;
    }
    if (id !== this.#sessionId) {
      this.#sessionId = id;
      this.#thread = new Thread(id, this.#options, undefined);
    }
    const parent = parentOf(meta, id);
    const forkedFrom = text(meta["forked_from_id"]);
    this.#history = History.after(id, at, parent !== undefined || forkedFrom !== undefined);
    this.#thread.derived = parent !== undefined || forkedFrom !== undefined;
    this.#thread.provider = text(meta["model_provider"]);
    this.#thread.session.touch(at);
    const facts = {
      agentVersion: text(meta["cli_version"]),
      cwd: text(meta["cwd"]),
      gitBranch: text(path(meta, "git", "branch")),
      parentSessionId: parent,
      forkedFrom,
      title: this.#title(id),
    };
    this.#thread.session.learn(present(facts), sink);
  }

  #title(id: string): string | undefined {
    const index = nameIndexPath(this.#options.path);
    const lines = index === undefined ? undefined : this.#options.sibling(index);
    let title: string | undefined;
    for (const line of lines?.split("\n") ?? []) {
      const entry = line.includes(id) ? object(parseJson(line)) : undefined;
      if (entry?.["id"] === id) title = text(entry["thread_name"]) ?? title;
    }
    return title === undefined ? undefined : this.#options.mask(title);
  }

  #turnContext(context: JsonObject, sink: ReadSink): void {
    this.#thread.turns.enter(text(context["turn_id"]));
    this.#thread.model = text(context["model"]) ?? this.#thread.model;
    const cwd = text(context["cwd"]);
    if (cwd !== undefined && this.#thread.session.facts.cwd === undefined)
      this.#thread.session.learn({ cwd }, sink);
  }

  /** Of another thread's history only the running total matters: the thread may go on with it. */
  #replayed(kind: string, payload: JsonObject): void {
    if (kind === "token_count")
      this.#thread.total.rebase(codexTokens(path(payload, "info", "total_token_usage")));
    if (kind === "token_usage_record") this.#thread.total.rebase(codexTokens(payload["thread_token_usage"]));
  }

  /** Rollouts of 2025 before the wrapped form: the head and the model's records stand bare. */
  #bare(record: JsonObject, type: string | undefined, at: Timestamp | undefined, sink: ReadSink): void {
    if (string(record["record_type"]) === "state") return;
    if (type === undefined && text(record["id"]) !== undefined) this.#head(record, at, sink);
    else if (type !== undefined) {
      this.#begun = true;
      this.#thread.session.touch(at);
      readResponseItem(this.#thread, type, record, at, sink, true);
    } else this.#thread.session.novelty("line", Object.keys(record).slice(0, 5).join(","), record, sink);
  }

  get session(): SessionItems {
    return this.#thread.session;
  }

  finish(sink: ReadSink): void {
    this.#thread.calls.finish(sink);
    this.#thread.items.finish(sink);
  }

  state(): JsonValue {
    return {
      sessionId: this.#sessionId,
      thread: this.#thread.state(),
      history: this.#history?.state() ?? null,
      begun: this.#begun,
    };
  }
}

/** The thread that started this one as a sub-agent. In a sub-agent's rollout `session_id` is the root's. */
const parentOf = (meta: JsonObject, id: string): string | undefined => {
  const subagent = path(meta, "source", "subagent");
  const spawner = text(path(subagent, "thread_spawn", "parent_thread_id")) ?? text(meta["parent_thread_id"]);
  if (spawner !== undefined) return spawner === id ? undefined : spawner;
  const root = text(meta["session_id"]);
  return (subagent ?? null) !== null && root !== undefined && root !== id ? root : undefined;
};

export const rolloutReader = (options: TranscriptOptions): LineReader =>
  jsonLinesReader(new RolloutHandler(options, object(handlerState(options.state))), {
    state: options.state,
    fields: transcriptFields,
  });

/** Whether the first lines are a rollout's: its head is a `session_meta`, or bare with an id and `instructions`. */
export const isRolloutHead = (lines: readonly string[]): boolean => {
  const head = object(parseJson(lines[0] ?? ""));
  if (head === undefined)
    return (
      /^\{\s*$/.test(lines[0] ?? "") && lines.slice(0, 6).some((line) => line.includes('"session_meta"'))
    );
  if (head["type"] === "session_meta") return object(head["payload"]) !== undefined;
  return head["type"] === undefined && text(head["id"]) !== undefined && Object.hasOwn(head, "instructions");
};
