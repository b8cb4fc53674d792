import type { ModelProvider } from "../provider/types.ts";
import type { ThinkingLevel } from "../session/entry.ts";
import type { SessionLog } from "../session/log.ts";

/** Who answers, and how much it thinks first. */
export interface ModelChoice {
  provider: ModelProvider | undefined;
  thinkingLevel: ThinkingLevel;
}

/** Tells in the session which model answers from here on, where that is not known yet. */
export const noteModel = async (log: SessionLog, { provider, thinkingLevel }: ModelChoice): Promise<void> => {
  if (provider === undefined) return;
  const { provider: name, id } = provider.model;
  const last = log.branch().findLast((entry) => entry.type === "model_change");
  if (last?.provider !== name || last.modelId !== id)
    await log.append({ type: "model_change", provider: name, modelId: id, model: provider.model });
  const level = log.branch().findLast((entry) => entry.type === "thinking_level_change");
  if (level?.thinkingLevel !== thinkingLevel)
    await log.append({ type: "thinking_level_change", thinkingLevel });
};
