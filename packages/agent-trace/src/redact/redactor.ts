import type { JsonValue } from "../reader.ts";
import type { RuleFile } from "./rules/file.ts";

/** Where a secret was found. Offsets are UTF-16 units of the text given; the secret itself is never part of it. */
export interface Finding {
  /** Id of the rule, `known-value`, or the name of a context scanner. */
  rule: string;
  /** First unit of the secret. */
  start: number;
  /** One past the last unit of the secret. */
  end: number;
  /**
   * The first 16 hex digits of HMAC-SHA-256 over the secret, when the redactor was made with a `fingerprintKey`: equal
   * secrets can be told to be equal without being shown.
   */
  fingerprint?: string;
}

export interface RedactorOptions {
  /** Values that are known to be secret: masked wherever they stand, also in base64, URL-encoded and JSON-escaped form. */
  values?: readonly string[];
  /**
   * Dotted key paths (`*` stands for any one key or index) of JSON strings that hold ids. There only known values and
   * rules whose match proves itself by a prefix apply, so that ids do not collapse into one mask.
   */
  idPaths?: readonly string[];
  /** Rule files of the user, read by `parseRuleFile`, that apply beside the built-in set. */
  rules?: RuleFile | readonly RuleFile[];
  /** Key of the fingerprints in findings. Without it findings have none. */
  fingerprintKey?: string | Uint8Array;
}

export interface StreamOptions {
  /** Lines are JSON, and are masked so that they stay valid JSON. Default false: plain text. */
  jsonLines?: boolean;
}

/** Masks one line after the other, given without their line ends, and keeps what must be known from line to line. */
export interface LineRedactor {
  /** A line of JSON; a line that is not JSON is masked as text. */
  json(line: string): string;
  /** A line of plain text. */
  text(line: string): string;
  /** A bounded snapshot; `lines(state)` of an equal redactor goes on from there. */
  state(): JsonValue;
}

/** Finds secrets and puts `[REDACTED]` in their place. Built once per process; pure: no clock, no file, no network. */
export interface Redactor {
  /** The text with every secret masked. Text that holds none is returned as it is. */
  redact(text: string): string;
  /** What `redact` would mask, in order of `start`, without overlaps. */
  findings(text: string): Finding[];
  /** One line of JSON, masked inside its strings: valid JSON stays valid, a clean line stays byte-identical. */
  jsonLine(line: string): string;
  /** A copy of a JSON value with its strings masked. */
  value(json: JsonValue): JsonValue;
  /** A redactor for the lines of one source, that remembers an open PEM block from line to line. */
  lines(state?: JsonValue): LineRedactor;
  /** Bytes in, masked bytes out; lines are held back until they are whole. */
  stream(options?: StreamOptions): TransformStream<Uint8Array, Uint8Array>;
  /** The rule set: its version and a hash over all rules in use. */
  readonly version: { set: string; hash: string };
  /** How many texts so far took more work than their length allows, or were too long to be held, and were masked whole. */
  readonly overBudget: number;
}
