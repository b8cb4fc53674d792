import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { DatabaseReader, TranscriptOptions } from "../../agent.ts";
import type { AgentName, Claim, ServedModel } from "../../item.ts";
import { object } from "../../jsonline.ts";
import { nanoUsd } from "../../money.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { Changes } from "../rows/changes.ts";
import {
  columnsOf,
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
import {
  callItem,
  callsOf,
  partsOf,
  resultId,
  resultsOf,
  rowItems,
  rowTime,
  type MessageRow,
  type RowContext,
} from "./messages.ts";

/** How far a row's stamp may lie behind its commit, in the database's own unit (seconds, or milliseconds). */
const windowSeconds = 10;

export const isCrushDatabase = (database: DatabaseSync): boolean =>
  hasColumns(database, "sessions", ["id", "parent_session_id", "prompt_tokens", "cost", "updated_at"]) &&
  hasColumns(database, "messages", ["id", "session_id", "role", "parts", "updated_at"]);

/** Whether its stamps are milliseconds, as in the opencode that Crush came from. An empty database does not tell. */
export const hasMillis = (database: DatabaseSync): boolean => {
  const newest = firstRow(database, "SELECT max(updated_at) AS newest FROM sessions");
  return (numberColumn(newest, "newest") ?? 0) >= 100_000_000_000;
};

/**
 * Crush's database. Rows of the model are inserted when its answer begins and rewritten until it has ended; half of all
 * rows share their second with another one, so that the row number orders them. A call is given out with its result,
 * which stands in a later row.
 */
class CrushRows implements RowHandler {
  readonly #database: DatabaseSync;
  readonly #options: TranscriptOptions;
  readonly #changes: Changes;
  readonly #sessions: SessionRows;
  readonly #novelties: RowNovelties;
  readonly #costs: SessionRows;
  readonly #columns: Set<string>;

  constructor(agent: AgentName, database: DatabaseSync, options: TranscriptOptions) {
    const saved = object(options.state);
    this.#database = database;
    this.#options = options;
    this.#columns = columnsOf(database, "messages");
    this.#changes = new Changes(
      hasMillis(database) ? windowSeconds * 1000 : windowSeconds,
      saved?.["changes"],
    );
    this.#sessions = new SessionRows(agent, saved?.["sessions"]);
    this.#novelties = new RowNovelties((words) => options.mask(words), saved?.["novelties"]);
    this.#costs = new SessionRows(agent, saved?.["costs"]);
  }

  poll(sink: ReadSink): void {
    const { since } = this.#changes;
    let newest = 0;
    for (const row of rows(this.#database, changedSessions, since, since)) {
      newest = Math.max(newest, numberColumn(row, "newest") ?? 0);
      this.#session(row, sink);
      this.#messages(row, since, sink);
    }
    this.#changes.advance(newest);
  }

  #session(row: Row, sink: ReadSink): void {
    const sessionId = textColumn(row, "id");
    if (sessionId === undefined) return;
    const created = numberColumn(row, "created_at");
    const title = textColumn(row, "title");
    const seq = numberColumn(row, "rowid") ?? 0;
    const age = (numberColumn(row, "newest") ?? 0) - (created ?? 0);
    const facts = {
      sessionId,
      seq,
      ...present({
        parentSessionId: textColumn(row, "parent_session_id"),
        startedAt: rowTime(created),
        endedAt: rowTime(numberColumn(row, "newest")),
        cwd: this.#cwd,
        title: title === undefined ? undefined : this.#options.mask(title),
        models: this.#models(sessionId),
      }),
    };
    this.#sessions.give(facts, age, sink);
    this.#cost(row, sessionId, seq, age, sink);
  }

  /** Only the cost adds up: the token columns hold the last step's. A parent's cost has its children's in it. */
  #cost(row: Row, sessionId: string, seq: number, age: number, sink: ReadSink): void {
    const whole = nanoUsd(numberColumn(row, "cost"));
    const children = nanoUsd(numberColumn(row, "children_cost")) ?? 0;
    if (whole === undefined || whole - children <= 0) return;
    const costNanoUsd = whole - children;
    // The memory of what was given out decides whether the cost is new, and its revision.
    this.#costs.give({ sessionId, seq, title: String(costNanoUsd) }, age, {
      item: ({ rev }) => {
        const key = `${sessionId}/cost`;
        const amount = { costNanoUsd, costSource: "recorded", exact: true, covers: "turn" } as const;
        sink.item({ v: 1, sessionId, key, rev, seq, type: "usage", ...amount });
      },
    });
  }

  /** The database lies in `.crush` inside the project. */
  get #cwd(): string | undefined {
    const folder = posix.dirname(this.#options.path);
    const isDefault = [".crush", ".opencode"].includes(posix.basename(folder));
    return this.#options.cwd ?? (isDefault ? posix.dirname(folder) : undefined);
  }

  #models(sessionId: string): ServedModel[] | undefined {
    const provider = this.#columns.has("provider") ? "provider" : "NULL";
    const sql = `SELECT model, ${provider} AS provider FROM messages
      WHERE session_id = ? AND model <> '' AND role = 'assistant' GROUP BY 1, 2 ORDER BY min(rowid)`;
    const models = [...rows(this.#database, sql, sessionId)].flatMap((row) => {
      const model = textColumn(row, "model");
      return model === undefined ? [] : [present({ model, provider: textColumn(row, "provider") })];
    });
    return models.length === 0 ? undefined : models;
  }

  #messages(session: Row, since: number, sink: ReadSink): void {
    const sessionId = textColumn(session, "id") ?? "";
    const turns = this.#turns(sessionId);
    const claims = claimsOf(session);
    const sql = "SELECT rowid, * FROM messages WHERE session_id = ? AND updated_at >= ? ORDER BY rowid";
    for (const row of rows(this.#database, sql, sessionId, since)) {
      const stamp = numberColumn(row, "updated_at") ?? 0;
      if (!this.#changes.isNew(`${textColumn(row, "id") ?? ""} ${digest(row)}`, stamp)) continue;
      const message = this.#message(row, sink);
      if (message === undefined) continue;
      for (const item of rowItems(message, this.#context(message, turns, claims))) {
        sink.item(this.#novelties.counted(item));
      }
      this.#answers(message, turns, sink);
    }
  }

  #context(message: MessageRow, turns: readonly number[], claims: Claim[]): RowContext {
    const turn = turns.filter((rowid) => rowid <= message.rowid).length;
    return { turn, claims, ...present({ cwd: this.#cwd, home: this.#options.home }) };
  }

  #turns(sessionId: string): number[] {
    const sql = "SELECT rowid FROM messages WHERE session_id = ? AND role = 'user' ORDER BY rowid";
    return [...rows(this.#database, sql, sessionId)].flatMap((row) => numberColumn(row, "rowid") ?? []);
  }

  /** Gives out the calls that the row answers. */
  #answers(message: MessageRow, turns: readonly number[], sink: ReadSink): void {
    for (const data of resultsOf(message)) {
      const id = resultId(data);
      const asked = id === undefined ? undefined : this.#asking(message, id, sink);
      const call = asked === undefined || id === undefined ? undefined : callsOf(asked).get(id);
      if (asked === undefined || call === undefined) continue;
      sink.item(callItem(asked, call, { data, at: message.createdAt }, this.#context(asked, turns, [])));
    }
  }

  /** The row that asked for the call: the nearest one before its result. */
  #asking(message: MessageRow, callId: string, sink: ReadSink): MessageRow | undefined {
    const sql = `SELECT rowid, * FROM messages
      WHERE session_id = ? AND rowid <= ? AND role = 'assistant' AND instr(parts, ?) > 0 ORDER BY rowid DESC LIMIT 1`;
    const row = firstRow(this.#database, sql, message.sessionId, message.rowid, callId);
    return row === undefined ? undefined : this.#message(row, sink);
  }

  #message(row: Row, sink: ReadSink): MessageRow | undefined {
    const id = textColumn(row, "id");
    const sessionId = textColumn(row, "session_id");
    const text = textColumn(row, "parts") ?? "[]";
    const parts = maskedJson(text, (words) => this.#options.mask(words));
    if (id === undefined || sessionId === undefined || !Array.isArray(parts)) {
      sink.unread?.({
        reason: "not_json",
        text: this.#options.mask(text.slice(0, 65_536)),
        bytes: text.length,
      });
      return undefined;
    }
    return {
      id,
      sessionId,
      rowid: numberColumn(row, "rowid") ?? 0,
      role: textColumn(row, "role") ?? "?",
      parts: partsOf(parts),
      isSummary: numberColumn(row, "is_summary_message") === 1,
      ...present({
        model: textColumn(row, "model"),
        provider: textColumn(row, "provider"),
        createdAt: rowTime(numberColumn(row, "created_at")),
        updatedAt: rowTime(numberColumn(row, "updated_at")),
      }),
    };
  }

  /** Calls that no row answers are unanswered: the agent has gone. */
  finish(sink: ReadSink): void {
    this.poll(sink);
    for (const session of rows(this.#database, "SELECT id FROM sessions ORDER BY rowid")) {
      this.#unanswered(textColumn(session, "id") ?? "", sink);
    }
  }

  #unanswered(sessionId: string, sink: ReadSink): void {
    const turns = this.#turns(sessionId);
    const open = new Map<string, MessageRow>();
    const sql =
      "SELECT rowid, * FROM messages WHERE session_id = ? AND role IN ('assistant', 'tool') ORDER BY rowid";
    for (const row of rows(this.#database, sql, sessionId)) {
      const message = this.#message(row, { item: () => {} });
      if (message === undefined) continue;
      for (const id of callsOf(message).keys()) open.set(id, message);
      for (const data of resultsOf(message)) open.delete(resultId(data) ?? "");
    }
    for (const [id, message] of open) {
      const call = callsOf(message).get(id);
      if (call !== undefined)
        sink.item(callItem(message, call, undefined, this.#context(message, turns, [])));
    }
  }

  state(): JsonValue {
    return {
      changes: this.#changes.state(),
      sessions: this.#sessions.state(),
      novelties: this.#novelties.state(),
      costs: this.#costs.state(),
    };
  }
}

const digest = (row: Row): string =>
  createHash("sha256")
    .update(textColumn(row, "parts") ?? "")
    .digest("hex")
    .slice(0, 16);

const claimsOf = (session: Row): Claim[] => {
  const costNanoUsd = nanoUsd(numberColumn(session, "cost"));
  return costNanoUsd === undefined || costNanoUsd === 0
    ? []
    : [{ costNanoUsd, since: "session", subagents: "in" }];
};

const changedSessions = `
  SELECT s.rowid, s.*,
      max(s.updated_at, coalesce((SELECT max(updated_at) FROM messages m WHERE m.session_id = s.id), 0)) AS newest,
      (SELECT sum(cost) FROM sessions c WHERE c.parent_session_id = s.id) AS children_cost
    FROM sessions s
   WHERE s.updated_at >= ? OR s.id IN (SELECT session_id FROM messages WHERE updated_at >= ?)
   ORDER BY s.rowid`;

export const crushDatabaseReader = (
  agent: AgentName,
  database: DatabaseSync,
  options: TranscriptOptions,
): DatabaseReader => databaseReader(database, new CrushRows(agent, database, options));
