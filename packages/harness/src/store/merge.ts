import type { MarkItem, SessionItem, TraceItem } from "@orphus/agent-trace/item";
import type { Batch, SourceKind, StoredItem } from "./batch.ts";
import type { Database } from "./database.ts";
import { integer, json, optionalInteger, word, type Row } from "./row.ts";
import { patchSession } from "./session-patch.ts";
import { sessionSkeleton, skeleton } from "./skeleton.ts";

/** Most events of one session that are stored with their content. */
const MAX_SESSION_EVENTS = 10_000;

/** Gives out the store's next change number. */
export type NextChange = () => number;

interface Session {
  id: number;
  /** The source that announced it. */
  source: SourceKind;
  body: SessionItem;
}

/**
 * Puts a batch's items into the store by the merge rule: an identity that is there with an equal or higher revision is
 * a repeat and changes nothing; a higher revision replaces the item whole. Runs inside the batch's transaction.
 */
export const mergeItems = (database: Database, batch: Batch, nextChange: NextChange): StoredItem[] => {
  const stored: StoredItem[] = [];
  for (const item of batch.items) {
    const put = item.type === "session" ? mergeSession : mergeEvent;
    stored.push(...put({ database, batch, nextChange }, item));
  }
  return stored;
};

interface Merge {
  database: Database;
  batch: Batch;
  nextChange: NextChange;
}

const milliseconds = (at: string | undefined): number | null => {
  const parsed = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(parsed) ? null : parsed;
};

const stored = (merge: Merge, change: number, item: TraceItem, previous?: TraceItem): StoredItem => ({
  change,
  run: merge.batch.run,
  source: merge.batch.source,
  at: timeOf(merge, item),
  item,
  ...(previous === undefined ? {} : { previous }),
  duplicate: false,
});

/** The agent's own time; where it tells none, the time at which the item was read. */
const timeOf = ({ batch }: Merge, item: TraceItem): number => milliseconds(item.at) ?? batch.at;

const findSession = ({ database, batch }: Merge, sessionId: string): Session | undefined => {
  const row = database.get(
    "SELECT id, source, body FROM session WHERE harness = ? AND run_id = ? AND agent = ? AND session_id = ?",
    batch.run.harness,
    batch.run.runId,
    batch.agent,
    sessionId,
  );
  if (row === undefined) return undefined;
  return {
    id: integer(row, "id"),
    source: word<SourceKind>(row, "source"),
    body: json<SessionItem>(row, "body"),
  };
};

/** Opens the run's record of a session, and claims the session for the run. */
const addSession = (merge: Merge, item: SessionItem): { session: Session; stored: StoredItem[] } => {
  const { database, batch } = merge;
  const body = batch.keepContent ? item : sessionSkeleton(item);
  const change = merge.nextChange();
  database.run(
    "INSERT INTO session (harness, run_id, agent, session_id, source, at, change, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    batch.run.harness,
    batch.run.runId,
    batch.agent,
    item.sessionId,
    batch.source,
    timeOf(merge, item),
    change,
    JSON.stringify(body),
  );
  const id = integer(database.get("SELECT last_insert_rowid() AS id") ?? {}, "id");
  const session: Session = { id, source: batch.source, body };
  return { session, stored: [stored(merge, change, item), ...claim(merge, session, item)] };
};

/** A session that another live run has announced as well belongs to both: each keeps its own items, and a mark says so. */
const claim = (merge: Merge, session: Session, item: SessionItem): StoredItem[] => {
  const { database, batch } = merge;
  const others = database.all(
    `SELECT s.id FROM session s JOIN run r ON r.harness = s.harness AND r.run_id = s.run_id
     WHERE s.agent = ? AND s.session_id = ? AND r.outcome = 'running' AND s.id <> ?`,
    batch.agent,
    item.sessionId,
    session.id,
  );
  database.run(
    "INSERT INTO claim (agent, session_id, harness, run_id, how, from_at) VALUES (?, ?, ?, ?, ?, ?)",
    batch.agent,
    item.sessionId,
    batch.run.harness,
    batch.run.runId,
    batch.source === "stream" ? "stream" : "attributed",
    milliseconds(item.at ?? item.startedAt) ?? batch.at,
  );
  if (others.length === 0) return [];
  const ids = [session.id, ...others.map((row) => integer(row, "id"))];
  return ids.flatMap((id) => mergeInto(merge, { ...session, id }, ambiguous(item)));
};

const ambiguous = (item: SessionItem): MarkItem => ({
  v: 1,
  type: "mark",
  kind: "ambiguous",
  key: "ambiguous:-",
  sessionId: item.sessionId,
  rev: 0,
  seq: item.seq,
  ...(item.at === undefined ? {} : { at: item.at }),
  note: "Two runs that were live at once announced this session; each keeps what it said itself.",
});

