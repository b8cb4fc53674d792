import type {
  MarkItem,
  ResultItem,
  SessionItem,
  ToolCallItem,
  TraceItem,
  UsageItem,
} from "@orphus/agent-trace/item";
import type { LogEntry } from "../protocol/methods.ts";
import { duration, exactUsd, grouped } from "./amounts.ts";
import { oneLine } from "./text.ts";

/** What one entry says, before it is laid out. */
export interface EntryText {
  /** Short word for the kind of thing. */
  label: string;
  detail: string;
  /** Stands at the right-hand end and is never cut off. */
  outcome: string;
  tone: "plain" | "quiet" | "good" | "bad" | "warning";
}

export const entryText = (entry: LogEntry): EntryText => {
  if (entry.type === "stderr")
    return { label: "stderr", detail: oneLine(entry.text), outcome: "", tone: "quiet" };
  if (entry.type === "unread")
    return { label: "unread", detail: oneLine(entry.text), outcome: "", tone: "warning" };
  return entry.duplicate === true ? duplicateText(entry.item) : itemText(entry.item);
};

const itemText = (item: TraceItem): EntryText => {
  switch (item.type) {
    case "session":
      return sessionText(item);
    case "tool_call":
      return callText(item);
    case "mark":
      return markText(item);
    case "usage":
      return usageText(item);
    case "result":
      return resultText(item);
    default:
      return unknownText(item);
  }
};

/** A record of a newer version than this program. */
const unknownText = (item: never): EntryText => ({
  label: "unknown",
  detail: oneLine(JSON.stringify(item)),
  outcome: "",
  tone: "warning",
});

const duplicateText = (item: TraceItem): EntryText => ({
  ...itemText(item),
  outcome: "counted before",
  tone: "quiet",
});

const words = (...parts: (string | undefined)[]): string =>
  parts
    .map((part) => oneLine(part ?? ""))
    .filter((part) => part !== "")
    .join("  ");

const sessionText = (item: SessionItem): EntryText => ({
  label: item.parentSessionId === undefined ? "session" : "subagent",
  detail: words(
    item.sessionId,
    item.models?.map((each) => each.model).join(", "),
    item.agentVersion === undefined ? item.agent : `${item.agent} ${item.agentVersion}`,
    item.title,
  ),
  outcome: "",
  tone: "quiet",
});

const callText = (item: ToolCallItem): EntryText => ({
  label: "call",
  detail: words(`${item.tool} ${item.action}`, summaryOf(item), touched(item)),
  outcome: words(callOutcome(item), item.durationMs === undefined ? undefined : duration(item.durationMs)),
  tone: item.outcome === "ok" ? "good" : "bad",
});

/** The summary without the tool's name in front of it, which the line has already. */
const summaryOf = ({ tool, summary }: ToolCallItem): string => {
  if (summary === tool) return "";
  return summary.startsWith(`${tool} `) ? summary.slice(tool.length + 1) : summary;
};

/** Paths that the summary does not name already. */
const touched = (item: ToolCallItem): string => {
  const paths = [...item.targets, ...item.outside].map((each) => each.path);
  const unnamed = [...new Set(paths)].filter((path) => !item.summary.includes(path));
  const shown = unnamed.slice(0, 3).join(" ");
  return unnamed.length > 3 ? `[${shown} +${unnamed.length - 3}]` : shown === "" ? "" : `[${shown}]`;
};

const errorWords = (item: { errorClass?: string; errorKind?: string }): string =>
  [item.errorClass, item.errorKind].filter((part) => part !== undefined).join("/");

const callOutcome = (item: ToolCallItem): string => {
  if (item.outcome === "ok") return "ok";
  const word = item.outcome === "error" ? "failed" : item.outcome;
  if (item.errorKind === "exit_nonzero" && item.exitCode !== undefined) {
    return `${word} ${item.errorClass ?? "other"} exit ${item.exitCode}`;
  }
  return words(word, errorWords(item)).replaceAll("  ", " ");
};

const MARK_LABELS: Readonly<Record<MarkItem["kind"], string>> = {
  user_message: "prompt",
  compaction: "compact",
  subagent_start: "agent",
  subagent_end: "agent",
  api_retry: "retry",
  api_error: "ERROR",
  permission_denied: "denied",
  interrupted: "stopped",
  ambiguous: "shared",
  clock_jump: "clock",
  source_fault: "fault",
  novelty: "unknown",
};

const markText = (item: MarkItem): EntryText => ({
  label: MARK_LABELS[item.kind] ?? item.kind,
  detail: words(
    item.kind === "subagent_start" ? "start" : item.kind === "subagent_end" ? "end" : undefined,
    item.fault,
    item.novelty === undefined ? undefined : `${item.novelty.what} ${item.novelty.name}`,
    item.note,
    item.resetAt === undefined ? undefined : `until ${item.resetAt}`,
  ),
  outcome: words(
    errorWords(item),
    item.status === undefined ? undefined : `HTTP ${item.status}`,
    item.count === undefined || item.count < 2 ? undefined : `×${grouped(item.count)}`,
  ),
  tone: item.errorClass === undefined ? markTone(item.kind) : "bad",
});

const markTone = (kind: MarkItem["kind"]): EntryText["tone"] => {
  if (kind === "user_message" || kind === "subagent_start" || kind === "subagent_end") return "plain";
  return kind === "compaction" ? "quiet" : "warning";
};

const usageText = (item: UsageItem): EntryText => ({
  label: "usage",
  detail: words(
    item.model,
    tokenWords(item, item.exact),
    item.covers === "turn" ? "(whole turn)" : undefined,
  ),
  outcome: item.costNanoUsd === undefined ? "" : exactUsd(item.costNanoUsd),
  tone: "quiet",
});

/** A count that the source is known not to have right is marked `~`. */
const tokenWords = (item: UsageItem, exact: boolean): string => {
  const count = (name: string, value: number | undefined): string[] =>
    value === undefined ? [] : [`${name} ${exact ? "" : "~"}${grouped(value)}`];
  const written = sumKnown(item.cacheWrite5m, item.cacheWrite1h);
  const counts = [
    ...count("in", item.input),
    ...count("out", item.output),
    ...cacheWords(item.cacheRead, written, exact),
    ...(item.reasoning === 0 ? [] : count("reasoning", item.reasoning)),
  ];
  return counts.length === 0 ? "tokens not known" : counts.join(" ");
};

/** What went over the cache, where anything did. */
const cacheWords = (read: number | undefined, written: number | undefined, exact: boolean): string[] => {
  const amount = (name: string, value: number | undefined): string[] =>
    value === undefined || value === 0 ? [] : [`${name} ${exact ? "" : "~"}${grouped(value)}`];
  const amounts = [...amount("r", read), ...amount("w", written)];
  return amounts.length === 0 ? [] : ["cache", ...amounts];
};

const sumKnown = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b;

const resultText = (item: ResultItem): EntryText => ({
  label: "result",
  detail: words(
    // An agent may call a turn that ended in an error a success.
    item.isError && item.subtype === "success" ? undefined : item.subtype,
    item.turns === undefined ? undefined : `${grouped(item.turns)} ${item.turns === 1 ? "turn" : "turns"}`,
  ),
  outcome: item.isError ? words("failed", errorWords(item)) : "ok",
  tone: item.isError ? "bad" : "good",
});
