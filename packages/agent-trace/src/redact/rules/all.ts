import { AI_RULES } from "./ai.ts";
import { CHAT_RULES } from "./chat.ts";
import { CLOUD_RULES } from "./cloud.ts";
import { CODE_RULES } from "./code.ts";
import { PAYMENT_RULES } from "./payment.ts";
import { SERVICE_RULES } from "./service.ts";
import type { Rule, RuleSet } from "./rule.ts";
import { SHAPE_RULES } from "./shape.ts";

/** The built-in set. A change of the rules raises the version. */
export const BUILT_IN: RuleSet = {
  version: "1.0.0",
  rules: [
    ...AI_RULES,
    ...CLOUD_RULES,
    ...CODE_RULES,
    ...CHAT_RULES,
    ...PAYMENT_RULES,
    ...SERVICE_RULES,
    ...SHAPE_RULES,
  ] satisfies readonly Rule[],
};
