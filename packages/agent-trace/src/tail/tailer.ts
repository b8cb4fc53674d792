import { closeSync, openSync, readSync, fstatSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Agent, DatabaseTranscript, JsonlTranscript } from "../agent.ts";
import { agentNamed } from "../agents/registry.ts";
import { createLineSplitter } from "../lines.ts";
import { deletedMarker, droppedLineMarker, sourceMarker } from "../marker.ts";
import { SourceItems } from "../items.ts";
import { object } from "../jsonline.ts";
import type { JsonValue, LineReader, ReadSink } from "../reader.ts";
import type { FoundFile } from "../read/find.ts";
import { identifyDatabase, identifyLines, isSqlite, readHead } from "../read/identify.ts";
import { maskFor } from "../read/mask.ts";
import { transcriptOptions, type ReadOptions } from "../read/read-path.ts";
import { anchorOf, stampOf } from "./bytes.ts";
import { cursorState, savedCursor, type Cursor } from "./cursor.ts";
import { pollDocument, sessionOfDocument } from "./documents.ts";

export interface TailerOptions extends ReadOptions {
  /** The files there are now; asked at every poll. */
  files: () => readonly FoundFile[];
  /** {@link Tailer.state} of an earlier tailer. */
  state?: JsonValue | undefined;
}

/** What one poll did. */
export interface PollReport {
  /** Files that were looked at from outside. */
  looked: number;
  /** Files that were opened and read; an unchanged file is never among them. */
  parsed: number;
  bytes: number;
  /** Files that could not be read this time; they are tried again. */
  failed: { path: string; error: string }[];
}

const chunkBytes = 256 * 1024;

/**
 * Follows growing files, databases, and documents that are written whole. Each poll reads what is new: whole lines only, a
 * torn last line waits. A file that became shorter, another one, or went away is reported as a mark in its session and
 * read anew. Reading never decides
 * that a session has ended: open calls stay open.
 */
export class Tailer {
  readonly #options: TailerOptions;
  readonly #cursors = new Map<string, Cursor>();
  /** Files of no agent, or not yet whole, as they were when that was found. */
  readonly #nobodys = new Map<string, string>();

  constructor(options: TailerOptions) {
    this.#options = options;
    for (const [path, saved] of Object.entries(object(options.state) ?? {})) {
      const cursor = savedCursor(saved);
      if (cursor !== undefined) this.#cursors.set(path, cursor);
    }
  }

  poll(sink: ReadSink): PollReport {
    const report: PollReport = { looked: 0, parsed: 0, bytes: 0, failed: [] };
    const files = this.#options.files();
    for (const { path } of files) this.#attempt(path, sink, report);
    const present = new Set(files.map(({ path }) => path));
    for (const [path, cursor] of this.#cursors) {
      if (!present.has(path) && !cursor.deleted && stampOf([path]) === undefined)
        this.#gone(path, cursor, sink);
    }
    return report;
  }

