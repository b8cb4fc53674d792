import { isObject, parseJson } from "../json.ts";
import { withoutBodies } from "../record/entries.ts";
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from "./entry.ts";
import { linesOf, linesWithoutBodies } from "./lines.ts";

/** What a session file holds. */
export interface ParsedSession {
  header: SessionHeader;
  entries: SessionEntry[];
  /** Lines that were no entry, such as one torn by a crash. They are passed over. */
  unreadable: number;
  /** The last line has no line end, so the next must not be joined to it. */
  torn: boolean;
}

/** A file that is no session of ours; the message says what to do. */
export class NotASessionError extends Error {
  override name = "NotASessionError";
}

const readHeader = (line: string, path: string): SessionHeader => {
  const header = parseJson(line);
  if (!isObject(header) || header["type"] !== "session" || typeof header["id"] !== "string")
    throw new NotASessionError(
      `${path} is not a session: its first line is no session header. Name a file made by orphus.`,
    );
  if (header["version"] !== SESSION_VERSION)
    throw new NotASessionError(
      `${path} is a session of version ${JSON.stringify(header["version"])}; this orphus reads version ${SESSION_VERSION}.`,
    );
  // The marks of our own format were checked; fields are added to it and never changed.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return header as unknown as SessionHeader;
};

/** One line as an entry; undefined when it is none. */
export const readEntry = (line: string): SessionEntry | undefined => {
  const entry = parseJson(line);
  if (!isObject(entry) || typeof entry["type"] !== "string" || typeof entry["id"] !== "string")
    return undefined;
  if (entry["parentId"] !== null && typeof entry["parentId"] !== "string") return undefined;
  // An entry of a type we do not know still carries the branch; whoever reads entries looks at `type` first.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return entry as unknown as SessionEntry;
};

/**
 * Reads a session file line by line. Bodies of requests and responses, which are most of a file, are passed over unless
 * `keepBodies` is set, so that a file may be larger than what fits in memory. Of two entries with one id the first counts.
 */
export const parseSession = async (
  pieces: AsyncIterable<string>,
  path: string,
  keepBodies: boolean,
): Promise<ParsedSession> => {
  let header: SessionHeader | undefined;
  const entries = new Map<string, SessionEntry>();
  let unreadable = 0;
  let torn = false;
  for await (const { text, ended } of keepBodies ? linesOf(pieces) : linesWithoutBodies(pieces)) {
    torn = !ended;
    if (header === undefined) header = readHeader(text, path);
    else if (text.trim() !== "") {
      const entry = readEntry(text);
      if (entry === undefined || entries.has(entry.id)) unreadable += 1;
      else entries.set(entry.id, keepBodies ? entry : withoutBodies(entry));
    }
  }
  return { header: header ?? readHeader("", path), entries: [...entries.values()], unreadable, torn };
};
