import type { RunRecord, RunRef } from "../store/read.ts";
import type { Store } from "../store/store.ts";
import type { Bus } from "./bus.ts";
import type { ProcessEnd, RunFold } from "./intake.ts";
import { ledgerOutcome } from "./verdict.ts";

/**
 * Closes the run's ledger row with what its intake came to, on disk before it returns, and tells the bus. `durationMs` is
 * measured by a monotonic clock, where one saw the whole run.
 */
export const closeRun = (
  deps: { store: Store; bus: Bus },
  run: RunRef,
  end: ProcessEnd & { durationMs?: number },
  fold: RunFold,
): RunRecord => {
  const { verdict, raw, ...totals } = fold;
  const record = deps.store.ledger.close(run, {
    outcome: ledgerOutcome(verdict),
    reason: verdict.reason,
    ...(end.code === null ? {} : { exitCode: end.code }),
    ...(end.signal === null ? {} : { signal: end.signal }),
    ...(end.durationMs === undefined ? {} : { durationMs: end.durationMs }),
    ...(raw === undefined ? {} : { raw }),
    endedAt: end.at,
    totals,
  });
  deps.bus.publish([{ type: "end", run }]);
  return record;
};
