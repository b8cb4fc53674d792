import { closeSync, openSync, readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Agent, DatabaseTranscript, DocumentTranscript, JsonlTranscript } from "../agent.ts";
import { agents } from "../agents/registry.ts";
import type { AgentName } from "../item.ts";
import { spreadOpening } from "../json-lines.ts";
import { parseJson } from "../jsonline.ts";
import type { JsonValue } from "../reader.ts";

/** Whose a file is, and how it is to be read. */
export type Identified =
  | { agent: Agent; kind: "jsonl"; transcript: JsonlTranscript }
  | { agent: Agent; kind: "sqlite"; transcript: DatabaseTranscript }
  | { agent: Agent; kind: "document"; transcript: DocumentTranscript }
  /** A captured stream. */
  | { agent: Agent; kind: "stream" };

/** Bytes at the beginning of a file that tell whose it is. */
const headBytes = 256 * 1024;
const headLines = 50;
const sqliteMagic = "SQLite format 3\0";

/** The first bytes of a file. Throws what the file system throws. */
export const readHead = (path: string, bytes: number = headBytes): Buffer => {
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(descriptor, head, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
};

export const isSqlite = (head: Buffer): boolean =>
  head.toString("latin1", 0, sqliteMagic.length) === sqliteMagic;

/** Agents to ask: the named one alone, else those first that know the file by its name. */
const candidates = (path: string, named: AgentName | undefined): Agent[] => {
  if (named !== undefined) return agents.filter(({ name }) => name === named);
  const knows = (agent: Agent): boolean => agent.transcript?.isSessionFile(path) === true;
  return [...agents.filter(knows), ...agents.filter((agent) => !knows(agent))];
};

/** A file of lines, by its first lines. A pretty-printed file is known by its name alone. */
export const identifyLines = (path: string, head: Buffer, named?: AgentName): Identified | undefined => {
  const lines = head.toString("utf8").split("\n").slice(0, headLines);
  const asked = candidates(path, named);
  for (const agent of asked) {
    const { transcript } = agent;
    if (transcript?.kind === "jsonl" && transcript.detect(lines)) return { agent, kind: "jsonl", transcript };
  }
  // Line by line: a later line may look like another agent's, the first one that tells decides.
  for (const line of lines) {
    const agent = asked.find(({ stream }) => stream?.detect(line) === true);
    if (agent !== undefined) return { agent, kind: "stream" };
  }
  // A log with other text around the agent's lines.
  for (const record of recordsInLog(head.toString("utf8").split("\n"))) {
    const agent = asked.find(({ stream }) => stream?.detect(record) === true);
    if (agent !== undefined) return { agent, kind: "stream" };
  }
  const [agent] = asked;
  const known = agent?.transcript;
  const isSpread = /^\s*\{\s*$/.test(lines[0] ?? "");
  return known?.kind === "jsonl" &&
    agent !== undefined &&
    (isSpread || named !== undefined) &&
    known.isSessionFile(path)
    ? { agent, kind: "jsonl", transcript: known }
    : undefined;
};

/** What may be records in a log: what stands behind a line's prefix, and objects that are spread over several lines. */
function* recordsInLog(lines: readonly string[]): Generator<string> {
  let spread: string | undefined;
  for (const line of lines) {
    if (spreadOpening(line) !== undefined) spread = "{";
    else if (spread !== undefined && /^\}\s*$/.test(line)) {
      yield JSON.stringify(parseJson(`${spread}}`) ?? null);
      spread = undefined;
    } else if (spread !== undefined) spread += line;
    const open = line.indexOf('{"');
    if (open > 0) yield line.slice(open);
  }
}

export const identifyDatabase = (
  path: string,
  database: DatabaseSync,
  named?: AgentName,
): Extract<Identified, { kind: "sqlite" }> | undefined => {
  for (const agent of candidates(path, named)) {
    const { transcript } = agent;
    if (transcript?.kind === "sqlite" && transcript.detect(database))
      return { agent, kind: "sqlite", transcript };
  }
  return undefined;
};

export const identifyDocument = (
  path: string,
  document: JsonValue,
  named?: AgentName,
): Extract<Identified, { kind: "document" }> | undefined => {
  for (const agent of candidates(path, named)) {
    for (const form of [agent.transcript, agent.document]) {
      if (form?.kind === "document" && form.detect(document))
        return { agent, kind: "document", transcript: form };
    }
  }
  return undefined;
};
