import type { ResultItem } from "@orphus/agent-trace/item";
import type { LogEntry, LogPage, RunRow } from "../protocol/methods.ts";
import { duration, exactUsd, grouped } from "./amounts.ts";
import { entryText, type EntryText } from "./entry.ts";
import { localTime, paint, type ViewStyle } from "./style.ts";
import { clip, oneLine, padEnd, width, wrap } from "./text.ts";

const LABEL_WIDTH = 8;

/**
 * Writes a run's record as lines, page after page: a header before the first, one line for each entry, and when the run
 * has ended a result block. The only renderer there is: `logs`, `attach` and the terminal UI show what it gives.
 */
export interface LogRenderer {
  page(page: LogPage): string[];
}

export const createLogRenderer = (style: ViewStyle): LogRenderer => {
  const clock = localTime(style);
  let begun = false;
  let ended = false;
  let result: ResultItem | undefined;
  const notices = new Set<string>();

  const fit = (line: string): string => (style.width > 0 ? clip(line, style.width) : line);

  const header = (run: RunRow): string[] => {
    const title = `${run.harness} run ${run.runId}, ${run.agent}, ${run.trigger}, started ${clock.date(run.startedAt)}`;
    return [paint(style, "bold", fit(oneLine(title)))];
  };

  const entryLine = (entry: LogEntry): string => {
    const text = entryText(entry);
    const head = `${clock.time(timeOf(entry))}  ${padEnd(text.label, LABEL_WIDTH)} `;
    const room = style.width > 0 ? style.width - width(head) : Number.POSITIVE_INFINITY;
    const outcome = clip(text.outcome, room);
    const detail = clip(text.detail, Math.max(0, room - (outcome === "" ? 0 : width(outcome) + 2)));
    const gap =
      outcome === "" ? "" : style.width > 0 ? " ".repeat(room - width(detail) - width(outcome)) : "  ";
    return `${paint(style, "dim", head)}${tinted(style, text.tone, detail, gap, outcome)}`.trimEnd();
  };

  const newNotices = (page: LogPage): string[] => {
    const fresh = page.notices.filter((notice) => !notices.has(notice));
    for (const notice of fresh) notices.add(notice);
    return fresh.flatMap((notice) =>
      labelled("note", oneLine(notice), style).map((line) => paint(style, "yellow", line)),
    );
  };

  return {
    page(page) {
      const lines = begun ? [] : header(page.run);
      begun = true;
      const entries = [...page.entries].sort(byTime);
      result = lastResult(entries) ?? result;
      lines.push(...entries.map(entryLine), ...newNotices(page));
      if (page.complete && !ended) {
        ended = true;
        lines.push(...resultBlock(page.run, result, style));
      }
      return lines;
    },
  };
};

const timeOf = (entry: LogEntry): string | undefined =>
  entry.type === "item" ? (entry.item.at ?? entry.at) : entry.at;

/** By time, then by the order of starts; what became known first goes first where neither tells. */
const byTime = (a: LogEntry, b: LogEntry): number => {
  const times = Date.parse(timeOf(a) ?? "") - Date.parse(timeOf(b) ?? "");
  if (!Number.isNaN(times) && times !== 0) return times;
  if (a.type === "item" && b.type === "item" && a.item.seq !== b.item.seq) return a.item.seq - b.item.seq;
  return a.change - b.change;
};

const lastResult = (entries: readonly LogEntry[]): ResultItem | undefined =>
  entries
    .flatMap((entry) => (entry.type === "item" && entry.item.type === "result" ? [entry.item] : []))
    .at(-1);

const TONES = { good: "green", bad: "red", warning: "yellow", quiet: "dim" } as const;

const tinted = (
  style: ViewStyle,
  tone: EntryText["tone"],
  detail: string,
  gap: string,
  outcome: string,
): string => {
  if (tone === "plain") return `${detail}${gap}${outcome}`;
  if (tone === "good") return `${detail}${gap}${paint(style, TONES.good, outcome)}`;
  return paint(style, TONES[tone], `${detail}${gap}${outcome}`);
};

const resultBlock = (run: RunRow, result: ResultItem | undefined, style: ViewStyle): string[] => {
  const took = run.durationMs ?? result?.durationMs;
  const exit = run.exitCode === undefined ? (run.signal ?? "") : `exit ${run.exitCode}`;
  const rows: [string, string][] = [
    ["outcome", `${run.outcome}  ${oneLine(run.reason ?? exit)}`.trimEnd()],
    ["turns", result?.turns === undefined ? "not known" : grouped(result.turns)],
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
const labelled = (label: string, text: string, style: ViewStyle): string[] => {
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
