import { dirname, join } from "node:path";
import type { FileSystemCapability } from "../capabilities/types.ts";
import type { ModelTransport } from "../provider/types.ts";
import { createBodyRedactor } from "../record/body-redactor.ts";
import type { MaskText } from "../record/redact.ts";
import type { ProviderRequestRecord, ProviderResponseRecord } from "../record/types.ts";
import { compareRequests, type Difference } from "./compare.ts";
import type { RecordedExchange } from "./script.ts";

/** Why a replay ended before the session did. */
export type Stopped =
  | { kind: "diverged"; turn: number; attempt: number; requestId: string; differences: Difference[] }
  | { kind: "extra_request"; turn: number }
  | { kind: "not_replayable"; turn: number; reason: string };

export interface RecordedTransport {
  readonly transport: ModelTransport;
  /** Requests that were the same as on record. */
  readonly matched: number;
  readonly masked: { requestId: string; paths: string[] }[];
  readonly stopped: Stopped | undefined;
}

export interface RecordedTransportOptions {
  exchanges: readonly RecordedExchange[];
  /** The session file, beside which larger bodies lie. */
  path: string;
  fs: FileSystemCapability;
  mask: MaskText;
  /** An exchange is about to be answered. */
  onExchange(exchange: RecordedExchange): void;
  /** The replay cannot go on. */
  onStop(): void;
}

/** The body on record; undefined when it was pruned. */
const storedBody = async (
  { body, bodyPath }: ProviderRequestRecord,
  { fs, path }: RecordedTransportOptions,
): Promise<string | undefined> => {
  if (body !== undefined || bodyPath === undefined) return body;
  try {
    return await fs.readFile(join(dirname(path), bodyPath));
  } catch {
    return undefined;
  }
};

/** A body that ends as the recorded one did: whole, or cut in the middle. */
const bodyOf = (text: string, isCut: boolean): ReadableStream<Uint8Array> => {
  const cut = new TypeError("terminated", {
    cause: Object.assign(new Error("the recorded response was cut here"), { code: "ECONNRESET" }),
  });
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (isCut) controller.error(cut);
      else controller.close();
    },
  });
};

/** Gives a recorded response again; throws what the network threw when none came. */
const respond = ({ status, stream, error }: ProviderResponseRecord): Response => {
  if (error?.kind === "aborted") throw new DOMException(error.message, "AbortError");
  if (status === undefined || stream === undefined)
    throw new TypeError("fetch failed", {
      cause: Object.assign(new Error(error?.message ?? "no response on record"), { code: "ECONNRESET" }),
    });
  const headers = stream.contentType === undefined ? {} : { "content-type": stream.contentType };
  const isCut = status < 400 && error?.kind === "network";
  return new Response(bodyOf(stream.text, isCut), { status, headers });
};

const unusable = ({ response }: RecordedExchange, stored: string | undefined): string | undefined => {
  if (stored === undefined) return "the request's body is not on record any more";
  if (response === undefined) return "the request was abandoned: no response is on record";
  if (response.stream?.truncated === true) return "the response was longer than what is kept of one";
  if (response.status !== undefined && response.stream === undefined)
    return "the response's body is not on record";
  return undefined;
};

/** Answers requests from a record, as long as they are the ones on record. It knows no network. */
export const createRecordedTransport = (options: RecordedTransportOptions): RecordedTransport => {
  const { exchanges } = options;
  const redact = createBodyRedactor(options.mask);
  const masked: { requestId: string; paths: string[] }[] = [];
  let next = 0;
  let matched = 0;
  let stopped: Stopped | undefined;

  const stop = (why: Stopped): never => {
    stopped ??= why;
    options.onStop();
    throw new DOMException("the replay has ended", "AbortError");
  };

  return {
    masked,
    get matched() {
      return matched;
    },
    get stopped() {
      return stopped;
    },
    async transport(_input, init = {}) {
      const exchange = exchanges[next];
      next += 1;
      if (exchange === undefined) {
        const last = exchanges.at(-1)?.request.turn ?? -1;
        return stop({ kind: "extra_request", turn: last + 1 });
      }
      const { request, response } = exchange;
      const { requestId, turn, attempt } = request;
      const stored = await storedBody(request, options);
      const reason = unusable(exchange, stored);
      if (reason !== undefined || stored === undefined || response === undefined)
        return stop({ kind: "not_replayable", turn, reason: reason ?? "nothing is on record" });
      const exact = Buffer.from(new Uint8Array(await new Response(init.body).arrayBuffer())).toString();
      const comparison = compareRequests(redact(exact).stored, stored, request);
      if (comparison.masked.length > 0) masked.push({ requestId, paths: comparison.masked });
      if (comparison.differences.length > 0)
        return stop({ kind: "diverged", turn, attempt, requestId, differences: comparison.differences });
      matched += 1;
      options.onExchange(exchange);
      return respond(response);
    },
  };
};
