import type { Detector } from "../engine/scan.ts";
import { looksDrawn } from "../engine/judge.ts";
import { isPlaceholder } from "./value.ts";

const USERINFO_LONGEST = 1024;
const STOPS = new Set(Array.from(" \t\n\r\"'`<>/?#", (char) => char.charCodeAt(0)));
const STOP = /[\s"'`<>\\/?#]/u;

/** `scheme://user:password@host` and `scheme://token@host`, of any scheme. */
export const urlUserinfo: Detector = {
  id: "url-userinfo",
  proving: false,
  may(text, _start, end) {
    const limit = end + USERINFO_LONGEST;
    for (let at = end; at < limit; at++) {
      const code = text.charCodeAt(at);
      // An @ at the end of it is needed; a line end, written as an escape, is the end of it.
      if (code === 64 || code > 127) return true;
      if (code === 92) return !/[nrt]/u.test(text[at + 1] ?? "");
      if (STOPS.has(code) || Number.isNaN(code)) return false;
    }
    return true;
  },
  detect(scan, start, end) {
    const { text } = scan;
    if (!/[a-z0-9]/iu.test(text[start - 1] ?? "")) return;
    let at = -1;
    let colon = -1;
    const limit = Math.min(text.length, end + USERINFO_LONGEST);
    for (let i = end; i < limit; i++) {
      const unit = text[i] ?? "";
      if (unit === "@") at = i;
      else if (unit === ":" && colon < 0) colon = i;
      // A password may hold a slash only where an @ still follows in the same word; that is not looked for.
      else if (STOP.test(unit)) break;
    }
    if (at <= end || !/[\w[$]/u.test(text[at + 1] ?? "")) return;
    const from = colon > 0 && colon < at && colon + 1 < at ? colon + 1 : end;
    const secret = text.slice(from, from === end && colon > 0 && colon < at ? colon : at);
    if (secret === "" || isTemplate(secret)) return;
    if (from === end && !(looksDrawn(secret) || (secret.length >= 20 && /\d/u.test(secret)))) return;
    scan.add("url-userinfo", from, from + secret.length);
  },
};

function isTemplate(text: string): boolean {
  return /^(?:\$|<|\{|%[a-z]|\*+$|x{3,}$|\.{3})|\$\{|\{\{|\[REDACTED|["'`]/iu.test(text);
}

/** Query parameters that sign a request; others are caught by their secret names. */
export const SIGNATURE_WORDS = ["signature=", "sig="] as const;

/** `X-Amz-Signature=…`, `sig=…` of presigned URLs. */
export const signedUrls: Detector = {
  id: "signed-url",
  proving: false,
  detect(scan, start, end) {
    if (!/[?&;_-]/u.test(scan.text[start - 1] ?? "")) return;
    const value = /[\w%+/=.~-]{16,2048}/uy;
    value.lastIndex = end;
    const text = value.exec(scan.text)?.[0];
    if (text !== undefined && /\d/u.test(text) && !isPlaceholder(text))
      scan.add("signed-url", end, end + text.length);
  },
};
