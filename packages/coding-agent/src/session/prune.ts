import { dirname, join } from "node:path";
import type { FileSystemCapability } from "../capabilities/types.ts";
import { requestRecords, withoutStoredBodies } from "../record/entries.ts";
import { linesOf } from "./lines.ts";
import { readEntry } from "./parse.ts";

export interface Pruned {
  /** Records whose bodies were dropped. */
  records: number;
  bytesBefore: number;
  bytesAfter: number;
}

/** A record without its body, and the file its body lies in. Undefined where there is nothing to drop. */
const slimmed = (line: string): { line: string; file?: string } | undefined => {
  const entry = line.startsWith('{"type":"custom"') ? readEntry(line) : undefined;
  if (entry === undefined) return undefined;
  const shorter = JSON.stringify(withoutStoredBodies(entry));
  if (shorter.length >= line.length) return undefined;
  const file = requestRecords([entry])[0]?.bodyPath;
  return { line: shorter, ...(file === undefined ? {} : { file }) };
};

/**
 * Drops the bodies of requests and responses from a session file and keeps their hashes; the rest of the file stays as
 * it is, byte for byte. The file is replaced whole or not at all. Not for a session that is being worked on.
 */
export const pruneSession = async (fs: FileSystemCapability, path: string): Promise<Pruned> => {
  const next = `${path}.pruned`;
  const bytesBefore = (await fs.stat(path))?.size ?? 0;
  await fs.remove(next);
  let records = 0;
  const spilled: string[] = [];
  for await (const { text, ended } of linesOf(fs.readPieces(path))) {
    const slim = slimmed(text);
    if (slim !== undefined) records += 1;
    if (slim?.file !== undefined) spilled.push(slim.file);
    await fs.appendFile(next, (slim?.line ?? text) + (ended ? "\n" : ""), { mode: 0o600 });
  }
  await fs.appendFile(next, "", { sync: true });
  await fs.rename(next, path);
  // Only now: a record whose body is gone without the file saying so could not be told from a damaged one.
  for (const file of spilled) await fs.remove(join(dirname(path), file));
  return { records, bytesBefore, bytesAfter: (await fs.stat(path))?.size ?? 0 };
};
