import { isObject, parseJson } from "../json.ts";
import type { ProviderError, ProviderErrorKind } from "./types.ts";

/** What is known of a failed request. */
export interface Failure {
  message: string;
  /** HTTP status, where a response came. */
  status?: number;
  /** Body of the error response, or data of the stream's error event. */
  body?: string;
  /** System error code of a transport that failed, such as `ECONNREFUSED`. */
  code?: string;
  aborted?: boolean;
}

/** Providers' own words for an error, as `error.type` or `error.code` of the body. */
const BY_TYPE: Readonly<Record<string, ProviderErrorKind>> = {
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  billing_error: "auth",
  rate_limit_error: "rate_limit",
  rate_limit_exceeded: "rate_limit",
  insufficient_quota: "rate_limit",
  overloaded_error: "overloaded",
  context_length_exceeded: "context_overflow",
  request_too_large: "context_overflow",
  timeout_error: "network",
};

const BY_STATUS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "auth",
  403: "auth",
  408: "network",
  413: "context_overflow",
  429: "rate_limit",
  529: "overloaded",
};

const OVERFLOW =
  /prompt is too long|too many tokens|(?:context|input)[ _](?:length|window|size)|maximum context|reduce the length/iu;
const NETWORK =
  /econnre|enotfound|etimedout|eai_again|epipe|fetch failed|socket|connection error|terminated|timed? ?out|stream ended|other side closed/iu;

const typesOf = (body: string | undefined): string[] => {
  const parsed = body === undefined ? undefined : parseJson(body);
  const error = isObject(parsed) ? (parsed["error"] ?? parsed) : undefined;
  if (!isObject(error)) return [];
  return [error["type"], error["code"]].filter((word) => typeof word === "string");
};

const byText = ({ message, body, status }: Failure): ProviderErrorKind | undefined => {
  const text = `${message} ${body ?? ""}`;
  const isBadRequest = status === undefined || status === 400 || status === 413;
  if (isBadRequest && OVERFLOW.test(text)) return "context_overflow";
  if (isBadRequest && /api key|unauthori[sz]ed/iu.test(text)) return "auth";
  if (/overloaded/iu.test(text)) return "overloaded";
  if (/rate.?limit|too many requests/iu.test(text)) return "rate_limit";
  if ((status === undefined || status < 400 || status >= 500) && NETWORK.test(text)) return "network";
  return undefined;
};

/**
 * The kind of a failure: what the provider's error body says of itself counts first, then the HTTP status, then the
 * system's error code, and the wording only where none of them decides.
 */
export const classifyFailure = (failure: Failure): ProviderErrorKind => {
  if (failure.aborted === true) return "aborted";
  const byType = typesOf(failure.body).map((type) => BY_TYPE[type]);
  const byStatus = failure.status === undefined ? undefined : BY_STATUS[failure.status];
  const decided = byType.find((kind) => kind !== undefined) ?? byStatus;
  if (decided !== undefined) return decided;
  if (failure.code !== undefined) return "network";
  return byText(failure) ?? ((failure.status ?? 0) >= 300 ? "provider" : "unknown");
};

/** The failure as records and events tell it. */
export const toProviderError = (failure: Failure): ProviderError => ({
  kind: classifyFailure(failure),
  ...(failure.status === undefined ? {} : { status: failure.status }),
  message: failure.message,
});

/** Whether the same request may well succeed a little later. */
export const isRetryable = ({ kind, status }: ProviderError): boolean =>
  kind === "rate_limit" ||
  kind === "overloaded" ||
  kind === "network" ||
  (kind === "provider" && (status ?? 0) >= 500);