  /** What must be kept to go on later: a cursor for each file. */
  state(): JsonValue {
    return Object.fromEntries([...this.#cursors].map(([path, cursor]) => [path, cursorState(cursor)]));
  }

  #attempt(path: string, sink: ReadSink, report: PollReport): void {
    report.looked += 1;
    const cursor = this.#cursors.get(path);
    const stamp = stampOf([path, `${path}-wal`]);
    if (stamp === undefined || stamp === cursor?.stamp || stamp === this.#nobodys.get(path)) return;
    try {
      const read = this.#read(path, stamp, cursor?.deleted === true ? undefined : cursor, sink);
      if (read === undefined) {
        this.#nobodys.set(path, stamp);
        return;
      }
      report.parsed += 1;
      report.bytes += read;
    } catch (error) {
      // It vanished, or is locked, between two looks: the next poll tries again from the same cursor.
      report.failed.push({ path, error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Returns the bytes read; undefined when the file is nobody's. */
  #read(path: string, stamp: string, cursor: Cursor | undefined, sink: ReadSink): number | undefined {
    const head = readHead(path);
    const named = cursor?.agent ?? this.#options.agent;
    if (isSqlite(head)) return this.#readDatabase(path, stamp, cursor, sink);
    const agent = named === undefined ? undefined : agentNamed(named);
    if (agent?.transcript?.kind === "jsonl")
      return this.#readLines(path, stamp, cursor, agent, agent.transcript, sink);
    const found = identifyLines(path, head, named);
    if (found?.kind !== "jsonl") return this.#readDocument(path, stamp, cursor, sink);
    return this.#readLines(path, stamp, cursor, found.agent, found.transcript, sink);
  }

  #readLines(
    path: string,
    stamp: string,
    cursor: Cursor | undefined,
    agent: Agent,
    transcript: JsonlTranscript,
    sink: ReadSink,
  ): number {
    const descriptor = openSync(path, "r");
    try {
      const from = this.#resume(descriptor, path, cursor, agent, transcript, sink);
      const reader = this.#reader(path, agent, transcript, from?.reader);
      const mask = maskFor(agent, this.#options).lines(from?.mask);
      const splitter = createLineSplitter({ offset: from?.position ?? 0, skip: transcript.skip ?? [] });
      const chunk = Buffer.allocUnsafe(chunkBytes);
      let at = splitter.position;
      const start = at;
      for (;;) {
        const read = readSync(descriptor, chunk, 0, chunkBytes, at);
        if (read === 0) break;
        at += read;
        for (const line of splitter.push(chunk.subarray(0, read))) {
          const dropped = "dropped" in line;
          reader.line(
            dropped ? droppedLineMarker("stdout", line.bytes, line.limit) : mask.json(line.text),
            sink,
          );
        }
      }
      this.#cursors.set(path, {
        agent: agent.name,
        position: splitter.position,
        anchor: anchorOf(descriptor, splitter.position),
        stamp,
        reader: reader.state(),
        mask: mask.state(),
        deleted: false,
      });
      return at - start;
    } finally {
      closeSync(descriptor);
    }
  }

  /** The cursor, when the file still is what it stands for; else that is told, and the file is read from its start. */
  #resume(
    descriptor: number,
    path: string,
    cursor: Cursor | undefined,
    agent: Agent,
    transcript: JsonlTranscript,
    sink: ReadSink,
  ): Cursor | undefined {
    if (cursor === undefined) return undefined;
    const { size } = fstatSync(descriptor);
    if (size >= cursor.position && anchorOf(descriptor, cursor.position) === cursor.anchor) return cursor;
    const what = size < cursor.position ? "truncated" : "rewritten";
    this.#reader(path, agent, transcript, cursor.reader).line(sourceMarker(what), sink);
    return undefined;
  }

  #reader(path: string, agent: Agent, transcript: JsonlTranscript, state: JsonValue | undefined): LineReader {
    return transcript.reader({
      ...transcriptOptions(agent, path, this.#options),
      ...(state === undefined ? {} : { state }),
    });
  }

  #readDatabase(path: string, stamp: string, cursor: Cursor | undefined, sink: ReadSink): number | undefined {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    try {
      const found = identifyDatabase(path, database, cursor?.agent ?? this.#options.agent);
      if (found === undefined) return undefined;
      const transcript: DatabaseTranscript = found.transcript;
      const reader = transcript.reader(database, {
        ...transcriptOptions(found.agent, path, this.#options),
        ...(cursor === undefined ? {} : { state: cursor.reader }),
      });
      reader.poll(sink);
      this.#cursors.set(path, {
        agent: found.agent.name,
        position: 0,
        anchor: "",
        stamp,
        reader: reader.state(),
        mask: null,
        deleted: false,
      });
      return 0;
    } finally {
      database.close();
    }
  }

  #readDocument(path: string, stamp: string, cursor: Cursor | undefined, sink: ReadSink): number | undefined {
    const read = pollDocument(path, cursor?.reader, sink, this.#options);
    if (read === undefined) return undefined;
    const { agent, state } = read;
    this.#cursors.set(path, {
      agent,
      position: 0,
      anchor: "",
      stamp,
      reader: state,
      mask: null,
      deleted: false,
    });
    return read.bytes;
  }

  #gone(path: string, cursor: Cursor, sink: ReadSink): void {
    const agent = agentNamed(cursor.agent);
    const session = sessionOfDocument(cursor.reader);
    if (agent?.transcript?.kind === "jsonl")
      this.#reader(path, agent, agent.transcript, cursor.reader).line(sourceMarker("deleted"), sink);
    else if (agent !== undefined && session !== undefined)
      new SourceItems(agent.name).session(session).fault(deletedMarker, sink);
    this.#cursors.set(path, { ...cursor, deleted: true, stamp: "" });
  }
}
