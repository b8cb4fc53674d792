/** Shannon entropy of a text in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/**
 * How often the kind of character (lower, upper, digit, other) changes from one to the next, 0 to 1. Text drawn from
 * letters and digits changes at six places in ten; names made of words change once a word.
 */
export function changes(text: string): number {
  let changed = 0;
  for (let i = 1; i < text.length; i++)
    if (kindOf(text.charCodeAt(i)) !== kindOf(text.charCodeAt(i - 1))) changed += 1;
  return text.length < 2 ? 0 : changed / (text.length - 1);
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 48 && code <= 57 ? 2 : 3;
}

const DRAWN = 0.36;

/** Whether a value could have been drawn at random: it holds a digit, or mixes its letters as no word does. */
export function looksRandom(text: string): boolean {
  return /\d/u.test(text) || changes(text) > DRAWN;
}

const NAME_SHARE = 0.7;

/**
 * Whether a value reads like a name in code: nearly all of it words (`x509Authentication`, `aws-ec2-metadata-token`),
 * with digits in at most two places.
 */
export function looksNamed(text: string): boolean {
  // Runs of capitals are words only among others: by themselves they may be base32.
  const words = /[a-z]/u.test(text) ? /[A-Z]?[a-z]{2,}|[A-Z]{3,}/gu : /[A-Z]{3,}(?=_|$)/gu;
  const inWords = (text.match(words) ?? []).join("").length;
  const signs = text.replaceAll(/[^0-9A-Za-z]+/gu, "").length;
  return inWords >= signs * NAME_SHARE && (text.match(/\d+/gu) ?? []).length <= 2;
}

/**
 * Whether a value is so mixed that it is secret wherever a secret is expected, whatever code stands around it.
 */
export function looksDrawn(text: string): boolean {
  return (
    text.length >= 16 && /\d/u.test(text) && entropyOf(text) > 3.2 && changes(text) > 0.2 && !looksNamed(text)
  );
}
