import { noteText, oneLine } from "./bounded-text.ts";
import { count, object, string, type JsonObject } from "./jsonline.ts";
import {
  TRACE_ITEM_VERSION,
  type AgentName,
  type ItemHead,
  type MarkItem,
  type MarkKind,
  type Novelty,
  type Timestamp,
} from "./item.ts";
import type { Marker } from "./marker.ts";
import { present } from "./present.ts";
import type { JsonValue, ReadSink } from "./reader.ts";
import { SessionFacts, type Facts } from "./session-facts.ts";

/** What a mark says beyond its head. */
export type MarkFields = Partial<
  Pick<MarkItem, "note" | "errorClass" | "errorKind" | "status" | "resetAt" | "count" | "fault" | "bytes">
>;

/** Most different novelties of one sort (kinds, fields, …) that a session counts; the rest is counted as `more`. */
const noveltyLimit = 64;
/**
 * Most keys whose last revision is remembered, per source. A key older than that starts anew at revision 0; a session is
 * given out again and again, and is not forgotten.
 */
const revisionLimit = 512;

/**
 * The bookkeeping of one source: the order of starts, revisions, and its sessions' facts, turns, numbered marks and
 * novelties. Readers make their items through it; its state is bounded and becomes part of the reader's state.
 */
export class SourceItems {
  readonly agent: AgentName;
  #seq: number;
  readonly #sessions = new Map<string, SessionItems>();
  readonly #revisions: Map<string, number>;

  constructor(agent: AgentName, state?: JsonValue) {
    const saved = object(state);
    this.agent = agent;
    this.#seq = count(saved?.["seq"]) ?? 0;
    this.#revisions = counts(saved?.["revisions"]);
    for (const [id, session] of Object.entries(object(saved?.["sessions"]) ?? {})) {
      this.#sessions.set(id, new SessionItems(this, id, object(session)));
    }
  }

  /** The number of the next start. */
  nextSeq(): number {
    this.#seq += 1;
    return this.#seq - 1;
  }

  /** The session's own bookkeeping, made at first sight. */
  session(id: string): SessionItems {
    let session = this.#sessions.get(id);
    if (session === undefined) {
      session = new SessionItems(this, id, undefined);
      this.#sessions.set(id, session);
    }
    return session;
  }

  get sessions(): Iterable<SessionItems> {
    return this.#sessions.values();
  }

