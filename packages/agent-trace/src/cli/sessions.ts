import { summaryOf, type SessionSummary } from "../totals/summary.ts";
import { agentOption, chosenFiles, load, pricesOption, rulesOption, tellFaults } from "./load.ts";
import { dim, dollars, short, table, terminalWidth } from "./table.ts";

export interface SessionsOptions {
  agent?: string;
  json?: boolean;
  limit?: string;
  prices?: string;
  rules?: string[];
  /** Show sub-agents' sessions too. */
  all?: boolean;
}

/** `agent-trace sessions`: what is on this machine, newest first. */
export const sessions = (paths: readonly string[], options: SessionsOptions): number => {
  const agent = agentOption(options.agent);
  const prices = pricesOption(options.prices);
  const { fold, reports } = load(chosenFiles(paths, agent), { agent, rules: rulesOption(options.rules) });
  const all = fold.sessions
    .filter((record) => record.session !== undefined)
    .filter((record) => options.all === true || record.session?.parentSessionId === undefined)
    .map((record) => summaryOf(record, prices))
    .sort((a, b) => ((a.endedAt ?? "") > (b.endedAt ?? "") ? -1 : 1));
  const shown = options.limit === undefined ? all : all.slice(0, Number(options.limit));
  if (options.json === true) for (const each of shown) process.stdout.write(`${JSON.stringify(each)}\n`);
  else printSessions(shown, all.length);
  return tellFaults(reports, paths) > 0 ? 1 : 0;
};

/** Characters that a shortened id has at least. */
const shortIdLength = 8;

/** Characters that two ids begin with alike. */
const alike = (id: string, other = ""): number => {
  let end = 0;
  while (end < id.length && id[end] === other[end]) end += 1;
  return end;
};

/** Each id as far as it differs from the others: what `show` can be given. */
const shortIds = (ids: readonly string[]): string[] => {
  const sorted = [...new Set(ids)].sort();
  const lengths = new Map(
    sorted.map((id, at) => {
      const shared = Math.max(alike(id, sorted[at - 1]), alike(id, sorted[at + 1]));
      return [id, Math.max(shortIdLength, shared + 1)];
    }),
  );
  return ids.map((id) => id.slice(0, lengths.get(id)));
};

/** Columns of a terminal from which on the model is shown. */
const wideEnough = 100;

const printSessions = (shown: readonly SessionSummary[], total: number): void => {
  if (total === 0) {
    process.stdout.write("No sessions found. `agent-trace doctor` shows where was looked.\n");
    return;
  }
  const ids = shortIds(shown.map(({ sessionId }) => sessionId));
  const rows = shown.map((each, index) => [
    when(each.endedAt),
    each.agent ?? "?",
    each.title ?? each.sessionId,
    (each.models[0] ?? "-").replace(/^claude-/, ""),
    short(each.calls),
    short(Object.values(each.errors).reduce((sum, n) => sum + n, 0)),
    `${short((each.tokens.input ?? 0) + (each.tokens.output ?? 0) + (each.tokens.cacheRead ?? 0) + (each.tokens.cacheWrite5m ?? 0) + (each.tokens.cacheWrite1h ?? 0))}${each.exact ? "" : "?"}`,
    dollars(each.costNanoUsd, each.costSource),
    ids[index] ?? each.sessionId,
  ]);
  const columns = [
    { title: "LAST", whole: true },
    { title: "AGENT", least: 8 },
    { title: "TITLE", wide: true },
    { title: "MODEL" },
    { title: "CALLS", right: true, whole: true },
    { title: "ERR", right: true, whole: true },
    { title: "TOKENS", right: true, whole: true },
    { title: "COST", right: true, whole: true },
    { title: "ID", whole: true },
  ];
  const width = terminalWidth();
  // On a narrow terminal the title is worth more than the model.
  const kept = columns
    .map((_, index) => index)
    .filter((index) => width >= wideEnough || columns[index]?.title !== "MODEL");
  const pick = <T>(cells: readonly T[]): T[] => kept.flatMap((index) => cells[index] ?? []);
  process.stdout.write(`${table(pick(columns), rows.map(pick), width)}\n`);
  if (shown.length < total) process.stdout.write(dim(`${shown.length} of ${total}; --limit shows more\n`));
};

/** `11-30 21:07`, in UTC like the record. */
const when = (at: string | undefined): string => (at === undefined ? "-" : at.slice(5, 16).replace("T", " "));
