import { createRedactor } from "@orphus/agent-trace/redact";
import { ruleSetOf } from "../base/mask.ts";
import type { RescanReport } from "../protocol/methods.ts";
import { rescan, type RescanDeps } from "../record/rescan.ts";

/** What is masked under other rules than the current ones; unless it is only looked, it is masked anew. */
export const runRescan = async (deps: RescanDeps, check: boolean): Promise<RescanReport> => {
  const ruleSet = ruleSetOf(createRedactor({ rules: deps.rules }));
  const { stale, current, open } = deps.store.rescans.look(ruleSet);
  const looked = { ruleSet, current, open, stale };
  if (check) return looked;
  return { ...looked, rescanned: await rescan(deps, ruleSet) };
};

/** Each begins when the one before has ended, whatever became of it. */
export const oneAtATime = <Input, Output>(
  work: (input: Input) => Promise<Output>,
): ((input: Input) => Promise<Output>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const next = last.then(() => work(input));
    last = next.catch(() => undefined);
    return next;
  };
};
