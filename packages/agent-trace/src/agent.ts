import type { DatabaseSync } from "node:sqlite";
import type { AgentName, TraceItemType } from "./item.ts";
import type { JsonValue, LineReader, ReaderOptions, ReadSink } from "./reader.ts";

/**
 * One agent: where its records lie, how they are read, and which of its two sources settles what. An agent is one folder
 * under `agents/` and one line in `agents/registry.ts`; nothing else knows its format.
 */
export interface Agent {
  name: AgentName;
  /** The structured output of its prompt command; absent where it has none. */
  stream?: StreamFormat;
  transcript?: TranscriptFormat;
  /** A second form that holds whole sessions, such as an export. */
  document?: DocumentTranscript;
  /**
   * Which source is the truth for each item type when a run has both. The other source only patches `session`; its
   * remaining items are at most shown live (`held`).
   */
  settles: Record<TraceItemType, SourceName>;
  /** Item types whose keys are equal in both sources, so that one can take over from the other key by key. */
  sharedKeys: readonly TraceItemType[];
  /**
   * Positions (dotted key paths in a line, `*` for any index or key) that hold ids. The redactor masks only known values
   * and shapes with a proving prefix there, lest two ids become one.
   */
  idPaths: readonly string[];
}

export type SourceName = "stream" | "transcript";

export interface StreamFormat {
  /** The name a harness kind declares, such as `stream-json`. */
  format: string;
  /** Whether a line looks like this agent's stream; used by `--agent auto` on the first lines only. */
  detect(line: string): boolean;
  reader(options: ReaderOptions): LineReader;
}

export type TranscriptFormat = JsonlTranscript | DocumentTranscript | DatabaseTranscript;

/** The environment that decides where an agent keeps its records. */
export interface LocateContext {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** Text of a small file, or undefined when there is none: an agent may keep a list of where its records lie. */
  read?(path: string): string | undefined;
}

interface TranscriptBase {
  /** Folders and database files that may hold sessions, most specific first; they need not exist. */
  locate(context: LocateContext): string[];
}

/** A tree of files with one JSON record a line, appended to while the agent runs. */
export interface JsonlTranscript extends TranscriptBase {
  kind: "jsonl";
  /** Lines that begin with one of these carry nothing, and are passed over without being decoded. */
  skip?: readonly string[];
  /** Whether the path (absolute) names a session's file, by its name alone. */
  isSessionFile(path: string): boolean;
  /** Whether the first lines are this agent's; used where the path does not tell. */
  detect(lines: readonly string[]): boolean;
  reader(options: TranscriptOptions): LineReader;
}

/** One JSON document per session, written whole. */
export interface DocumentTranscript extends TranscriptBase {
  kind: "document";
  isSessionFile(path: string): boolean;
  detect(document: JsonValue): boolean;
  /** Reads a document as it stands in the file: what is given out is masked with `options.mask`. */
  read(document: JsonValue, sink: ReadSink, options: TranscriptOptions): void;
}

/** A SQLite database with many sessions, opened read-only while the agent writes it. */
export interface DatabaseTranscript extends TranscriptBase {
  kind: "sqlite";
  isSessionFile(path: string): boolean;
  detect(database: DatabaseSync): boolean;
  reader(database: DatabaseSync, options: TranscriptOptions): DatabaseReader;
}

export interface TranscriptOptions extends ReaderOptions {
  /** Absolute path of the file being read. */
  path: string;
  /** Text of a file beside it (an index, a `.meta.json`), or undefined when there is none. */
  sibling(path: string): string | undefined;
  /** Masks a string that did not come in as a masked line: a row of a database, a sibling's text. */
  mask(text: string): string;
}

/** Reads rows that are new or changed since the last poll. */
export interface DatabaseReader {
  poll(sink: ReadSink): void;
  finish(sink: ReadSink): void;
  state(): JsonValue;
}
