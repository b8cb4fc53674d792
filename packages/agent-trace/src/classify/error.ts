import type { ErrorClass, ErrorKind, Timestamp } from "../item.ts";
import { present } from "../present.ts";
import { resetTime } from "./reset.ts";

/** What is known of a failure beside its text. */
export interface ErrorHints {
  /** A failed model request or a failed tool call. */
  about: "model" | "tool";
  /** HTTP status of the request. */
  status?: number | undefined;
  /** The agent's or provider's own error code, such as `overloaded` or `rate_limit`. */
  code?: string | undefined;
  exitCode?: number | undefined;
  /** The user or a rule refused the call. */
  denied?: boolean | undefined;
  interrupted?: boolean | undefined;
  /** When it was said: a usage limit's end may be told from there. */
  at?: Timestamp | undefined;
  /** The end of a usage limit where the source tells it apart from the text. */
  resetAt?: Timestamp | undefined;
}

export interface ErrorVerdict {
  errorClass: ErrorClass;
  errorKind: ErrorKind;
  /** When a usage limit ends, where it was told. */
  resetAt?: Timestamp;
}

type Rule = readonly [pattern: RegExp, errorClass: ErrorClass, errorKind: ErrorKind];

/**
 * Wordings of providers and agents, most telling first: a context rejection before all, quota before auth, auth before
 * time-outs, time-outs before transport. So "429 … retry after timeout" is quota, and "403 from a gateway" is auth.
 */
const modelRules: readonly Rule[] = [
  [
    /prompt is too long|context[ _-]?(?:window|length)|maximum context|too many tokens in (?:the )?prompt/,
    "other",
    "context_overflow",
  ],
  [
    /usage[ _-]?limit|(?:weekly|monthly|daily|spend(?:ing)?|session) limit|hit your limit/,
    "quota",
    "usage_limit",
  ],
  [
    /credit balance|billing|payment required|insufficient[ _](?:quota|funds|credits)|(?<!\d)402(?!\d)/,
    "quota",
    "billing",
  ],
  [
    /rate[ _-]?limit|too many requests|resource[ _]exhausted|exceeded.{0,20}quota|(?<!\d)429(?!\d)/,
    "quota",
    "rate_limited",
  ],
  [
    /(?<!\d)401(?!\d)|unauthori[sz]ed|authentication|invalid (?:x-)?api[ -]?key|missing api key|token (?:has )?expired|please run \/login/,
    "auth",
    "unauthorized",
  ],
  [/(?<!\d)403(?!\d)|forbidden|permission[ _](?:denied|error)/, "auth", "forbidden"],
  [/(?<!\d)(?:408|504)(?!\d)|timed? ?out|deadline exceeded|etimedout/, "timeout", "timed_out"],
  [/(?<!\d)529(?!\d)|overloaded/, "transport", "overloaded"],
  [
    /stream (?:disconnected|ended|closed|error)|premature close|unexpected (?:eof|end)|terminated|broken pipe/,
    "transport",
    "stream_cut",
  ],
  [
    /econnre(?:fused|set)|enotfound|connection (?:error|refused|reset|closed)|fetch failed|socket hang ?up|no such host|\btls\b|x509|certificate|network error|error sending request/,
    "transport",
    "connection",
  ],
  [
    /(?<!\d)50[0-3](?!\d)|internal server error|bad gateway|service unavailable|server[ _]error|api_error/,
    "transport",
    "server_error",
  ],
  [/(?<!\d)4(?:00|13|22)(?!\d)|invalid[ _]request|bad request/, "other", "invalid_request"],
  [/\babort(?:ed)?\b|interrupted|cancell?ed/, "other", "interrupted"],
  [/refus(?:al|ed to)|content[ _](?:filter|policy)/, "other", "refused"],
];

const toolRules: readonly Rule[] = [
  [
    /requested permissions|requires approval|permission (?:to use|denied by)|denied by|rejected by the user|user (?:rejected|declined|denied)|doesn't want to proceed/,
    "other",
    "denied",
  ],
  [
    /inputvalidationerror|invalid (?:arguments?|parameters?|input)|missing required|validation (?:error|failed)/,
    "other",
    "invalid_arguments",
  ],
  [
    /no such tool|unknown tool|tool .{0,60}(?:not found|does not exist|not available)/,
    "other",
    "unknown_tool",
  ],
  [
    /string to replace not found|old ?(?:string|text) .{0,30}not found|no match|could not find the (?:exact )?text|verification failed/,
    "other",
    "no_match",
  ],
  [/does not exist|no such file|not found|enoent|cannot find/, "other", "not_found"],
  [/timed? ?out/, "timeout", "timed_out"],
  [/interrupted|aborted|cancell?ed/, "other", "interrupted"],
  [/(?:exit code|exited with(?: code)?|exit status) \d+/, "other", "exit_nonzero"],
];

/** The class a status alone gives, when the text says nothing. */
const byStatus = (status: number): ErrorVerdict | undefined => {
  if (status === 408 || status === 504) return { errorClass: "timeout", errorKind: "timed_out" };
  if (status === 529) return { errorClass: "transport", errorKind: "overloaded" };
  if (status === 429) return { errorClass: "quota", errorKind: "rate_limited" };
  if (status === 402) return { errorClass: "quota", errorKind: "billing" };
  if (status === 401) return { errorClass: "auth", errorKind: "unauthorized" };
  if (status === 403) return { errorClass: "auth", errorKind: "forbidden" };
  if (status >= 500) return { errorClass: "transport", errorKind: "server_error" };
  if (status >= 400) return { errorClass: "other", errorKind: "invalid_request" };
  return undefined;
};

const firstRule = (rules: readonly Rule[], text: string): ErrorVerdict | undefined => {
  const found = rules.find(([pattern]) => pattern.test(text));
  return found === undefined ? undefined : { errorClass: found[1], errorKind: found[2] };
};

/** Longest head of an error text that is looked at. */
const lookAt = 4000;

/**
 * Sorts a failure into its class and kind. What no rule recognises is `other` / `unclassified`: a number that rises when
 * a provider rewords itself.
 */
export const classifyError = (text: string, hints: ErrorHints): ErrorVerdict => {
  const said = text.slice(0, lookAt).toLowerCase();
  if (hints.about === "tool") {
    if (hints.denied === true) return { errorClass: "other", errorKind: "denied" };
    if (hints.interrupted === true) return { errorClass: "other", errorKind: "interrupted" };
    if (hints.exitCode !== undefined && hints.exitCode !== 0)
      return { errorClass: "other", errorKind: "exit_nonzero" };
    return firstRule(toolRules, said) ?? { errorClass: "other", errorKind: "unclassified" };
  }
  if (hints.interrupted === true) return { errorClass: "other", errorKind: "interrupted" };
  return withReset(modelVerdict(said, hints), text.slice(0, lookAt), hints);
};

const modelVerdict = (said: string, hints: ErrorHints): ErrorVerdict =>
  firstRule(modelRules.slice(0, 3), said) ??
  (hints.status === undefined ? undefined : byStatus(hints.status)) ??
  firstRule(modelRules, `${hints.code ?? ""} ${said}`.toLowerCase()) ?? {
    errorClass: "other",
    errorKind: "unclassified",
  };

/** A usage limit with its end. */
const withReset = (verdict: ErrorVerdict, text: string, { at, resetAt }: ErrorHints): ErrorVerdict =>
  verdict.errorKind === "usage_limit"
    ? { ...verdict, ...present({ resetAt: resetAt ?? resetTime(text, at) }) }
    : verdict;
