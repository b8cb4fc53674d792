/** Fakes that look like credentials are put together when they are needed: none stands in the source. */

const ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Letters and digits that look drawn, the same for the same seed. */
export function drawn(length: number, seed = 1): string {
  let state = seed * 2_654_435_761;
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += ALNUM[(state >>> 16) % ALNUM.length] ?? "";
  }
  return text;
}

export const stripeKey = (seed?: number): string => ["sk", "live", drawn(24, seed)].join("_");
export const githubToken = (seed?: number): string => ["ghp", drawn(36, seed)].join("_");
export const gitlabToken = (seed?: number): string => ["glpat", drawn(20, seed)].join("-");
export const slackToken = (): string => ["xoxb", "123456789012", "123456789012", drawn(24)].join("-");

/** A private key in PEM form whose lines are the given ones. */
export function pem(lines: readonly string[]): string[] {
  const label = ["RSA", "PRIVATE", "KEY"].join(" ");
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`];
}
