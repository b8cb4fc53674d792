/**
 * How sure a name is of its value: behind `strong` names stand values that people choose, behind `weak` ones values that
 * machines make, so that there a plain word is no secret.
 */
export type Strength = "strong" | "weak";

const STRONG = new Set([
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "passcode",
  "secret",
  "credential",
  "cred",
]);
const WEAK = new Set([
  "token",
  "auth",
  "authorization",
  "apikey",
  "accesskey",
  "secretkey",
  "privatekey",
  "jwt",
]);
const KEYS_OF = new Set(
  (
    "api access secret private signing encryption auth account shared master deploy storage subscription license " +
    "admin client app application consumer rest write server webhook hmac aes sas service"
  ).split(" "),
);
const JOINED_STRONG = /(?:password|passwd|passphrase|clientsecret|appsecret|apisecret)\d*$/u;
const JOINED_WEAK =
  /(?:auth|access|api|bot|refresh|session|bearer|user|app|id|identity|registry|github|gitlab|slack|npm)(?:token)$|(?:api|access|secret|private)keys?$/u;

const MOST_KNOWN = 4096;
const known = new Map<string, Strength | undefined>();

/** Whether a key, variable, header or flag is named like the holder of a secret. */
export function secretName(name: string): Strength | undefined {
  // The same names come again and again.
  const before = known.get(name);
  if (before !== undefined || known.has(name)) return before;
  const strength = strengthOf(name);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, strength);
  return strength;
}

function strengthOf(name: string): Strength | undefined {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "" && !/^\d+$/u.test(word));
  if (words.at(-1) === "data" || words.at(-1) === "base64") words.pop();
  const last = singular(words.at(-1) ?? "");
  const before = words.at(-2) ?? "";
  if (STRONG.has(last) || JOINED_STRONG.test(last)) return "strong";
  if ((last === "pass" || last === "pw") && before !== "") return "strong";
  if (WEAK.has(last) || JOINED_WEAK.test(last)) return "weak";
  return last === "key" && KEYS_OF.has(before) ? "weak" : undefined;
}

function singular(word: string): string {
  const bare = word.replace(/\d+$/u, "");
  return bare.endsWith("s") && bare !== "pass" ? bare.slice(0, -1) : bare;
}

/**
 * Whether a JSON string under this key is masked whole: the name ends in api key, authorization, auth, secret, token,
 * password, credential or the like, at a beginning, a separator or a capital, singular or plural.
 */
export function isSecretKey(key: string): boolean {
  return key.length <= 128 && (secretName(key) !== undefined || /^(?:set-)?cookies?$/iu.test(key));
}
