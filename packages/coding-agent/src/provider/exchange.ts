import type { ClockCapability } from "../capabilities/types.ts";
import { isObject, parseJson } from "../json.ts";
import { type Failure, toProviderError } from "../record/classify.ts";
import type { Dispatch, ProviderRecorder } from "../record/recorder.ts";
import type { ProviderRequestRecord, ResponseStream } from "../record/types.ts";
import { within } from "../within.ts";
import { type ReceivedBody, watchBody } from "./body.ts";
import type { ModelInfo, ModelTransport } from "./types.ts";

/** What happened on the wire while one model response was asked for. */
export interface Exchange {
  /** Records each HTTP request before it lets it go. */
  readonly transport: ModelTransport;
  /** The last request that left, its HTTP status once known, and what has come of the response's body. */
  readonly last: { dispatch: Dispatch; status?: number; stream?: ResponseStream } | undefined;
  /** Requests that left. */
  readonly dispatched: number;
  /** Why nothing was sent, when it was us who refused. */
  refuse(error: unknown): void;
  /** `retry-after` of the last response, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What is known of the failure that ended in `message`. */
  failure(message: string, aborted: boolean): Failure;
}

/** What an exchange works with. */
export interface ExchangeOptions {
  network: ModelTransport;
  recorder: ProviderRecorder;
  model: ModelInfo;
  clock: ClockCapability;
  /** How long a response, or the next piece of one, may take. */
  idleTimeoutMs: number;
  purpose?: ProviderRequestRecord["purpose"];
}

interface Sent {
  dispatch: Dispatch;
  status?: number;
  /** Of an error response. */
  body?: string;
  received?: ReceivedBody;
  code?: string;
  /** Our own words for what went wrong on the wire. */
  complaint?: string;
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

/** The provider has fallen silent. */
const stalled = (idleTimeoutMs: number): Error =>
  Object.assign(new Error(`the provider sent nothing for ${idleTimeoutMs / 1000} s`), { code: "ETIMEDOUT" });

/** Reads the body of an error response for the record, and gives the caller an equal response. */
const keepErrorBody = async (response: Response, sent: Sent): Promise<Response> => {
  const text = await response.text();
  sent.body = text;
  return new Response(text, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
};

/** The provider's own sentence, when an error body has one. */
const messageIn = (body: string | undefined): string | undefined => {
  const parsed = body === undefined ? undefined : parseJson(body);
  if (!isObject(parsed)) return undefined;
  const error = isObject(parsed["error"]) ? parsed["error"] : parsed;
  return typeof error["message"] === "string" ? error["message"] : undefined;
};

const noteFailure = (sent: Sent, error: unknown): void => {
  const code = systemCode(error);
  if (code !== undefined) sent.code = code;
  if (code === "ETIMEDOUT" && error instanceof Error) sent.complaint = error.message;
  sent.aborted = isAbort(error);
};

const outcomeOf = ({ status, received }: Sent): { status?: number; stream?: ResponseStream } => ({
  ...(status === undefined ? {} : { status }),
  ...(received === undefined ? {} : { stream: received.received() }),
});

/** Watches the requests that one model response takes. */
export const createExchange = (options: ExchangeOptions): Exchange => {
  const { network, recorder, clock, idleTimeoutMs, purpose } = options;
  const { provider, id: model, api } = options.model;
  let sent: Sent | undefined;
  let refusal: string | undefined;
  let dispatched = 0;

  const begin = async (body: Uint8Array): Promise<Sent> => {
    if (sent !== undefined) {
      // The library asks again by itself, in another form: the first request is over.
      const error = toProviderError(failure("the provider refused the request", false));
      await recorder.settle(sent.dispatch, { ...outcomeOf(sent), finishReason: "error", error });
    }
    const request = { body, provider, model, api, ...(purpose === undefined ? {} : { purpose }) };
    sent = { dispatch: await recorder.begin(request) };
    dispatched += 1;
    return sent;
  };

  /** Sends what was recorded, and gives up on a provider that falls silent. */
  const send = async (
    input: Parameters<ModelTransport>[0],
    init: RequestInit,
    body: Uint8Array<ArrayBuffer>,
    current: Sent,
  ): Promise<Response> => {
    const gaveUp = new AbortController();
    const bounded = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await within(clock, idleTimeoutMs, work, () => stalled(idleTimeoutMs));
      } catch (error) {
        noteFailure(current, error);
        gaveUp.abort(error);
        throw error;
      }
    };
    const signal = AbortSignal.any([
      gaveUp.signal,
      ...(init.signal === undefined || init.signal === null ? [] : [init.signal]),
    ]);
    // What was recorded is what is sent: the same bytes, not a second serialization, and to no other address.
    const answer = await bounded(network(input, { ...init, body, signal, redirect: "manual" }));
    current.status = answer.status;
    const delay = retryAfter(answer.headers);
    if (delay !== undefined) current.retryAfterMs = delay;
    const { response, body: received } = watchBody(answer, bounded);
    current.received = received;
    return response.ok ? response : keepErrorBody(response, current);
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
    return send(input, init, Uint8Array.from(body), current);
  };

  const refuse = (error: unknown): void => {
    refusal = error instanceof Error ? error.message : String(error);
  };

  const failure = (message: string, aborted: boolean): Failure => {
    const body = sent?.body ?? (messageIn(message) === undefined ? undefined : message);
    return {
      message: refusal ?? messageIn(body) ?? sent?.complaint ?? message,
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
      return sent === undefined ? undefined : { dispatch: sent.dispatch, ...outcomeOf(sent) };
    },
    get dispatched() {
      return dispatched;
    },
    get retryAfterMs() {
      return sent?.retryAfterMs;
    },
  };
};
