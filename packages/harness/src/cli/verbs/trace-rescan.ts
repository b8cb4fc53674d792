import type { RescanReport } from "../../protocol/methods.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";

/** Masks what is on record under the current rules, through the daemon or, when there is none, by itself. */
export const traceRescan = async (context: Context, check: boolean): Promise<number> => {
  const { out } = context;
  const report = await askOr(
    context,
    (client) => client.call("rescan", { check }),
    () =>
      context.rescan(
        { config: context.config, stateDir: context.paths.dir, home: context.home, cwd: context.cwd },
        check,
      ),
  );
  if (context.json) writeJson(out, report);
  else for (const line of linesOf(report)) out.write(`${line}\n`);
  return check && report.stale.length > 0 ? 1 : 0;
};

const linesOf = ({ ruleSet, current, open, stale, rescanned }: RescanReport): string[] => {
  const runs = (count: number): string => `${count} ${count === 1 ? "run" : "runs"}`;
  const later = open > 0 ? [`${runs(open)} still on: their turn comes when they have ended`] : [];
  if (rescanned === undefined) {
    return [
      `rules ${ruleSet}: ${runs(current)} masked under them, ${stale.length} under others`,
      ...stale.map(({ harness, runId, ruleSet: old }) => `  ${harness} run ${runId}: ${old ?? "not known"}`),
      ...later,
    ];
  }
  return [
    `rules ${ruleSet}: ${runs(rescanned.runs)} looked at again; masked in ${rescanned.rows} rows and ${rescanned.lines} lines`,
    ...(rescanned.compactionDue
      ? ["old bytes may be left in the store: a reader was in the way; run it again"]
      : []),
    ...later,
  ];
};
