import { chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { HarnessError } from "../base/errors.ts";

/** Makes the state folder, or takes it over as it is, and closes it to everyone else. */
export const prepareStateFolder = (dir: string): void => {
  try {
    makeFolder(dir);
    chmodSync(dir, 0o700);
  } catch (error) {
    throw new HarnessError("store_failed", `The state folder ${dir} cannot be used: ${reason(error)}`, {
      hint: "name one that is yours and writable, with --state-dir or HARNESS_STATE_DIR",
      cause: error,
    });
  }
  if (process.getuid !== undefined && statSync(dir).uid !== process.getuid()) {
    throw new HarnessError("store_failed", `The state folder ${dir} belongs to another user.`, {
      hint: "name your own, with --state-dir or HARNESS_STATE_DIR",
    });
  }
};

/**
 * Makes the folder and those above it. Not by `recursive`: where a folder that exists takes no new one and says ENOENT,
 * as `/proc` does, Node tries for ever.
 */
const makeFolder = (dir: string): void => {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (hasCode(error, "EEXIST") && statSync(dir).isDirectory()) return;
    if (!hasCode(error, "ENOENT") || dirname(dir) === dir) throw error;
    makeFolder(dirname(dir));
    mkdirSync(dir, { mode: 0o700 });
  }
};

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
