import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Agent, TranscriptOptions } from "../agent.ts";
import type { AgentName } from "../item.ts";
import { createLineSplitter, type SplitLine } from "../lines.ts";
import { droppedLineMarker } from "../marker.ts";
import { parseJson } from "../jsonline.ts";
import type { LineReader, ReadSink } from "../reader.ts";
import { identifyDatabase, identifyDocument, identifyLines, isSqlite, readHead } from "./identify.ts";
import { maskFor, type Masking } from "./mask.ts";

export interface ReadOptions extends Masking {
  /** Whose file it is; without it the file tells. */
  agent?: AgentName;
  /** The user's home directory. */
  home?: string;
  /** How long a locked database is waited for; 5000 unless said. */
  lockWaitMs?: number;
  /** Told of every part read, in bytes. */
  onBytes?: (bytes: number) => void;
}

/** What became of one file. `unreadable` says why in `error`; nothing is thrown for it. */
export type ReadReport =
  | { path: string; outcome: "read"; agent: AgentName; bytes: number }
  | { path: string; outcome: "unknown" }
  | { path: string; outcome: "unreadable"; error: string };

const chunkBytes = 256 * 1024;
/** Longest document that is read whole. */
const documentLimit = 256 * 1024 * 1024;

/** Reads one file to its end: a transcript, a database, a document, or a captured stream. */
export const readPath = (path: string, sink: ReadSink, options: ReadOptions = {}): ReadReport => {
  try {
    const head = readHead(path);
    if (isSqlite(head)) return readDatabase(path, sink, options);
    const found = identifyLines(path, head, options.agent);
    if (found === undefined) return readDocument(path, sink, options);
    if (found.kind === "jsonl") {
      const reader = found.transcript.reader(transcriptOptions(found.agent, path, options));
      return readLines(path, found.agent, reader, found.transcript.skip ?? [], sink, options);
    }
    if (found.kind === "stream" && found.agent.stream !== undefined) {
      const reader = found.agent.stream.reader(options.home === undefined ? {} : { home: options.home });
      return readLines(path, found.agent, reader, [], sink, options);
    }
    return { path, outcome: "unknown" };
  } catch (error) {
    return { path, outcome: "unreadable", error: error instanceof Error ? error.message : String(error) };
  }
};

/** Options of a transcript's reader, with what lies beside the file. */
export const transcriptOptions = (agent: Agent, path: string, options: ReadOptions): TranscriptOptions => ({
  path: resolve(path),
  ...(options.home === undefined ? {} : { home: options.home }),
  sibling: (beside) => {
    try {
      return statSync(beside).size > 1024 * 1024 ? undefined : readFileSync(beside, "utf8");
    } catch {
      return undefined;
    }
  },
  mask: (text) => maskFor(agent, options).redact(text),
});

const readLines = (
  path: string,
  agent: Agent,
  reader: LineReader,
  skip: readonly string[],
  sink: ReadSink,
  options: ReadOptions,
): ReadReport => {
  const splitter = createLineSplitter({ skip });
  const mask = maskFor(agent, options).lines();
  const give = (line: SplitLine): void => {
    reader.line(
      "dropped" in line ? droppedLineMarker("stdout", line.bytes, line.limit) : mask.json(line.text),
      sink,
    );
  };
  const descriptor = openSync(path, "r");
  let bytes = 0;
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      for (const line of splitter.push(chunk.subarray(0, read))) give(line);
      bytes += read;
      options.onBytes?.(read);
    }
  } finally {
    closeSync(descriptor);
  }
  for (const line of splitter.end()) give(line);
  reader.finish(sink);
  return { path, outcome: "read", agent: agent.name, bytes };
};

const readDatabase = (path: string, sink: ReadSink, options: ReadOptions): ReadReport => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: options.lockWaitMs ?? 5000 });
  try {
    const found = identifyDatabase(path, database, options.agent);
    if (found === undefined) return { path, outcome: "unknown" };
    const reader = found.transcript.reader(database, transcriptOptions(found.agent, path, options));
    reader.poll(sink);
    reader.finish(sink);
    const { size } = statSync(path);
    options.onBytes?.(size);
    return { path, outcome: "read", agent: found.agent.name, bytes: size };
  } finally {
    database.close();
  }
};

const readDocument = (path: string, sink: ReadSink, options: ReadOptions): ReadReport => {
  const { size } = statSync(path);
  if (size > documentLimit) return { path, outcome: "unreadable", error: `a document of ${size} bytes` };
  const document = parseJson(readFileSync(path, "utf8"));
  const found = document === undefined ? undefined : identifyDocument(path, document, options.agent);
  if (found === undefined || document === undefined) return { path, outcome: "unknown" };
  found.transcript.read(document, sink, transcriptOptions(found.agent, path, options));
  options.onBytes?.(size);
  return { path, outcome: "read", agent: found.agent.name, bytes: size };
};
