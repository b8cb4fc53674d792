import type { ResultItem } from "@orphus/agent-trace/item";
import type { LogEntry, LogPage, RunRow } from "../protocol/methods.ts";
import { entryText, type EntryText } from "./entry.ts";
import { inOrder } from "./order.ts";
import { labelled, resultBlock } from "./result-block.ts";
import { LABEL_WIDTH, localTime, paint, type ViewStyle } from "./style.ts";
import { clip, oneLine, padEnd, width } from "./text.ts";

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
  const results = new Map<string, ResultItem>();
  const notices = new Set<string>();
  const sessions = new Map<string, string>();

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

  /** A session is told of again whenever more is known of it: worth a line only where the line is another. */
  const isNews = (entry: LogEntry): boolean => {
    if (entry.type !== "item" || entry.item.type !== "session") return true;
    const { detail, outcome } = entryText(entry);
    const said = `${detail} ${outcome}`;
    if (sessions.get(entry.item.sessionId) === said) return false;
    sessions.set(entry.item.sessionId, said);
    return true;
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
      const entries = inOrder(page.entries);
      for (const result of resultsIn(entries)) results.set(`${result.sessionId} ${result.key}`, result);
      lines.push(...entries.filter(isNews).map(entryLine), ...newNotices(page));
      if (page.complete && !ended) {
        ended = true;
        lines.push(...resultBlock(page.run, [...results.values()], style));
      }
      return lines;
    },
  };
};

const timeOf = (entry: LogEntry): string | undefined =>
  entry.type === "item" ? (entry.item.at ?? entry.at) : entry.at;

const resultsIn = (entries: readonly LogEntry[]): ResultItem[] =>
  entries.flatMap((entry) => (entry.type === "item" && entry.item.type === "result" ? [entry.item] : []));

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
