import type { ErrorShape, RunRow } from "../protocol/methods.ts";
import type { Context } from "./context.ts";
import { exitCodeOf, outcomeCell, runEnd, runTitle } from "./outcome.ts";
import { writeJson } from "./output.ts";
import { showProblem } from "./problem.ts";
import { styled } from "./style.ts";

/** Prints one line on a run that was started or waited for, and why where it did not go well; the exit code. */
export const settle = (context: Context, run: RunRow): number => {
  const { out, err } = context;
  const exitCode = exitCodeOf(run);
  if (context.json) {
    writeJson(out, run);
    return exitCode;
  }
  if (run.outcome === "running") {
    out.write(`${styled(out, "busy", "●")} ${runTitle(run)} → running\n`);
    return exitCode;
  }
  out.write(`${runTitle(run)} → ${styled(out, outcomeCell(run.outcome).role, runEnd(run))}\n`);
  if (run.outcome !== "success") showProblem(err, whyNot(run));
  return exitCode;
};

/** In the ledger's words, which were masked when they were written. */
const whyNot = (run: RunRow): ErrorShape => ({
  error: {
    code: "internal",
    message: `${runTitle(run)}: ${run.reason ?? outcomeCell(run.outcome).text}`,
    hint:
      run.outcome === "skipped"
        ? `see what is on: harness runs ${run.harness}`
        : `see what it did: harness logs ${run.harness} --run ${run.runId}`,
  },
});
