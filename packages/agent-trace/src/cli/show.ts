import { plainText } from "../bounded-text.ts";
import type { MarkItem, ResultItem, ToolCallItem, UsageItem } from "../item.ts";
import { reconcile } from "../price/reconcile.ts";
import type { RecordFold, SessionRecord } from "../totals/fold.ts";
import { summaryOf } from "../totals/summary.ts";
import { agentOption, chosenFiles, CliError, load, pricesOption, rulesOption } from "./load.ts";
import { bold, cut, dim, dollars, short, terminalWidth, wrapped } from "./table.ts";

export interface ShowOptions {
  agent?: string;
  json?: boolean;
  prices?: string;
  rules?: string[];
}

/** The session whose id begins with the text. Throws a {@link CliError} when there is none, or more than one. */
export const sessionNamed = (fold: RecordFold, name: string): SessionRecord => {
  const found = fold.sessions.filter(({ sessionId }) => sessionId.startsWith(name));
  const exact = found.find(({ sessionId }) => sessionId === name);
  const roots = found.filter(({ session }) => session?.parentSessionId === undefined);
  const one = exact ?? (roots.length === 1 ? roots[0] : found.length === 1 ? found[0] : undefined);
  if (one !== undefined) return one;
  if (found.length === 0)
    throw new CliError(`no session begins with ${name}; \`agent-trace sessions\` lists them`, 1);
  throw new CliError(
    `several sessions begin with ${name}: ${found.map(({ sessionId }) => sessionId).join(", ")}`,
    1,
  );
};

/** `agent-trace show`: one session, thing by thing; with `--json` one item a line. */
export const show = (name: string, paths: readonly string[], options: ShowOptions): number => {
  const agent = agentOption(options.agent);
  const prices = pricesOption(options.prices);
  const { fold } = load(chosenFiles(paths, agent), { agent, rules: rulesOption(options.rules) });
  const record = sessionNamed(fold, name);
  const entries = entriesOf(record);
  if (options.json === true) {
    for (const item of [record.session, ...entries])
      if (item !== undefined) process.stdout.write(`${JSON.stringify(item)}\n`);
    return 0;
  }
  const summary = summaryOf(record, prices);
  process.stdout.write(`${bold(cut(summary.title ?? record.sessionId, terminalWidth()))}\n`);
  const { agentVersion, cwd, gitBranch, models } = summary;
  const facts = [summary.agent, agentVersion, cwd, gitBranch, models.join(", ")];
  const told = facts.flatMap((fact) => (fact === undefined || fact === "" ? [] : [fact]));
  process.stdout.write(`${dim(wrapped(told, terminalWidth()))}\n\n`);
  for (const entry of entries) process.stdout.write(`${line(entry).slice(0, terminalWidth() + 20)}\n`);
  const { claimedNanoUsd, countedNanoUsd, rule } = reconcile(fold.family(record.sessionId), prices);
  const claimed =
    claimedNanoUsd === undefined ? "" : `, ${dollars(claimedNanoUsd, "recorded")} by the agent (${rule})`;
  process.stdout.write(
    `\n${summary.calls} calls, ${short(summary.tokens.output)} tokens out, ` +
      `${countedNanoUsd === undefined ? "cost unknown" : `${dollars(countedNanoUsd, summary.costSource)} counted`}${claimed}\n`,
  );
  return 0;
};

type Entry = ToolCallItem | MarkItem | UsageItem | ResultItem;

const entriesOf = (record: SessionRecord): Entry[] =>
  [
    ...record.calls.values(),
    ...record.marks.values(),
    ...record.usages.values(),
    ...record.results.values(),
  ].sort((a, b) =>
    a.at !== undefined && b.at !== undefined && a.at !== b.at ? (a.at < b.at ? -1 : 1) : a.seq - b.seq,
  );

const line = (entry: Entry): string => {
  const time = dim((entry.at ?? "").slice(11, 19).padEnd(8));
  const width = terminalWidth() - 9;
  const said = (text: string): string => {
    const flat = plainText(text).replaceAll(/\s+/g, " ");
    return flat.length > width ? `${flat.slice(0, width - 1)}…` : flat;
  };
  switch (entry.type) {
    case "tool_call": {
      const end = entry.outcome === "ok" ? "" : ` [${entry.errorKind ?? entry.outcome}]`;
      return `${time} ${entry.action.padEnd(6)} ${said(entry.summary).slice(0, width - end.length - 7)}${end}`;
    }
    case "mark":
      return `${time} ${said(`${entry.kind.padEnd(6)} ${entry.note ?? entry.novelty?.name ?? ""}`)}`;
    case "usage":
      return `${time} ${dim(said(`tokens ${short(entry.input)} in, ${short(entry.output)} out, ${short(entry.cacheRead)} cached${entry.exact ? "" : " (placeholder)"}`))}`;
    case "result":
    default:
      return `${time} ${said(`result ${entry.subtype ?? ""}${entry.isError ? " error" : ""} ${entry.text ?? ""}`)}`;
  }
};
