import { createRedactor, type Redactor } from "@orphus/agent-trace/redact";

/** Puts `[REDACTED]` in the place of every secret that a text holds. */
export type Mask = (text: string) => string;

let builtIn: Redactor | undefined;

const builtInRedactor = (): Redactor => {
  builtIn ??= createRedactor();
  return builtIn;
};

/** Masks by the built-in rules alone: for what is said where the configuration's own rules are not known. */
export const maskText: Mask = (text) => builtInRedactor().redact(text);

/** Rules as the ledger names them: `1.0.0 0123456789abcdef`. */
export const ruleSetOf = ({ version }: Redactor): string => `${version.set} ${version.hash}`;

export const builtInRuleSet = (): string => ruleSetOf(builtInRedactor());
