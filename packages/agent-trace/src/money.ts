import type { NanoUsd } from "./item.ts";
import type { JsonValue } from "./reader.ts";

const places = 9;

/**
 * An amount in US dollars, as an agent wrote it, in whole nano-dollars; rounded once, half away from zero. The decimal
 * digits are shifted, not multiplied, so that no binary fraction enters. Undefined for what is no amount.
 */
export const nanoUsd = (usd: JsonValue | undefined): NanoUsd | undefined => {
  if (typeof usd !== "number" && typeof usd !== "string") return undefined;
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(String(usd).trim());
  if (parts === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = whole + fraction;
  const shift = Number(exponent) - fraction.length + places;
  const nano = shift >= 0 ? shiftUp(digits, shift) : shiftDown(digits, -shift);
  if (nano > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  const amount = Number(nano);
  return sign === "-" && amount !== 0 ? -amount : amount;
};

const shiftUp = (digits: string, shift: number): bigint =>
  // Nothing that long fits a safe integer; spares the big power.
  digits.length + shift > 40 && BigInt(digits) !== 0n
    ? BigInt(Number.MAX_SAFE_INTEGER) + 1n
    : BigInt(digits) * 10n ** BigInt(Math.min(shift, 40));

const shiftDown = (digits: string, shift: number): bigint => {
  if (shift > digits.length) return 0n;
  const kept = digits.slice(0, digits.length - shift);
  const next = digits[digits.length - shift] ?? "0";
  return BigInt(kept === "" ? "0" : kept) + (next >= "5" ? 1n : 0n);
};