const mergeSession = (merge: Merge, item: TraceItem): StoredItem[] => {
  if (item.type !== "session") return [];
  const known = findSession(merge, item.sessionId);
  if (known === undefined) return addSession(merge, item).stored;
  const { database, batch } = merge;
  // Revisions of two sources cannot be compared: what another source says counts if it says something new.
  if (batch.source === known.source && item.rev <= known.body.rev) return [];
  const body = patchSession(known.body, batch.keepContent ? item : sessionSkeleton(item));
  if (body === known.body) return [];
  const change = merge.nextChange();
  database.run(
    "UPDATE session SET body = ?, change = ? WHERE id = ?",
    JSON.stringify(body),
    change,
    known.id,
  );
  return [stored(merge, change, body, known.body)];
};

const mergeEvent = (merge: Merge, item: TraceItem): StoredItem[] => {
  const known = findSession(merge, item.sessionId);
  if (known !== undefined) return mergeInto(merge, known, item);
  // An agent may speak of a session before it announces it, such as a sub-agent's.
  const opened = addSession(merge, {
    v: 1,
    type: "session",
    agent: merge.batch.agent,
    sessionId: item.sessionId,
    key: "-",
    rev: 0,
    seq: item.seq,
    ...(item.at === undefined ? {} : { at: item.at }),
  });
  return [...opened.stored, ...mergeInto(merge, opened.session, item)];
};

const mergeInto = (merge: Merge, session: Session, item: TraceItem): StoredItem[] => {
  const row = merge.database.get(
    "SELECT id, rev, body, kept, duplicate FROM event WHERE session = ? AND type = ? AND key = ?",
    session.id,
    item.type,
    item.key,
  );
  if (row === undefined) return [insertEvent(merge, session, item)];
  if (item.rev <= integer(row, "rev")) return [];
  return [replaceEvent(merge, row, item)];
};

const insertEvent = (merge: Merge, session: Session, item: TraceItem): StoredItem => {
  const { database, batch } = merge;
  const kept = batch.keepContent && roomFor(merge, session, item);
  const duplicateOf = countOnce(merge, session, item);
  const change = merge.nextChange();
  database.run(
    `INSERT INTO event (session, type, key, rev, change, source, at, seq, turn, body, kept, duplicate, duplicate_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session.id,
    item.type,
    item.key,
    item.rev,
    change,
    batch.source,
    timeOf(merge, item),
    item.seq,
    item.turn ?? null,
    JSON.stringify(kept ? item : skeleton(item)),
    kept ? 1 : 0,
    duplicateOf === undefined ? 0 : 1,
    duplicateOf ?? null,
  );
  if (batch.keepContent) {
    const column = kept ? "stored" : "dropped";
    database.run(`UPDATE session SET ${column} = ${column} + 1 WHERE id = ?`, session.id);
  }
  return { ...stored(merge, change, item), duplicate: duplicateOf !== undefined };
};

const replaceEvent = (merge: Merge, row: Row, item: TraceItem): StoredItem => {
  const kept = integer(row, "kept") === 1;
  const change = merge.nextChange();
  merge.database.run(
    `UPDATE event SET rev = ?, change = ?, source = ?, at = coalesce(?, at), seq = ?, turn = ?, body = ?
     WHERE id = ?`,
    item.rev,
    change,
    merge.batch.source,
    milliseconds(item.at),
    item.seq,
    item.turn ?? null,
    JSON.stringify(kept ? item : skeleton(item)),
    integer(row, "id"),
  );
  const previous = json<TraceItem>(row, "body");
  return { ...stored(merge, change, item, previous), duplicate: integer(row, "duplicate") === 1 };
};

/** Whether the item may be stored. A result always may: it takes the place of the latest event that is none. */
const roomFor = ({ database }: Merge, session: Session, item: TraceItem): boolean => {
  const count = integer(database.get("SELECT stored FROM session WHERE id = ?", session.id) ?? {}, "stored");
  if (count < MAX_SESSION_EVENTS) return true;
  if (item.type !== "result") return false;
  const last = database.get(
    "SELECT id, body FROM event WHERE session = ? AND kept = 1 AND type <> 'result' ORDER BY seq DESC LIMIT 1",
    session.id,
  );
  if (last === undefined) return false;
  const emptied = JSON.stringify(skeleton(json<TraceItem>(last, "body")));
  database.run("UPDATE event SET kept = 0, body = ? WHERE id = ?", emptied, integer(last, "id"));
  database.run("UPDATE session SET stored = stored - 1, dropped = dropped + 1 WHERE id = ?", session.id);
  return true;
};

/**
 * A response counts once on this machine, whoever repeats it (a resume, a fork, a copy). Returns the session that it was
 * counted in first, `null` when that one is pruned, and `undefined` for a first sight. An amount for a whole turn has no
 * id of the provider's and is not looked up.
 */
const countOnce = (
  { database, batch }: Merge,
  session: Session,
  item: TraceItem,
): number | null | undefined => {
  if (item.type !== "usage" || item.covers !== "response") return undefined;
  const first = database.run(
    "INSERT INTO counted (agent, key, session) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    batch.agent,
    item.key,
    session.id,
  );
  if (first === 1) return undefined;
  const row = database.get("SELECT session FROM counted WHERE agent = ? AND key = ?", batch.agent, item.key);
  const owner = row === undefined ? undefined : optionalInteger(row, "session");
  return owner === session.id ? undefined : (owner ?? null);
};
