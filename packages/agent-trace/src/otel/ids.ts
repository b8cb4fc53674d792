import { createHash } from "node:crypto";

const digest = (text: string, hexDigits: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, hexDigits);

/** A trace is one session with its sub-agents: the same session always gives the same id. */
export const traceIdOf = (agent: string, sessionId: string): string =>
  digest(`trace\0${agent}\0${sessionId}`, 32);

/** A span is one thing with a key of its own, so that building a trace twice changes nothing. */
export const spanIdOf = (traceId: string, sessionId: string, what: string, key: string): string =>
  digest(`span\0${traceId}\0${sessionId}\0${what}\0${key}`, 16);
