import { isRetryable } from "../record/classify.ts";
import { type Answer, ask, keepAborted } from "./ask.ts";
import type { AgentSettings } from "./settings.ts";
import type { AgentWorld } from "./world.ts";

/** How long to wait before a try (1 is the first retry); undefined when the provider asks for more than the limit. */
const delayBefore = (
  { baseDelayMs, maxDelayMs }: AgentSettings["retry"],
  retry: number,
  retryAfterMs: number | undefined,
): number | undefined => {
  if (retryAfterMs !== undefined && retryAfterMs > maxDelayMs) return undefined;
  return Math.min(maxDelayMs, Math.max(baseDelayMs * 2 ** (retry - 1), retryAfterMs ?? 0));
};

/** Asks the model until it answers, the failure is not worth another try, or the tries are used up. */
export const respond = async (
  world: AgentWorld,
  signal: AbortSignal,
  heard: (answer: Answer) => void,
): Promise<Answer> => {
  const { retry } = world.settings;
  for (let retries = 0; ; retries += 1) {
    const attempt = world.recorder.next().attempt;
    const answer = await ask(world, signal);
    heard(answer);
    const { error } = answer;
    const delayMs = delayBefore(retry, retries + 1, answer.retryAfterMs);
    const again =
      error !== undefined && isRetryable(error) && retries < retry.maxRetries && delayMs !== undefined;
    if (!again) {
      const outcome = error === undefined ? { success: true } : { success: false, error };
      if (retries > 0) world.emit({ type: "auto_retry_end", attempt, ...outcome });
      return answer;
    }
    const coming = world.recorder.next().attempt;
    world.emit({ type: "auto_retry_start", attempt: coming, maxAttempts: retry.maxRetries, delayMs, error });
    try {
      await world.capabilities.clock.sleep(delayMs, signal);
    } catch {
      const aborted = await keepAborted(world, signal);
      heard(aborted);
      return aborted;
    }
  }
};
