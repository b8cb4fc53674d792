import type { Output, Run } from "../run/run.ts";

/**
 * Where runs are kept. One interface for every database; `testing/contract.ts` is the suite each has to pass.
 * Every method but `close` fails with {@link StoreError} when the database cannot do what it was asked.
 */
export interface TraceStore {
  /** Stores a whole run or nothing of it. Every output must have its bytes. */
  createRun(run: Run): Promise<void>;
  /** A run that has not expired by `now`; outputs above the inline limit come without their bytes. */
  run(id: string, now: Date): Promise<Run | undefined>;
  /** The output of one span of a run that has not expired by `now`, with its bytes. */
  output(runId: string, spanId: string, now: Date): Promise<Required<Output> | undefined>;
  /** Deletes what has expired by `now`, and says how many runs that were. */
  deleteExpired(now: Date): Promise<number>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** The store could not be read or written; nothing of what was asked has been kept. */
export class StoreError extends Error {
  /** `full`: there is no room. `unavailable`: anything else. */
  readonly reason: "full" | "unavailable";

  constructor(reason: "full" | "unavailable", message: string, cause: unknown) {
    super(message, { cause });
    this.name = "StoreError";
    this.reason = reason;
  }
}
