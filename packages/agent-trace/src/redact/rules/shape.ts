import { type Rule, TO_VALUE, token, within } from "./rule.ts";

/** Shapes that belong to no one provider: signed tokens, and secrets that were base64-encoded once more. */
export const SHAPE_RULES: readonly Rule[] = [
  within("quoted-password", `(?i:password)${TO_VALUE}"([\\w=-]{8,20})"`, { entropy: 2, random: true }),
  token("jwt", "ey[0-9A-Za-z]{15,2000}\\.ey[\\w/\\\\-]{15,4000}\\.(?:[\\w/\\\\-]{10,2000}={0,2})?", {
    entropy: 3,
    edge: true,
    proving: true,
    keywords: ["ey"],
  }),
  token("jws", "eyJ[\\w-]{10,2000}\\.[\\w-]{10,4000}\\.[\\w-]{16,2000}", {
    entropy: 3,
    edge: true,
    proving: true,
  }),
  token("jwt-base64", "ZXlK[\\w+/\\n\\r\\\\-]{44,4000}={0,2}", { entropy: 3, edge: true }),
];
