import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import type { RawRecord } from "../store/seal.ts";

/** The pointer to a file as it is now; `undefined` when it cannot be read. */
export const rawRecord = async (path: string): Promise<RawRecord | undefined> => {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    // A device has no end.
    if (!statSync(path).isFile()) return undefined;
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch {
    return undefined;
  }
  return { path, bytes, sha256: hash.digest("hex") };
};
