import { createRedactor, type Redactor } from "@orphus/agent-trace/redact";

/** Puts `[REDACTED]` in the place of every secret that a text holds. */
export type Mask = (text: string) => string;

let builtIn: Redactor | undefined;

/** Masks by the built-in rules alone: for what is said where the configuration's own rules are not known. */
export const maskText: Mask = (text) => {
  builtIn ??= createRedactor();
  return builtIn.redact(text);
};
