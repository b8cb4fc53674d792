import { join } from "node:path";
import type { ClockCapability, FileSystemCapability } from "../capabilities/types.ts";
import { withoutBodies } from "../record/entries.ts";
import { type RandomBytes, shortId } from "../ids.ts";
import type { EntryHead, SessionEntry, SessionHeader } from "./entry.ts";
import { parseSession } from "./parse.ts";
import { sessionFileName } from "./paths.ts";
import { isoTime } from "../time.ts";

/** An entry as it is handed in: its place in the tree and its time are given to it. */
export type NewEntry = SessionEntry extends infer Entry
  ? Entry extends EntryHead
    ? Omit<Entry, keyof EntryHead>
    : never
  : never;

/** A session's entries, in memory and (unless the session is kept in memory only) on disk. */
export interface SessionLog {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  /** The current position in the tree. */
  readonly leafId: string | null;
  /** Absolute; absent for a session in memory. */
  readonly path?: string;
  /** Folder of the session file, to which `bodyPath` of records is relative. */
  readonly dir?: string;
  /**
   * Adds an entry under the leaf and makes it the leaf. With `sync` it is on the disk when this returns. A failed write
   * leaves entries and leaf as they were.
   */
  append(entry: NewEntry, options?: { sync?: boolean }): Promise<SessionEntry>;
  /** The entries from the root to the leaf. */
  branch(): SessionEntry[];
  /** Goes to another entry (null: before the first); what is appended next branches off there. */
  moveTo(entryId: string | null): void;
}

export interface SessionLogWorld {
  clock: ClockCapability;
  fs: FileSystemCapability;
  random: RandomBytes;
  /** Holds what was sent and received in memory as well, where it is in the file. */
  keepBodies: boolean;
}

interface Backing {
  path: string;
  dir: string;
  /** Begin the next line on a new one: the last write was cut. */
  torn: boolean;
}

const createLog = (
  world: SessionLogWorld,
  header: SessionHeader,
  loaded: readonly SessionEntry[],
  backing: Backing | undefined,
): SessionLog => {
  const entries = [...loaded];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  let leafId = entries.at(-1)?.id ?? null;
  let queue: Promise<unknown> = Promise.resolve();

  /** The branch, once someone has asked for it: it is asked for many times a turn. */
  let current: SessionEntry[] | undefined;

  const walk = (): SessionEntry[] => {
    const seen = new Set<SessionEntry>();
    for (let at = leafId; at !== null;) {
      const entry = byId.get(at);
      // A parent that a crash took away ends the branch, as does a loop in a file that someone edited.
      if (entry === undefined || seen.has(entry)) break;
      seen.add(entry);
      at = entry.parentId;
    }
    return [...seen].toReversed();
  };

  const write = async (line: string, sync: boolean): Promise<void> => {
    if (backing === undefined) return;
    const text = `${backing.torn ? "\n" : ""}${line}\n`;
    backing.torn = true;
    await world.fs.appendFile(backing.path, text, { mode: 0o600, sync });
    backing.torn = false;
  };

  const add = async (entry: NewEntry, sync: boolean): Promise<SessionEntry> => {
    const { type, ...rest } = entry;
    const head: EntryHead = {
      id: shortId(world.random, (id) => byId.has(id)),
      parentId: leafId,
      timestamp: isoTime(world.clock.now()),
    };
    // Taking an entry's head off and putting one on gives the entry; TypeScript loses that in a union.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    const complete = { type, ...head, ...rest } as SessionEntry;
    await write(JSON.stringify(complete), sync);
    const kept = backing === undefined || world.keepBodies ? complete : withoutBodies(complete);
    entries.push(kept);
    byId.set(kept.id, kept);
    current?.push(kept);
    leafId = kept.id;
    return complete;
  };

  return {
    header,
    entries,
    get leafId() {
      return leafId;
    },
    ...(backing === undefined ? {} : { path: backing.path, dir: backing.dir }),
    append(entry, options = {}) {
      const added = queue.then(() => add(entry, options.sync ?? false));
      queue = added.catch(() => undefined);
      return added;
    },
    branch() {
      current ??= walk();
      return [...current];
    },
    moveTo(entryId) {
      if (entryId !== null && !byId.has(entryId)) throw new Error(`The session has no entry ${entryId}.`);
      leafId = entryId;
      current = undefined;
    },
  };
};

/** Begins a session, with a history if one is given: with a folder, both are on the disk when this returns. */
export const createSessionLog = async (
  world: SessionLogWorld,
  header: SessionHeader,
  dir: string | undefined,
  history: readonly SessionEntry[] = [],
): Promise<SessionLog> => {
  if (dir === undefined) return createLog(world, header, history, undefined);
  await world.fs.mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, sessionFileName(header));
  const lines = [header, ...history].map((line) => `${JSON.stringify(line)}\n`);
  await world.fs.appendFile(path, lines.join(""), { mode: 0o600, sync: true });
  return createLog(world, header, history, { path, dir, torn: false });
};

/** Goes on with the session in a file. Throws {@link NotASessionError} for another kind of file. */
export const openSessionLog = async (world: SessionLogWorld, path: string): Promise<SessionLog> => {
  const { header, entries, torn } = await parseSession(world.fs.readPieces(path), path, world.keepBodies);
  return createLog(world, header, entries, { path, dir: join(path, ".."), torn });
};
