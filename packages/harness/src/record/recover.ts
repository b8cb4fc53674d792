import type { RunIntake } from "./intake.ts";
import type { RunRecord, RunRef } from "../store/read.ts";
import type { Store } from "../store/store.ts";

/** Why an open run can not be adopted: its keeper is gone, or the daemon died before there was a process. */
export type LossCause = "keeper_gone" | "daemon_crash";

const REASONS: Readonly<Record<LossCause, string>> = {
  keeper_gone: "keeper_gone: the process that held the run is gone, and its last output and exit with it",
  daemon_crash: "daemon_crash: the daemon ended before the run had started",
};

/**
 * Closes an open run that nothing holds any more as `interrupted`, with what the store has of it. `at` is wall time in ms;
 * `intake` is the run's, where it had one: what was open in it is closed first, calls as unanswered.
 */
export const interruptRun = async (
  store: Store,
  ref: RunRef,
  cause: LossCause,
  at: number,
  intake?: RunIntake,
): Promise<RunRecord> => {
  const fold = await intake?.finish({ code: null, signal: null, at });
  const {
    verdict: _,
    raw,
    ...totals
  } = fold ?? { verdict: undefined, raw: undefined, ...store.read.totals(ref) };
  return store.ledger.close(ref, {
    outcome: "interrupted",
    reason: REASONS[cause],
    endedAt: at,
    totals,
    ...(raw === undefined ? {} : { raw }),
  });
};
