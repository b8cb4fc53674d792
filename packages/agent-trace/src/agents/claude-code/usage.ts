import type { TokenCounts } from "../../item.ts";
import { count, object, objects, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";

/**
 * Tokens of a response's or a result's `usage`. `input_tokens` excludes cache reads and writes, as ours does. Where the
 * lifetimes of cache writes are not told apart, or their parts say nothing, the total counts as five-minute writes.
 */
export const tokensOf = (value: JsonValue | undefined): TokenCounts | undefined => {
  const usage = object(value);
  if (usage === undefined) return undefined;
  const writes = count(usage["cache_creation_input_tokens"]);
  const parts = object(usage["cache_creation"]);
  const long = count(parts?.["ephemeral_1h_input_tokens"]) ?? 0;
  const short =
    writes === undefined ? count(parts?.["ephemeral_5m_input_tokens"]) : Math.max(writes - long, 0);
  return present({
    input: count(usage["input_tokens"]),
    output: count(usage["output_tokens"]),
    cacheRead: count(usage["cache_read_input_tokens"]),
    cacheWrite5m: short,
    cacheWrite1h: long === 0 ? undefined : long,
    reasoning: positive(count(object(usage["output_tokens_details"])?.["thinking_tokens"])),
  });
};

/** Tokens of a result's `modelUsage`, over all models: the whole session with its sub-agents. */
export const tokensOfModels = (value: JsonValue | undefined): TokenCounts | undefined => {
  const models = objects(Object.values(object(value) ?? {}));
  if (models.length === 0) return undefined;
  const sum = (field: string): number | undefined => total(models, field);
  const writes = sum("cacheCreationInputTokens");
  const long = sum("cacheCreationEphemeral1hInputTokens") ?? 0;
  return present({
    input: sum("inputTokens"),
    output: sum("outputTokens"),
    cacheRead: sum("cacheReadInputTokens"),
    cacheWrite5m: writes === undefined ? undefined : Math.max(writes - long, 0),
    cacheWrite1h: long === 0 ? undefined : long,
    reasoning: positive(sum("thinkingTokens")),
  });
};

const total = (models: readonly JsonObject[], field: string): number | undefined => {
  const known = models.flatMap((model) => count(model[field]) ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, tokens) => sum + tokens, 0);
};

/** The agent writes 0 where it did not measure. */
const positive = (tokens: number | undefined): number | undefined => (tokens === 0 ? undefined : tokens);

/** Whether a response's tokens say anything: a failed request is written with zeros. */
export const isSpent = (tokens: TokenCounts): boolean => Object.values(tokens).some((amount) => amount > 0);