  /** The revision for an item that is given out now: 0 at first, then one more each time. */
  nextRev(sessionId: string, type: string, key: string): number {
    const identity = `${type} ${key} ${sessionId}`;
    const rev = (this.#revisions.get(identity) ?? -1) + 1;
    this.#revisions.delete(identity);
    this.#revisions.set(identity, rev);
    if (this.#revisions.size > revisionLimit) {
      const oldest = this.#revisions.keys().find((each) => !each.startsWith("session "));
      if (oldest !== undefined) this.#revisions.delete(oldest);
    }
    return rev;
  }

  /** Gives out what is still to be said of every session: last times and the exact novelty counts. */
  finish(sink: ReadSink): void {
    for (const session of this.#sessions.values()) {
      session.flushNovelties(sink);
      session.flush(sink);
    }
  }

  state(): JsonObject {
    return {
      seq: this.#seq,
      revisions: Object.fromEntries(this.#revisions),
      sessions: Object.fromEntries([...this.#sessions].map(([id, session]) => [id, session.state()])),
    };
  }
}

/** One session of a source. */
export class SessionItems {
  readonly id: string;
  readonly #source: SourceItems;
  readonly #facts: SessionFacts;
  /** Marks without an id of their own, by `<kind>:<turn>`. Only the present turn's are kept. */
  #numbers: Map<string, number>;
  readonly #novelties: Map<string, { novelty: Novelty; count: number; given: number }>;
  #turn: number;

  constructor(source: SourceItems, id: string, saved: JsonObject | undefined) {
    this.id = id;
    this.#source = source;
    this.#facts = new SessionFacts(saved?.["facts"]);
    this.#numbers = counts(saved?.["numbers"]);
    this.#novelties = savedNovelties(saved?.["novelties"]);
    this.#turn = count(saved?.["turn"]) ?? 0;
  }

  /** The present user turn, from 1; 0 before the first user message. */
  get turn(): number {
    return this.#turn;
  }

  /** A user message begins the next turn. */
  beginTurn(): number {
    this.#turn += 1;
    this.#numbers = new Map();
    return this.#turn;
  }

  get facts(): Readonly<Facts> {
    return this.#facts.known;
  }

  /** The session was seen at this time; given out with the next patch. */
  touch(at: Timestamp | undefined): void {
    this.#facts.touch(at);
  }

  /** Adds facts; gives out the session when they say something new. Facts once known are not unlearned. */
  learn(facts: Partial<Facts>, sink: ReadSink): void {
    if (this.#facts.learn(facts)) this.flush(sink);
  }

  /** Gives out the session when something about it (its last time included) has not been given out yet. */
  flush(sink: ReadSink): void {
    if (!this.#facts.takeChange()) return;
    const head = this.head(
      "session",
      "-",
      this.#facts.seq(() => this.#source.nextSeq()),
    );
    sink.item({
      ...head,
      turn: this.#turn,
      type: "session",
      agent: this.#source.agent,
      ...this.#facts.known,
    });
  }

  /** Head of an item that is given out now; takes the next revision of its identity. */
  head(type: string, key: string, seq: number, at?: Timestamp): ItemHead {
    const rev = this.#source.nextRev(this.id, type, key);
    return { v: TRACE_ITEM_VERSION, sessionId: this.id, key, rev, seq, turn: this.#turn, ...present({ at }) };
  }

  /** Gives out a mark. `id` is the agent's own id of the line; without one the mark is numbered within its turn. */
  mark(
    kind: MarkKind,
    id: string | undefined,
    at: Timestamp | undefined,
    fields: MarkFields,
    sink: ReadSink,
  ): void {
    this.touch(at);
    const key = `${kind}:${id ?? this.#nextNumber(kind)}`;
    const { note, ...rest } = fields;
    sink.item({
      ...this.head("mark", key, this.#source.nextSeq(), at),
      type: "mark",
      kind,
      ...present({ note: note === undefined ? undefined : noteText(note) }),
      ...rest,
    });
  }

  /** Gives out what befell the source. */
  fault(marker: Marker, sink: ReadSink): void {
    this.mark("source_fault", undefined, undefined, { ...marker }, sink);
  }

  #nextNumber(kind: MarkKind): string {
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    return `${this.#turn}.${number}`;
  }

  /**
   * Counts something the reader does not know. Its mark comes at the first sight and whenever the count has doubled;
   * {@link SourceItems.finish} gives the exact count.
   */
  novelty(what: Novelty["what"], name: string, sample: JsonValue | undefined, sink: ReadSink): void {
    const known = this.#novelties.has(`${what} ${name}`) || this.#hasRoomFor(what);
    const label = known ? oneLine(name, 200) : "more";
    const id = known ? `${what} ${name}` : `${what} more`;
    const entry = this.#novelties.get(id) ?? {
      novelty: present({
        what,
        name: label,
        agentVersion: this.#facts.known.agentVersion,
        sample: sample === undefined ? undefined : oneLine(sampleText(sample)),
      }),
      count: 0,
      given: 0,
    };
    this.#novelties.set(id, entry);
    entry.count += 1;
    if (entry.count >= entry.given * 2) this.#giveNovelty(entry, sink);
  }

  #hasRoomFor(what: Novelty["what"]): boolean {
    let counted = 0;
    for (const { novelty } of this.#novelties.values()) if (novelty.what === what) counted += 1;
    return counted < noveltyLimit;
  }

  flushNovelties(sink: ReadSink): void {
    for (const entry of this.#novelties.values())
      if (entry.count > entry.given) this.#giveNovelty(entry, sink);
  }

  #giveNovelty(entry: { novelty: Novelty; count: number; given: number }, sink: ReadSink): void {
    const { what, name, agentVersion = "" } = entry.novelty;
    entry.given = entry.count;
    sink.item({
      ...this.head("mark", `novelty:${what}:${name}:${agentVersion}`, this.#source.nextSeq()),
      type: "mark",
      kind: "novelty",
      count: entry.count,
      novelty: entry.novelty,
    });
  }

  state(): JsonObject {
    return {
      turn: this.#turn,
      facts: this.#facts.state(),
      numbers: Object.fromEntries(this.#numbers),
      novelties: [...this.#novelties.values()].map(({ novelty, count, given }) => ({
        novelty: { ...novelty },
        count,
        given,
      })),
    };
  }
}

const sampleText = (sample: JsonValue): string =>
  typeof sample === "string" ? sample : JSON.stringify(sample);

const counts = (saved: JsonValue | undefined): Map<string, number> =>
  new Map(
    Object.entries(object(saved) ?? {}).flatMap(([key, value]): [string, number][] =>
      typeof value === "number" ? [[key, value]] : [],
    ),
  );

const savedNovelties = (
  saved: JsonValue | undefined,
): Map<string, { novelty: Novelty; count: number; given: number }> => {
  const entries = new Map<string, { novelty: Novelty; count: number; given: number }>();
  for (const each of Array.isArray(saved) ? saved : []) {
    const entry = object(each);
    const novelty = object(entry?.["novelty"]);
    const what = string(novelty?.["what"]);
    const name = string(novelty?.["name"]);
    if (name === undefined) continue;
    if (what !== "kind" && what !== "field" && what !== "value" && what !== "line") continue;
    entries.set(`${what} ${name}`, {
      novelty: {
        what,
        name,
        ...present({ agentVersion: string(novelty?.["agentVersion"]), sample: string(novelty?.["sample"]) }),
      },
      count: count(entry?.["count"]) ?? 0,
      given: count(entry?.["given"]) ?? 0,
    });
  }
  return entries;
};
