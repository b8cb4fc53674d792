import type { Evidence } from "../store/evidence.ts";
import type { RunOutcome } from "../store/read.ts";
import type { ProcessEnd, Verdict } from "./intake.ts";

/**
 * The process is one witness, what the agent says is another: the verdict takes both, and says in words what decided.
 * The words name classes and counts, never content.
 */
export const judge = (end: ProcessEnd, evidence: Evidence): Verdict => {
  if (end.stoppedBy !== undefined) return STOPPED[end.stoppedBy];
  if (end.signal !== null)
    return { outcome: "failed", reason: `ended by ${end.signal}, which was not sent by the daemon` };
  if (end.code === null) return { outcome: "interrupted", reason: "the exit status is not known" };
  if (end.code !== 0) return exitedWithError(end.code, evidence);
  return exitedWell(evidence);
};

const STOPPED: Readonly<Record<NonNullable<ProcessEnd["stoppedBy"]>, Verdict>> = {
  timeout: { outcome: "timed_out", reason: "stopped at its time limit" },
  operator: { outcome: "cancelled", reason: "stopped by the operator" },
  replace: { outcome: "replaced", reason: "stopped for the next run of the same harness" },
  shutdown: { outcome: "interrupted", reason: "stopped with the daemon" },
};

const exitedWithError = (code: number, evidence: Evidence): Verdict => {
  const exit = `exit ${code}`;
  if (wasInterrupted(evidence))
    return { outcome: "interrupted", reason: `${exit}: the agent was interrupted` };
  if (evidence.result?.isError === false) {
    return { outcome: "claimed_success", reason: `${exit} after the agent reported success` };
  }
  const cause = causeOf(evidence);
  if (cause !== undefined)
    return { outcome: "failed", reason: `${exit}; the agent reported an error: ${cause}` };
  if (evidence.traceMissing) return { outcome: "failed", reason: `${exit} before any session was announced` };
  return { outcome: "failed", reason: `${exit}, and the agent gave no result` };
};

const exitedWell = (evidence: Evidence): Verdict => {
  const { result, unanswered, openSubagents } = evidence;
  if (evidence.traceMissing) {
    return {
      outcome: "claimed_success",
      reason: "exit 0, but no session was announced: there is no trace of any work",
    };
  }
  if (wasInterrupted(evidence))
    return { outcome: "interrupted", reason: "exit 0, but the agent was interrupted" };
  if (result === undefined)
    return { outcome: "claimed_success", reason: "exit 0, but the agent gave no result" };
  if (result.isError) {
    return {
      outcome: "failed",
      reason: `exit 0, but the agent reported an error: ${causeOf(evidence) ?? UNKNOWN_CLASS}`,
    };
  }
  const open = [
    ...(unanswered > 0 ? [plural(unanswered, "call has no result", "calls have no result")] : []),
    ...(openSubagents > 0 ? [plural(openSubagents, "sub-agent did not end", "sub-agents did not end")] : []),
  ];
  if (open.length > 0) {
    return { outcome: "claimed_success", reason: `the agent reported success, but ${open.join(" and ")}` };
  }
  return { outcome: "succeeded", reason: "exit 0, and the agent reported success" };
};

/** An interruption that the agent went on from ends in a result like any other turn; one that ended it may be a result. */
const wasInterrupted = ({ interrupted, result }: Evidence): boolean =>
  interrupted && (result === undefined || result.errorKind === "interrupted");

const UNKNOWN_CLASS = "of no known class";

const causeOf = ({ result, lastError }: Evidence): string | undefined => {
  const cause = result?.errorClass === undefined ? lastError : result;
  if (cause?.errorClass === undefined) return result?.isError === true ? UNKNOWN_CLASS : undefined;
  const kind = cause.errorKind === undefined ? "" : ` (${cause.errorKind})`;
  return `${cause.errorClass}${kind}`;
};

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** The ledger's word for a verdict: a success that was only claimed is a failure. */
const LEDGER_OUTCOMES: Readonly<Record<Verdict["outcome"], Exclude<RunOutcome, "running">>> = {
  succeeded: "success",
  claimed_success: "failed",
  failed: "failed",
  timed_out: "timed_out",
  cancelled: "cancelled",
  replaced: "replaced",
  interrupted: "interrupted",
};

export const ledgerOutcome = (verdict: Verdict): Exclude<RunOutcome, "running"> =>
  LEDGER_OUTCOMES[verdict.outcome];
