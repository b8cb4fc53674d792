import { isObject, parseJson } from "../json.ts";
import { type Failure, toProviderError } from "../record/classify.ts";
import type { Dispatch, ProviderRecorder } from "../record/recorder.ts";
import type { ModelInfo, ModelTransport } from "./types.ts";

/** What happened on the wire while one model response was asked for. */
export interface Exchange {
  /** Records each HTTP request before it lets it go. */
  readonly transport: ModelTransport;
  /** The last request that left, and its HTTP status once known. */
  readonly last: { dispatch: Dispatch; status?: number } | undefined;
  /** Requests that left. */
  readonly dispatched: number;
  /** Why nothing was sent, when it was us who refused. */
  refuse(error: unknown): void;
  /** `retry-after` of the last response, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What is known of the failure that ended in `message`. */
  failure(message: string, aborted: boolean): Failure;
}

interface Sent {
  dispatch: Dispatch;
  status?: number;
  body?: string;
  code?: string;
  aborted?: boolean;
  retryAfterMs?: number;
}

const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === "string") return Buffer.from(body, "utf8");
  if (body instanceof Uint8Array) return body;
  throw new Error("The request's body cannot be recorded as it would be sent, so it was not sent.");
};

const causes = function* (error: unknown): Generator<Error> {
  for (let at = error; at instanceof Error; at = at.cause) yield at;
};

const systemCode = (error: unknown): string | undefined => {
  for (const cause of causes(error)) if ("code" in cause && typeof cause.code === "string") return cause.code;
  return undefined;
};

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

const retryAfter = (headers: Headers): number | undefined => {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  const seconds = Number.parseFloat(headers.get("retry-after") ?? "");
  const delay = Number.isNaN(ms) ? seconds * 1000 : ms;
  return Number.isFinite(delay) && delay >= 0 ? delay : undefined;
};

/** Reads the body of an error response for the record, and gives the caller an equal response. */
const keepErrorBody = async (response: Response, sent: Sent): Promise<Response> => {
  const text = await response.text();
  sent.body = text;
  const headers = new Headers(response.headers);
  // They describe the bytes that came, not the decoded text.
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(text, { status: response.status, statusText: response.statusText, headers });
};

/** The provider's own sentence, when an error body has one. */
const messageIn = (body: string | undefined): string | undefined => {
  const parsed = body === undefined ? undefined : parseJson(body);
  if (!isObject(parsed)) return undefined;
  const error = isObject(parsed["error"]) ? parsed["error"] : parsed;
  return typeof error["message"] === "string" ? error["message"] : undefined;
};

/** Watches the requests that one model response takes. */
export const createExchange = (
  network: ModelTransport,
  recorder: ProviderRecorder,
  { provider, id: model, api }: ModelInfo,
): Exchange => {
  let sent: Sent | undefined;
  let refusal: string | undefined;
  let dispatched = 0;

  const begin = async (body: Uint8Array): Promise<Sent> => {
    if (sent !== undefined) {
      // The library asks again by itself, in another form: the first request is over.
      const error = toProviderError(failure("the provider refused the request", false));
      await recorder.settle(sent.dispatch, {
        ...(sent.status === undefined ? {} : { status: sent.status }),
        finishReason: "error",
        error,
      });
    }
    sent = { dispatch: await recorder.begin({ body, provider, model, api }) };
    dispatched += 1;
    return sent;
  };

  const transport: ModelTransport = async (input, init = {}) => {
    let current: Sent;
    let body: Uint8Array;
    try {
      init.signal?.throwIfAborted();
      body = bytesOf(init.body);
      current = await begin(body);
    } catch (error) {
      if (!isAbort(error)) refuse(error);
      throw error;
    }
    let response: Response;
    try {
      // What was recorded is what is sent: the same bytes, not a second serialization.
      response = await network(input, { ...init, body: Uint8Array.from(body) });
    } catch (error) {
      const code = systemCode(error);
      if (code !== undefined) current.code = code;
      current.aborted = isAbort(error);
      throw error;
    }
    current.status = response.status;
    const delay = retryAfter(response.headers);
    if (delay !== undefined) current.retryAfterMs = delay;
    return response.ok ? response : keepErrorBody(response, current);
  };

  const refuse = (error: unknown): void => {
    refusal = error instanceof Error ? error.message : String(error);
  };

  const failure = (message: string, aborted: boolean): Failure => {
    const body = sent?.body ?? (messageIn(message) === undefined ? undefined : message);
    return {
      message: refusal ?? messageIn(body) ?? message,
      ...(sent?.status === undefined || refusal !== undefined ? {} : { status: sent.status }),
      ...(body === undefined ? {} : { body }),
      ...(sent?.code === undefined ? {} : { code: sent.code }),
      aborted: aborted || sent?.aborted === true,
    };
  };

  return {
    transport,
    refuse,
    failure,
    get last() {
      return sent;
    },
    get dispatched() {
      return dispatched;
    },
    get retryAfterMs() {
      return sent?.retryAfterMs;
    },
  };
};
