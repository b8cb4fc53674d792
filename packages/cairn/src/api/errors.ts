import { HTTPException } from "hono/http-exception";

/** Codes of the interface; a client decides by these, not by the message. */
export type ErrorCode =
  | "conflict"
  | "forbidden"
  | "internal"
  | "not_found"
  | "payload_too_large"
  | "rate_limited"
  | "unauthorized"
  | "unavailable"
  | "validation_failed";

const statuses = {
  conflict: 409,
  forbidden: 403,
  internal: 500,
  not_found: 404,
  payload_too_large: 413,
  rate_limited: 429,
  unauthorized: 401,
  unavailable: 503,
  validation_failed: 400,
} as const satisfies Record<ErrorCode, number>;

/** Where in the request something is wrong, such as `spans[3].category`, and what. Never holds what was sent. */
export interface Problem {
  field: string;
  problem: string;
}

/** Every answer that is no success has this body. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; details: Problem[]; request_id: string };
}

/** Ends a request with an error of the interface. */
export class ApiError extends HTTPException {
  readonly code: ErrorCode;
  readonly details: readonly Problem[];
  /** Seconds after which it makes sense to try again. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    {
      details = [],
      retryAfter,
      cause,
    }: { details?: readonly Problem[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(statuses[code], { message, cause });
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** One answer for an unknown, an expired and a foreign id, so that none can be told from another. */
export const notFound = (): ApiError => new ApiError("not_found", "There is nothing here.");
