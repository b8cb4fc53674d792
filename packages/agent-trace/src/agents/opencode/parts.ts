import { Buffer } from "node:buffer";
import { classifyCall, classifyError, type ErrorVerdict } from "../../classify/index.ts";
import type { ItemHead, MarkItem, Timestamp, TokenCounts, ToolCallItem, UsageItem } from "../../item.ts";
import { at as path, boolean, count, number, object, string, text, type JsonObject } from "../../jsonline.ts";
import { nanoUsd } from "../../money.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";
import { fromMillis } from "../../time.ts";
import { opencodeTools } from "./tools.ts";

/** Where a part stands; the same in a row, an event and an export. */
export interface PartPlace {
  sessionId: string;
  messageId: string | undefined;
  rev: number;
  seq: number;
  turn?: number;
  cwd?: string;
  home?: string;
  model?: string;
  provider?: string;
}

export const headOf = ({ sessionId, rev, seq, turn }: PartPlace, key: string): ItemHead => ({
  v: 1,
  sessionId,
  key,
  rev,
  seq,
  ...present({ turn }),
});

/** What an answer cost: tokens as opencode writes them, made disjoint. */
export const stepTokens = (value: JsonValue | undefined): TokenCounts | undefined => {
  const tokens = object(value);
  const input = count(tokens?.["input"]);
  const written = count(tokens?.["output"]);
  const reasoning = count(tokens?.["reasoning"]);
  const cacheRead = count(path(tokens, "cache", "read"));
  const cacheWrite5m = count(path(tokens, "cache", "write"));
  const sum = (input ?? 0) + (written ?? 0) + (cacheRead ?? 0) + (cacheWrite5m ?? 0);
  if (sum + (reasoning ?? 0) === 0) return undefined;
  // `output` excludes the reasoning, except where 1.2 passed on a provider's figure that includes it: then the total,
  // which is the provider's, is reached without adding it.
  const isIncluded = count(tokens?.["total"]) === sum;
  const output = written === undefined ? undefined : written + (isIncluded ? 0 : (reasoning ?? 0));
  return present({ input, output, cacheRead, cacheWrite5m, reasoning });
};

/** The spending of one answer, from a finished step or a whole message. */
export const usageItem = (
  place: PartPlace,
  key: string,
  spent: JsonObject,
  at: string | undefined,
): UsageItem | undefined => {
  const tokens = stepTokens(spent["tokens"]);
  if (tokens === undefined) return undefined;
  const cost = nanoUsd(spent["cost"]);
  // For a model without a price it writes 0, which says nothing.
  const costNanoUsd = cost === 0 ? undefined : cost;
  const { model, provider } = place;
  return {
    ...headOf(place, key),
    type: "usage",
    ...present({ at, model, provider, costNanoUsd }),
    ...tokens,
    costSource: costNanoUsd === undefined ? "unknown" : "recorded",
    exact: true,
    covers: "response",
  };
};

/** What a tool part's state says became of the call; undefined while it runs. */
const failureOf = (state: JsonObject, exitCode: number | undefined): ErrorVerdict | undefined | "open" => {
  const status = string(state["status"]);
  if (status === "error") {
    const words = string(state["error"]) ?? "";
    const denied =
      /\bpermission\b.*\breject|\breject\w*\b.*\bpermission|rule which prevents you/i.test(words) ||
      undefined;
    const interrupted =
      /\btool execution aborted\b/i.test(words) || boolean(path(state, "metadata", "interrupted"));
    return classifyError(words, { about: "tool", exitCode, denied, interrupted: interrupted || undefined });
  }
  if (status !== "completed") return "open";
  // A shell call that failed is `completed` all the same; only its exit code tells.
  if (exitCode === undefined || exitCode === 0) return undefined;
  return classifyError(string(state["output"]) ?? "", { about: "tool", exitCode });
};

/** The call of a tool part. While it runs there is no item, unless `isOver`: the source has ended. */
export const callItem = (place: PartPlace, part: JsonObject, isOver: boolean): ToolCallItem | undefined => {
  const state = object(part["state"]) ?? {};
  const callId = text(part["callID"]) ?? text(part["id"]);
  const tool = text(part["tool"]);
  if (callId === undefined || tool === undefined) return undefined;
  const exitCode = number(path(state, "metadata", "exit"));
  const failure = failureOf(state, exitCode);
  if (failure === "open" && !isOver) return undefined;
  const error: ErrorVerdict | undefined =
    failure === "open" ? { errorClass: "other", errorKind: "unanswered" } : failure;
  const context = { tools: opencodeTools, cwd: place.cwd, home: place.home };
  const started = number(path(state, "time", "start"));
  const ended = number(path(state, "time", "end"));
  const said = string(state["output"]) ?? string(state["error"]);
  return {
    ...headOf(place, callId),
    type: "tool_call",
    tool,
    ...classifyCall({ tool, input: state["input"] }, context),
    outcome:
      failure === "open"
        ? "unanswered"
        : error === undefined
          ? "ok"
          : error.errorKind === "denied"
            ? "denied"
            : "error",
    ...present({
      at: fromMillis(started),
      errorClass: error?.errorClass,
      errorKind: error?.errorKind,
      exitCode,
      durationMs:
        started === undefined || ended === undefined || ended < started ? undefined : ended - started,
      resultBytes: said === undefined ? undefined : Buffer.byteLength(said),
      model: place.model,
      provider: place.provider,
      messageId: place.messageId,
      childSessionId: childOf(part),
    }),
  };
};

/** The session of the sub-agent that a task started. */
export const childOf = (part: JsonObject): string | undefined =>
  part["tool"] === "task" ? text(path(part, "state", "metadata", "sessionId")) : undefined;

/** Marks of a sub-agent's start and end, from the task's part. */
export const childMarks = (place: PartPlace, part: JsonObject): MarkItem[] => {
  const child = childOf(part);
  if (child === undefined) return [];
  const note = text(path(part, "state", "input", "subagent_type")) ?? child;
  const time = path(part, "state", "time");
  const mark = (kind: "subagent_start" | "subagent_end", at: string | undefined): MarkItem => ({
    ...headOf(place, `${kind}:${child}`),
    type: "mark",
    kind,
    note,
    ...present({ at }),
  });
  const start = mark("subagent_start", fromMillis(number(path(time, "start"))));
  const ended = fromMillis(number(path(time, "end")));
  return ended === undefined ? [start] : [start, mark("subagent_end", ended)];
};

/** A message's or an event's `error`: `{name, data: {message, statusCode, …}}`, said at a time. */
export const errorOf = (
  value: JsonValue | undefined,
  at?: Timestamp,
): { message: string; isAbort: boolean; status?: number; verdict: ErrorVerdict } | undefined => {
  const error = object(value);
  if (error === undefined) return undefined;
  const name = string(error["name"]);
  const message = string(path(error, "data", "message")) ?? string(error["message"]) ?? name ?? "";
  const status = number(path(error, "data", "statusCode"));
  const isAbort = name === "MessageAbortedError";
  const code = name === "APIError" || name === "UnknownError" ? undefined : name;
  const verdict = classifyError(message, {
    about: "model",
    status,
    code,
    at,
    interrupted: isAbort || undefined,
  });
  return { message, isAbort, verdict, ...present({ status }) };
};
