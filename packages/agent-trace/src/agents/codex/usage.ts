import type { TokenCounts } from "../../item.ts";
import { count, object, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";

/** Tokens as Codex counts them: `input` includes the cached and the cache-writing part, `output` the reasoning. */
export interface CodexTokens {
  input: number;
  output: number;
  cached?: number;
  cacheWrite?: number;
  reasoning?: number;
}

/** Reads a `*_token_usage` object; undefined when it does not say input and output. */
export const codexTokens = (value: JsonValue | undefined): CodexTokens | undefined => {
  const usage = object(value);
  const input = count(usage?.["input_tokens"]);
  const output = count(usage?.["output_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  return present({
    input,
    output,
    cached: count(usage?.["cached_input_tokens"]),
    cacheWrite: count(usage?.["cache_write_input_tokens"]),
    reasoning: count(usage?.["reasoning_output_tokens"]),
  });
};

export const tokensState = (tokens: CodexTokens): JsonObject => ({
  input_tokens: tokens.input,
  output_tokens: tokens.output,
  ...(tokens.cached === undefined ? {} : { cached_input_tokens: tokens.cached }),
  ...(tokens.cacheWrite === undefined ? {} : { cache_write_input_tokens: tokens.cacheWrite }),
  ...(tokens.reasoning === undefined ? {} : { reasoning_output_tokens: tokens.reasoning }),
});

/** The record's disjoint counts. */
export const tokenCounts = ({ input, output, cached, cacheWrite, reasoning }: CodexTokens): TokenCounts =>
  present({
    input: Math.max(0, input - (cached ?? 0) - (cacheWrite ?? 0)),
    output,
    cacheRead: cached,
    cacheWrite5m: cacheWrite,
    reasoning,
  });

const parts = ["input", "output", "cached", "cacheWrite", "reasoning"] as const;

const falls = (from: CodexTokens, to: CodexTokens): boolean =>
  parts.some((part) => (to[part] ?? 0) < (from[part] ?? 0));

const nothing: CodexTokens = { input: 0, output: 0 };

const minus = (total: CodexTokens, before: CodexTokens): CodexTokens => {
  const less = (part: (typeof parts)[number]): number | undefined => {
    const now = total[part];
    return now === undefined ? undefined : now - (before[part] ?? 0);
  };
  return present({
    input: total.input - before.input,
    output: total.output - before.output,
    cached: less("cached"),
    cacheWrite: less("cacheWrite"),
    reasoning: less("reasoning"),
  });
};

/**
 * The running total of a thread. Codex writes totals, often twice, and in two kinds of records: an equal total is a
 * repeat, a lower one a new baseline, and the amount of a response is the difference.
 */
export class RunningTotal {
  #total: CodexTokens | undefined;

  constructor(state?: JsonValue) {
    this.#total = codexTokens(state);
  }

  /** Sets the baseline without counting anything: the total belongs to replayed history. */
  rebase(total: CodexTokens | undefined): void {
    if (total !== undefined) this.#total = total;
  }

  /**
   * What was spent since the last total; undefined for a repeat. `last` is the record's own word on its response: it is
   * taken where there is no difference to take: the total fell, or it is the first one of a thread that may go on with
   * another one's total (`inherits`).
   */
  advance(
    total: CodexTokens | undefined,
    last: CodexTokens | undefined,
    inherits: boolean,
  ): CodexTokens | undefined {
    if (total === undefined) return undefined;
    const before = this.#total;
    this.#total = total;
    const whole = before === undefined ? !inherits : !falls(before, total);
    const amount = whole ? minus(total, before ?? nothing) : (last ?? total);
    // An equal total leaves nothing.
    return amount.input === 0 && amount.output === 0 ? undefined : amount;
  }

  get total(): CodexTokens | undefined {
    return this.#total;
  }

  state(): JsonValue {
    return this.#total === undefined ? null : tokensState(this.#total);
  }
}
