import { chmodSync, mkdirSync, statSync } from "node:fs";
import { HarnessError } from "../base/errors.ts";

/** Makes the state folder, or takes it over as it is, and closes it to everyone else. */
export const prepareStateFolder = (dir: string): void => {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
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

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
