import { type Grouping, usageBy } from "../totals/summary.ts";
import { agentOption, chosenFiles, load, pricesOption, rulesOption, tellFaults } from "./load.ts";
import { dim, dollars, short, table, terminalWidth } from "./table.ts";

export interface UsageOptions {
  by: Grouping;
  agent?: string;
  json?: boolean;
  prices?: string;
  rules?: string[];
}

/** `agent-trace usage`: tokens and cost by day, model, agent or project. */
export const usage = (paths: readonly string[], options: UsageOptions): number => {
  const agent = agentOption(options.agent);
  const prices = pricesOption(options.prices);
  const { fold, reports } = load(chosenFiles(paths, agent), { agent, rules: rulesOption(options.rules) });
  const rows = usageBy(fold.sessions, options.by, prices);
  if (options.json === true) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else {
    const columns = [
      { title: options.by.toUpperCase(), wide: true, tail: options.by === "project" },
      ...["RESPONSES", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "COST"].map((title) => ({
        title,
        right: true,
        whole: true,
      })),
    ];
    const cells = rows.map(({ group, responses, tokens, costNanoUsd, costSource, exact }) => [
      group,
      short(responses),
      short(tokens.input),
      `${short(tokens.output)}${exact ? "" : "?"}`,
      short(tokens.cacheRead),
      short(add(tokens.cacheWrite5m, tokens.cacheWrite1h)),
      dollars(costNanoUsd, costSource),
    ]);
    process.stdout.write(`${table(columns, cells, terminalWidth())}\n`);
    process.stdout.write(
      dim(`~ priced by ${prices.source} of ${prices.date}\n? a part is not known exactly\n`),
    );
  }
  return tellFaults(reports, paths) > 0 ? 1 : 0;
};

const add = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
