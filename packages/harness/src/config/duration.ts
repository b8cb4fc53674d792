const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const whole = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** Milliseconds of `90s`, `1h30m`, `0`; undefined when the text is no duration. Units: ms, s, m, h, d. */
export const parseDuration = (text: string): number | undefined => {
  if (text === "0") return 0;
  if (!whole.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(part)) total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  return Math.round(total);
};
