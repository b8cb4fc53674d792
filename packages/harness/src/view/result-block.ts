import type { ResultItem } from "@orphus/agent-trace/item";
import type { RunRow } from "../protocol/methods.ts";
import { duration, exactUsd, grouped } from "./amounts.ts";
import { LABEL_WIDTH, paint, type ViewStyle } from "./style.ts";
import { oneLine, padEnd, wrap } from "./text.ts";

/** An agent counts a result's own turns; of several the last one says how many there are. */
const turnWords = (results: readonly ResultItem[]): string => {
  const turns = results.at(-1)?.turns;
  if (turns === undefined) return "not known";
  return results.length === 1 ? grouped(turns) : `${grouped(turns)} (the last of ${results.length} results)`;
};

/** What a run came to, under its log. `results` are the run's, oldest first. */
export const resultBlock = (run: RunRow, results: readonly ResultItem[], style: ViewStyle): string[] => {
  const result = results.at(-1);
  const took = run.durationMs ?? result?.durationMs;
  const exit = run.exitCode === undefined ? (run.signal ?? "") : `exit ${run.exitCode}`;
  const rows: [string, string][] = [
    ["outcome", `${run.outcome}  ${oneLine(run.reason ?? exit)}`.trimEnd()],
    ["turns", turnWords(results)],
    ["duration", took === undefined ? "not known" : duration(took)],
    ["tokens", runTokens(run)],
    [
      "cost",
      run.costNanoUsd === undefined ? "not known" : `${exactUsd(run.costNanoUsd)} (${run.costSource})`,
    ],
    ["calls", `${grouped(run.toolCalls)}${run.toolErrors > 0 ? `, ${grouped(run.toolErrors)} failed` : ""}`],
    ...(result?.text === undefined ? [] : [["said", oneLine(result.text)] satisfies [string, string]]),
  ];
  const tone = run.outcome === "success" ? "green" : "red";
  return [
    "",
    ...rows.flatMap(([label, text], index) => {
      const lines = labelled(label, text, style);
      return index === 0 ? lines.map((line) => paint(style, tone, line)) : lines;
    }),
  ];
};

/** A label with its text beside it, on as many lines as it takes. */
export const labelled = (label: string, text: string, style: ViewStyle): string[] => {
  const indent = LABEL_WIDTH + 2;
  const lines = style.width > 0 ? wrap(text, Math.max(1, style.width - indent)) : [text];
  return lines.map((line, at) => `${padEnd(at === 0 ? label : "", indent)}${line}`);
};

/** The counts of a run, or that they are not known. */
const runTokens = ({ tokens }: RunRow): string => {
  const counts: [string, number | undefined][] = [
    ["in", tokens.input],
    ["out", tokens.output],
    ["cache-read", tokens.cacheRead],
    ["cache-write", tokens.cacheWrite],
  ];
  const known = counts.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${grouped(value)}`]));
  return known.length === 0 ? "not known" : known.join("  ");
};
