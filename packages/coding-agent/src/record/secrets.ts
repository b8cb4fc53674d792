import type { MaskText } from "./redact.ts";
import { REDACTED } from "./redact.ts";

const SECRET_NAME = /(?:key|token|secret|password|passwd|credentials?)$/iu;
/** Shorter values would take harmless text with them. */
const MIN_LENGTH = 8;

/** Values of environment variables that are secret by their name, longest first. */
export const secretValues = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value ?? "")
    .filter((value) => value.length >= MIN_LENGTH)
    .sort((a, b) => b.length - a.length);

/** Masks exactly the given values. */
export const maskValues =
  (values: readonly string[]): MaskText =>
  (text) =>
    values.reduce((masked, value) => masked.replaceAll(value, REDACTED), text);
