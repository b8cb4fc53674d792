import type { DatabaseSync } from "node:sqlite";
import type { DatabaseReader, TranscriptOptions } from "../../agent.ts";
import type { ServedModel } from "../../item.ts";
import { object, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { fromMillis } from "../../time.ts";
import { Changes } from "../rows/changes.ts";
import {
  databaseReader,
  firstRow,
  hasColumns,
  numberColumn,
  rows,
  textColumn,
  type Row,
  type RowHandler,
} from "../rows/database.ts";
import { maskedJson } from "../rows/masked.ts";
import { RowNovelties } from "../rows/novelties.ts";
import { SessionRows } from "../rows/sessions.ts";
import { messageItems, type StoredMessage, type StoredPart } from "./messages.ts";

/** Milliseconds that a row's stamp may lie behind its commit. */
const windowMs = 5000;
/** Most calls of one message that keep numbers of their own in the order of starts. */
const partsPerMessage = 1000;

export const isOpencodeDatabase = (database: DatabaseSync): boolean =>
  hasColumns(database, "session", ["id", "directory", "time_updated"]) &&
  hasColumns(database, "message", ["id", "session_id", "data", "time_updated"]) &&
  hasColumns(database, "part", ["id", "message_id", "data", "time_updated"]);

/**
 * opencode's database. Rows are rewritten in place; each row's `time_updated - time_created` is its revision, which
 * needs no memory. A message is read with all of its parts whenever one of them has changed.
 */
class OpencodeRows implements RowHandler {
  readonly #database: DatabaseSync;
  readonly #options: TranscriptOptions;
  readonly #changes: Changes;
  readonly #sessions: SessionRows;
  readonly #novelties: RowNovelties;
  /** Versions of the sessions that this poll has seen. */
  readonly #versions = new Map<string, string>();

  constructor(database: DatabaseSync, options: TranscriptOptions) {
    const saved = object(options.state);
    this.#database = database;
    this.#options = options;
    this.#changes = new Changes(windowMs, saved?.["changes"]);
    this.#sessions = new SessionRows("opencode", saved?.["sessions"]);
    this.#novelties = new RowNovelties((words) => options.mask(words), saved?.["novelties"]);
  }

  poll(sink: ReadSink): void {
    const { since } = this.#changes;
    let newest = 0;
    for (const row of rows(this.#database, changedSessions, since, since, since)) {
      newest = Math.max(newest, numberColumn(row, "newest") ?? 0);
      this.#session(row, sink);
      this.#messages(textColumn(row, "id") ?? "", since, sink);
    }
    this.#changes.advance(newest);
  }

  #session(row: Row, sink: ReadSink): void {
    const sessionId = textColumn(row, "id");
    if (sessionId === undefined) return;
    const created = numberColumn(row, "time_created");
    const updated = numberColumn(row, "time_updated");
    const title = textColumn(row, "title");
    const version = textColumn(row, "version");
    if (version !== undefined) this.#versions.set(sessionId, version);
    const facts = {
      sessionId,
      seq: numberColumn(row, "rowid") ?? 0,
      ...present({
        agentVersion: version,
        parentSessionId: textColumn(row, "parent_id"),
        startedAt: fromMillis(created),
        endedAt: fromMillis(updated),
        cwd: textColumn(row, "directory"),
        title: title === undefined ? undefined : this.#options.mask(title),
        models: this.#models(sessionId),
      }),
    };
    this.#sessions.give(facts, (updated ?? 0) - (created ?? 0), sink);
  }

  #models(sessionId: string): ServedModel[] | undefined {
    const models = [...rows(this.#database, servedModels, sessionId)].flatMap((row) => {
      const model = textColumn(row, "model");
      return model === undefined ? [] : [present({ model, provider: textColumn(row, "provider") })];
    });
    return models.length === 0 ? undefined : models;
  }

  #messages(sessionId: string, since: number, sink: ReadSink): void {
    const turns = [...rows(this.#database, userTurns, sessionId)];
    const ids = [...rows(this.#database, changedMessages, sessionId, since, since)];
    for (const id of ids) {
      const message = this.#message(textColumn(id, "id") ?? "", sink);
      if (message !== undefined) this.#give(message, turns, sink, false);
    }
  }

  #give(
    { row, stored }: { row: Row; stored: StoredMessage },
    turns: readonly Row[],
    sink: ReadSink,
    isOver: boolean,
  ): void {
    const { home, cwd } = this.#options;
    const seq = (numberColumn(row, "rowid") ?? 0) * partsPerMessage;
    const turn = turnAt(turns, numberColumn(row, "time_created") ?? 0, stored.id);
    for (const item of messageItems(stored, { seq, turn, isOver, ...present({ home, cwd }) })) {
      sink.item(this.#novelties.counted(item, this.#versions.get(item.sessionId)));
    }
  }

  #message(id: string, sink: ReadSink): { row: Row; stored: StoredMessage } | undefined {
    const row = firstRow(this.#database, "SELECT rowid, * FROM message WHERE id = ?", id);
    const sessionId = textColumn(row, "session_id");
    if (row === undefined || sessionId === undefined) return undefined;
    const isFresh = this.#changes.isNew(`m ${id}`, numberColumn(row, "time_updated") ?? 0);
    const data = this.#data(row, isFresh, sink);
    if (data === undefined) return undefined;
    const parts = [
      ...rows(this.#database, "SELECT * FROM part WHERE message_id = ? ORDER BY time_created, id", id),
    ];
    const stored = {
      id,
      sessionId,
      rev: revOf(row),
      data,
      isFresh,
      parts: parts.flatMap((part) => this.#part(part, sink) ?? []),
    };
    return { row, stored };
  }

  #part(row: Row, sink: ReadSink): StoredPart | undefined {
    const id = textColumn(row, "id");
    if (id === undefined) return undefined;
    const isFresh = this.#changes.isNew(`p ${id}`, numberColumn(row, "time_updated") ?? 0);
    const data = this.#data(row, isFresh, sink);
    if (data === undefined) return undefined;
    return { id, rev: revOf(row), data, isFresh };
  }

  #data(row: Row, isFresh: boolean, sink: ReadSink): JsonObject | undefined {
    const text = textColumn(row, "data") ?? "";
    const data = object(maskedJson(text, (words) => this.#options.mask(words)));
    if (data === undefined && isFresh) {
      sink.unread?.({
        reason: "not_json",
        text: this.#options.mask(text.slice(0, 65_536)),
        bytes: text.length,
      });
    }
    return data;
  }

  /** Calls that still run are unanswered: nothing will answer them once the agent has gone. */
  finish(sink: ReadSink): void {
    this.poll(sink);
    for (const id of rows(this.#database, openCalls)) {
      const message = this.#message(textColumn(id, "id") ?? "", sink);
      if (message === undefined) continue;
      const turns = [...rows(this.#database, userTurns, message.stored.sessionId)];
      const open = message.stored.parts.filter(({ data }) => data["type"] === "tool" && isOpen(data));
      const stored = { ...message.stored, isFresh: false, parts: open };
      this.#give({ row: message.row, stored }, turns, sink, true);
    }
  }

  state(): JsonValue {
    return {
      changes: this.#changes.state(),
      sessions: this.#sessions.state(),
      novelties: this.#novelties.state(),
    };
  }
}

const isOpen = (part: JsonObject): boolean => {
  const status = object(part["state"])?.["status"];
  return status !== "completed" && status !== "error";
};

const revOf = (row: Row): number =>
  Math.max(
    0,
    Math.trunc((numberColumn(row, "time_updated") ?? 0) - (numberColumn(row, "time_created") ?? 0)),
  );

/** How many user messages lie at or before the message. */
const turnAt = (turns: readonly Row[], created: number, id: string): number => {
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = numberColumn(turns[middle], "time_created") ?? 0;
    const isAfter = at > created || (at === created && (textColumn(turns[middle], "id") ?? "") > id);
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low;
};

const changedSessions = `
  SELECT s.rowid, s.*, max(s.time_updated,
      coalesce((SELECT max(time_updated) FROM message m WHERE m.session_id = s.id), 0),
      coalesce((SELECT max(time_updated) FROM part p WHERE p.session_id = s.id), 0)) AS newest
    FROM session s
   WHERE s.time_updated >= ?
      OR s.id IN (SELECT session_id FROM message WHERE time_updated >= ?)
      OR s.id IN (SELECT session_id FROM part WHERE time_updated >= ?)
   ORDER BY s.time_created, s.id`;

const changedMessages = `
  SELECT m.id FROM message m
   WHERE m.session_id = ?
     AND (m.time_updated >= ? OR EXISTS (SELECT 1 FROM part p WHERE p.message_id = m.id AND p.time_updated >= ?))
   ORDER BY m.time_created, m.id`;

/** Broken JSON must not fail the whole query. */
const field = (row: string, key: string): string =>
  `CASE WHEN json_valid(${row}.data) THEN json_extract(${row}.data, '$.${key}') END`;

const userTurns = `
  SELECT m.id, m.time_created FROM message m
   WHERE m.session_id = ? AND ${field("m", "role")} = 'user'
     AND EXISTS (SELECT 1 FROM part p WHERE p.message_id = m.id
                  AND ${field("p", "type")} = 'text' AND ${field("p", "synthetic")} IS NOT 1)
   ORDER BY m.time_created, m.id`;

const servedModels = `
  SELECT ${field("m", "modelID")} AS model, ${field("m", "providerID")} AS provider FROM message m
   WHERE m.session_id = ? AND ${field("m", "role")} = 'assistant'
   GROUP BY 1, 2 ORDER BY min(m.time_created)`;

const openCalls = `
  SELECT DISTINCT p.message_id AS id FROM part p
   WHERE ${field("p", "type")} = 'tool' AND ${field("p", "state.status")} NOT IN ('completed', 'error')
   ORDER BY 1`;

export const opencodeDatabaseReader = (database: DatabaseSync, options: TranscriptOptions): DatabaseReader =>
  databaseReader(database, new OpencodeRows(database, options));
