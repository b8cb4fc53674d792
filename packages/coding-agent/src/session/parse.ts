import { isObject, parseJson } from "../json.ts";
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from "./entry.ts";

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

const readEntry = (line: string): SessionEntry | undefined => {
  const entry = parseJson(line);
  if (!isObject(entry) || typeof entry["type"] !== "string" || typeof entry["id"] !== "string")
    return undefined;
  if (entry["parentId"] !== null && typeof entry["parentId"] !== "string") return undefined;
  // An entry of a type we do not know still carries the branch; whoever reads entries looks at `type` first.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return entry as unknown as SessionEntry;
};

/** Reads the text of a session file. */
export const parseSession = (text: string, path: string): ParsedSession => {
  const [first = "", ...rest] = text.split("\n");
  const lines = rest.filter((line) => line.trim() !== "");
  const entries = lines.map(readEntry).filter((entry) => entry !== undefined);
  return {
    header: readHeader(first, path),
    entries,
    unreadable: lines.length - entries.length,
    torn: !text.endsWith("\n"),
  };
};
