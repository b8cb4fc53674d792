import { InvalidArgumentError } from "commander";
import { parseDuration } from "../config/duration.ts";

const wholeNumber = (text: string, from: number, to: number): number => {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= from && value <= to) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
};

/** `--limit` */
export const count = (text: string): number => wholeNumber(text, 1, 1000);

/** `--run` */
export const runNumber = (text: string): number => wholeNumber(text, 1, Number.MAX_SAFE_INTEGER);

/** `--since`: milliseconds since the epoch, from a span back from now, a date or time, or `all`. */
export const moment = (text: string): number => {
  if (text === "all") return 0;
  const span = parseDuration(text);
  const at = span === undefined ? Date.parse(text) : Date.now() - span;
  if (Number.isFinite(at)) return Math.max(0, at);
  throw new InvalidArgumentError(
    'It must be a span such as "24h", a date or time such as 2026-11-30, or "all".',
  );
};
