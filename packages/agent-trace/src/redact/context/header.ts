import type { Detector } from "../engine/scan.ts";
import { looksNamed, looksRandom } from "../engine/judge.ts";
import { isPlaceholder } from "./value.ts";

const AUTHORIZATION =
  /(?:authorization|authorisation)(?:\\{0,4}["'`])?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}(?:\\{0,4}["'`])?[ \t]{0,4}/iuy;
const SCHEME =
  /(?:bearer|basic|token|digest|negotiate|ntlm|apikey|api-key|api-token|bot|key|splunk|sso-key|genie-?key|hmac|aws4-hmac-sha256|dpop|oauth|jwt)[ \t]{1,4}/iuy;
const HEADER_VALUE = /[^\s"'`\\<>{}$,;()[\]]{3,4096}/uy;

/** `Authorization: …`, with or without scheme, in a header, a command or an object. */
export const authorizationHeaders: Detector = {
  id: "authorization-header",
  proving: false,
  detect(scan, start) {
    const at = match(AUTHORIZATION, scan.text, start);
    if (at === undefined) return;
    const behindScheme = match(SCHEME, scan.text, at);
    const from = behindScheme ?? at;
    const end = match(HEADER_VALUE, scan.text, from);
    if (end === undefined) return;
    const value = scan.text.slice(from, end);
    if (isPlaceholder(value) || scan.text[end] === "(" || scan.text[end] === "{") return;
    if (
      behindScheme === undefined &&
      (value.length < 8 || !looksRandom(value) || looksNamed(value) || /^[A-Za-z_$][\w$]*\./u.test(value))
    )
      return;
    scan.add("authorization-header", from, rest(scan.text, end));
  },
};

/** Parameters behind the first value (`Digest a="…", response="…"`) belong to it, up to the end of line or quote. */
function rest(text: string, end: number): number {
  const parameters = /(?:,[ \t]{0,4}[\w-]{1,32}=(?:"[^"\n]{0,512}"|[^\s",]{1,512})){1,16}/uy;
  return match(parameters, text, end) ?? end;
}

const BEARER = /bearer[ \t]{1,4}(?:\\{0,4}["'`])?/iuy;

/** `Bearer …` without the header's name, where the value looks drawn. */
export const bearerTokens: Detector = {
  id: "bearer-token",
  proving: false,
  detect(scan, start) {
    const from = match(BEARER, scan.text, start);
    const end = from === undefined ? undefined : match(HEADER_VALUE, scan.text, from);
    if (from === undefined || end === undefined) return;
    const value = scan.text.slice(from, end);
    if (value.length >= 12 && /\d/u.test(value) && looksRandom(value) && !isPlaceholder(value))
      scan.add("bearer-token", from, end);
  },
};

const COOKIE = /cookie(?:\\{0,4}["'`])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,4}["'`])?/iuy;
const PAIR = /[ \t]{0,4}([\w!#$%&*+.^|~-]{1,128})=([^\s;,"'`\\]{0,4096})(;?)/uy;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|httponly|secure|priority|partitioned|version)$/iu;
const HARMLESS = /^(?:theme|lang|language|locale|tz|timezone|currency|country|consent)$/iu;

/** `Cookie:` and `Set-Cookie:`: the values of all pairs but attributes and plain settings. */
export const cookies: Detector = {
  id: "cookie",
  proving: false,
  detect(scan, start) {
    let at = match(COOKIE, scan.text, start);
    for (let pairs = 0; at !== undefined && pairs < 64; pairs++) {
      PAIR.lastIndex = at;
      const pair = PAIR.exec(scan.text);
      if (pair === null) return;
      const [, name = "", value = "", more] = pair;
      const end = PAIR.lastIndex - (more ?? "").length;
      if (value.length >= 4 && !ATTRIBUTE.test(name) && !HARMLESS.test(name) && !isPlaceholder(value))
        scan.add("cookie", end - value.length, end);
      if (more === "") return;
      at = PAIR.lastIndex;
    }
  },
};

/** End of a match that begins exactly at `at`. */
export function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
