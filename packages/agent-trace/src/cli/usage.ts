import { groupings, usageBy } from "../totals/summary.ts";
import { agentOption, chosenFiles, CliError, load, pricesOption, rulesOption, tellFaults } from "./load.ts";
import { dim, dollars, short, table, terminalWidth } from "./table.ts";

export interface UsageOptions {
  by: string;
  agent?: string;
  json?: boolean;
  prices?: string;
  rules?: string[];
}

/** `agent-trace usage`: tokens and cost by day, model, agent or project. */
export const usage = (paths: readonly string[], options: UsageOptions): number => {
  const grouping = groupings.find((each) => each === options.by);
  if (grouping === undefined) throw new CliError(`--by takes ${groupings.join(", ")}`, 2);
  const agent = agentOption(options.agent);
  const prices = pricesOption(options.prices);
  const { fold, reports } = load(chosenFiles(paths, agent), { agent, rules: rulesOption(options.rules) });
  const rows = usageBy(fold.sessions, grouping, prices);
  if (options.json === true) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else {
    const columns = [
      { title: grouping.toUpperCase(), wide: true },
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
      dim(`~ priced by ${prices.source} of ${prices.date}; ? a part is not known exactly\n`),
    );
  }
  return tellFaults(reports) > 0 && paths.length > 0 ? 1 : 0;
};

const add = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
