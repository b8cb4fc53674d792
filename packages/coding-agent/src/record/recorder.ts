import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ClockCapability, FileSystemCapability } from "../capabilities/types.ts";
import type { SessionLog } from "../session/log.ts";
import { createBodyRedactor } from "./body-redactor.ts";
import { completed, nextIdentity, type TurnIdentity } from "./identity.ts";
import type { MaskText, RedactedBody } from "./redact.ts";
import { maskStreamText } from "./stream-text.ts";
import {
  MAX_INLINE_BODY_BYTES,
  PROVIDER_REQUEST_ENTRY,
  PROVIDER_REQUEST_SPILL_DIR,
  PROVIDER_RESPONSE_ENTRY,
  type ProviderRequestRecord,
  type ProviderResponseRecord,
  type ResponseStream,
} from "./types.ts";

/** One HTTP request that was let go. */
export interface Dispatch extends TurnIdentity {
  requestId: string;
  sha256: string;
  /** Monotonic milliseconds. */
  startedAt: number;
}

/** A request as it is about to leave. */
export interface RequestToRecord extends Pick<
  ProviderRequestRecord,
  "provider" | "model" | "api" | "purpose"
> {
  body: Uint8Array;
}

export interface ProviderRecorder {
  /**
   * Records a request that is about to leave: its record is on the disk when this returns. When it throws, the request
   * must not be sent.
   */
  begin(request: RequestToRecord): Promise<Dispatch>;
  /** Records what became of it. Never throws: what observes must not take down what it observes. */
  settle(dispatch: Dispatch, outcome: Outcome): Promise<void>;
  /** Turn and attempt the next request will have. */
  next(): TurnIdentity;
}

export type Outcome = Pick<ProviderResponseRecord, "status" | "finishReason" | "usage" | "error" | "stream">;

export interface RecorderOptions {
  log: SessionLog;
  clock: ClockCapability;
  fs: FileSystemCapability;
  newRequestId(): string;
  mask: MaskText;
  /** False keeps no records; requests still get their ids. */
  enabled: boolean;
}

/** Whether the value of `ORPHUS_PROVIDER_AUDIT` leaves recording on. */
export const isAuditEnabled = (value: string | undefined): boolean =>
  !["0", "false", "off"].includes(value?.trim().toLowerCase() ?? "");

const sha256 = (data: Uint8Array | string): string => createHash("sha256").update(data).digest("hex");

const checkRequestId = (requestId: string): void => {
  if (!/^[\w.-]+$/u.test(requestId) || requestId.includes(".."))
    throw new Error(`Request id ${JSON.stringify(requestId)} cannot name a file; the request was not sent.`);
};

/** Writes a body that is too large for its record; returns its path relative to the session's folder. */
const spill = async ({ fs, log }: RecorderOptions, requestId: string, stored: string): Promise<string> => {
  if (log.dir === undefined)
    throw new Error(
      `The request body is over ${MAX_INLINE_BODY_BYTES} bytes and a session in memory has no folder to put it in; ` +
        "the request was not sent. Keep the session in a file, or turn recording off with ORPHUS_PROVIDER_AUDIT=0.",
    );
  const folder = join(log.dir, PROVIDER_REQUEST_SPILL_DIR);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.appendFile(join(folder, `${requestId}.json`), stored, { mode: 0o600, sync: true });
  return `${PROVIDER_REQUEST_SPILL_DIR}/${requestId}.json`;
};

const record = async (
  options: RecorderOptions,
  request: RequestToRecord,
  dispatch: Dispatch,
  redact: (body: string) => RedactedBody,
): Promise<void> => {
  const { requestId, attempt, turn } = dispatch;
  const { body, provider, model, api, purpose } = request;
  const exact = new TextDecoder("utf-8", { fatal: true }).decode(body);
  const { stored, paths } = redact(exact);
  const branchLeafId = options.log.leafId;
  const place =
    Buffer.byteLength(stored) <= MAX_INLINE_BODY_BYTES
      ? { body: stored }
      : { bodyPath: await spill(options, requestId, stored) };
  const data = {
    requestId,
    attempt,
    turn,
    branchLeafId,
    provider,
    model,
    api,
    sha256: dispatch.sha256,
    byteLength: body.byteLength,
    ...place,
    ...(paths.length > 0 ? { redactedPaths: paths, storedSha256: sha256(stored) } : {}),
    ...(purpose === undefined ? {} : { purpose }),
    timestamp: options.clock.now(),
  };
  await options.log.append({ type: "custom", customType: PROVIDER_REQUEST_ENTRY, data }, { sync: true });
};

/** Without records the messages tell how far the branch has come. */
const identityFromMessages = (log: SessionLog): TurnIdentity => {
  let identity = { turn: 0, attempt: 0 };
  for (const entry of log.branch()) {
    if (entry.type !== "message" || entry.message.role !== "assistant" || entry.request === undefined)
      continue;
    identity = completed({ finishReason: entry.message.stopReason })
      ? { turn: identity.turn + 1, attempt: 0 }
      : { ...identity, attempt: identity.attempt + 1 };
  }
  return identity;
};

const maskStream = (stream: ResponseStream, mask: MaskText): ResponseStream => {
  const text = maskStreamText(stream.text, mask);
  return { ...stream, text, ...(text === stream.text ? {} : { redacted: true as const }) };
};

/** Keeps the records of the provider requests of one session. */
export const createProviderRecorder = (options: RecorderOptions): ProviderRecorder => {
  const { log, clock, enabled } = options;
  const redact = createBodyRedactor(options.mask);
  const next = (): TurnIdentity => (enabled ? nextIdentity(log.branch()) : identityFromMessages(log));
  return {
    next,
    async begin(request) {
      const requestId = options.newRequestId();
      checkRequestId(requestId);
      const dispatch = { requestId, ...next(), sha256: sha256(request.body), startedAt: 0 };
      if (enabled) await record(options, request, dispatch, redact);
      return { ...dispatch, startedAt: clock.monotonicNow() };
    },
    async settle({ requestId, attempt, turn, startedAt }, { stream, ...outcome }) {
      if (!enabled) return;
      const data: ProviderResponseRecord = {
        requestId,
        attempt,
        turn,
        ...outcome,
        durationMs: clock.monotonicNow() - startedAt,
        ...(stream === undefined ? {} : { stream: maskStream(stream, options.mask) }),
        timestamp: clock.now(),
      };
      try {
        await log.append({ type: "custom", customType: PROVIDER_RESPONSE_ENTRY, data });
      } catch {
        // The request then counts as abandoned; what cannot be written any more fails louder elsewhere.
      }
    },
  };
};
