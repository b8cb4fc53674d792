import { HarnessError } from "../base/errors.ts";

/** SQLite's primary result codes that an operator can do something about. */
const HINTS: Readonly<Record<number, string>> = {
  5: "Another program holds the store; end it and try again.",
  8: "Make the state folder and its files writable for this user.",
  10: "Check the disk that holds the state folder.",
  11: "The file is damaged: move it aside and restore a backup.",
  13: "The disk is full: free some space; nothing that was acknowledged is lost.",
  14: "Check that the state folder exists and that this user may read it.",
  26: "The file is no store of this program: move it aside.",
};

const primaryCode = (error: Error): number | undefined =>
  "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;

/** A failure of SQLite as one the operator can act on; anything else stays as it is. */
export const storeError = (error: unknown): unknown => {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_SQLITE_ERROR") return error;
  const code = primaryCode(error);
  const hint = code === undefined ? undefined : HINTS[code];
  return new HarnessError("store_failed", `The store cannot be used: ${error.message}.`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
};
