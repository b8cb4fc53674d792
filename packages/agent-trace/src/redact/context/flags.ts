import type { Detector, Scan } from "../engine/scan.ts";
import { secretName } from "./names.ts";
import { isPlaceholder, readValue } from "./value.ts";
import { match } from "./header.ts";

const COMMAND_LONGEST = 2000;
const CURL_FLAG =
  /[\s"'](?:-[A-Za-z]{0,8}?(?<short>[uHUb])|--(?<long>user|header|proxy-user|cookie|oauth2-bearer))(?:[ \t]{0,5}=?)[ \t]{0,5}/gu;

/** `curl -u user:password`, `-H "Header: value"`, over line continuations too. */
export const curlCommands: Detector = {
  id: "curl",
  proving: false,
  detect(scan, start, end) {
    const done = scan.notes.get("curl") ?? 0;
    if (start < done) return;
    const command = scan.text.slice(end, end + COMMAND_LONGEST);
    scan.notes.set("curl", end + command.length);
    for (const flag of command.matchAll(CURL_FLAG)) {
      const { short, long } = flag.groups ?? {};
      const at = end + flag.index + flag[0].length;
      if (short === "H" || long === "header") header(scan, at);
      else if (short === "u" || short === "U" || long === "user" || long === "proxy-user")
        userPassword(scan, at);
      else if (long === "oauth2-bearer") whole(scan, "curl", at);
    }
  },
};

function header(scan: Scan, at: number): void {
  const value = readValue(scan.text, at);
  const parts = /^([\w-]{1,64}):[ \t]{0,5}(?:(?:basic|bearer|(?:api-)?token)[ \t]{1,4})?(.*)$/iu.exec(
    value?.text ?? "",
  );
  if (value === undefined || parts === null) return;
  const [, name = "", secret = ""] = parts;
  if (secretName(name) === undefined && !/^(?:x-)?(?:[\w-]{1,40}-)?(?:key|token)$/iu.test(name)) return;
  if (secret.length < 4 || isPlaceholder(secret) || secret.includes("[REDACTED]")) return;
  scan.add("curl", value.end - secret.length, value.end);
}

const PART = `(?:"[^"\\n]{0,256}"|'[^'\\n]{0,256}'|[^\\s"':]{0,256})`;
const USER = new RegExp(`(${PART}):("[^"\\n]{1,256}"|'[^'\\n]{1,256}'|[^\\s"']{1,256})?`, "uy");

/** Masks the password of `user:password`, or the user where there is no password: then it is a key. */
function userPassword(scan: Scan, at: number): void {
  const quote = scan.text[at];
  if (quote === '"' || quote === "'") {
    const value = readValue(scan.text, at);
    if (value !== undefined && scan.text[value.end + 1] !== ":") {
      const colon = value.text.indexOf(":");
      if (colon < 0) return;
      const password = value.text.slice(colon + 1);
      if (password === "") addUnlessPlaceholder(scan, value.start, value.start + colon);
      else addUnlessPlaceholder(scan, value.end - password.length, value.end);
      return;
    }
  }
  USER.lastIndex = at;
  const pair = USER.exec(scan.text);
  if (pair === null) return;
  const [, user = "", password = ""] = pair;
  const end = USER.lastIndex;
  if (password === "") addUnlessPlaceholder(scan, at, at + user.length);
  else addUnlessPlaceholder(scan, end - password.length, end);
}

function addUnlessPlaceholder(scan: Scan, start: number, end: number): void {
  const text = scan.text.slice(start, end).replace(/^["']|["']$/gu, "");
  if (text === "" || isTemplate(text)) return;
  scan.add("curl", start, end);
}

function isTemplate(text: string): boolean {
  return /^(?:\$|<|\{\{|\*+$|%\w+%)|\[REDACTED/u.test(text);
}

function whole(scan: Scan, rule: string, at: number): void {
  const value = readValue(scan.text, at);
  if (value === undefined || isTemplate(value.text) || value.text.startsWith("-") || value.text.length < 3)
    return;
  scan.add(rule, value.start, value.end);
}

/** Commands whose short flag is a password: `joined` flags take it without a blank only. */
const COMMANDS: { readonly [command: string]: { flag: RegExp } } = {
  mysql: { flag: /[ \t]-p(?=[^\s-])/gu },
  mariadb: { flag: /[ \t]-p(?=[^\s-])/gu },
  sshpass: { flag: /^[ \t]+-p[ \t]?/gu },
  "docker login": { flag: /[ \t]-p[ \t=]?/gu },
  "podman login": { flag: /[ \t]-p[ \t=]?/gu },
  "helm registry login": { flag: /[ \t]-p[ \t=]?/gu },
  "az login": { flag: /[ \t]-p[ \t=]?/gu },
  "redis-cli": { flag: /[ \t]-a[ \t]/gu },
  ldapsearch: { flag: /[ \t]-w[ \t]?/gu },
  sqlcmd: { flag: /[ \t]-P[ \t]?/gu },
  mongosh: { flag: /[ \t]-p[ \t]/gu },
  "openssl ": { flag: /-pass(?:in|out)?[ \t]+pass:/gu },
};

/** Keywords of `commandPasswords`. */
export const COMMAND_WORDS = Object.keys(COMMANDS);

export const commandPasswords: Detector = {
  id: "command-password",
  proving: false,
  detect(scan, start, end) {
    const flag = COMMANDS[scan.text.slice(start, end).toLowerCase()]?.flag;
    if (flag === undefined) return;
    const line = scan.text.slice(end, end + 400).split("\n", 1)[0] ?? "";
    for (const found of line.matchAll(flag)) {
      const at = end + found.index + found[0].length;
      const value = readValue(scan.text, at);
      if (
        value === undefined ||
        value.text.length < 3 ||
        isTemplate(value.text) ||
        value.text.startsWith("-")
      )
        continue;
      scan.add("command-password", value.start, value.end);
    }
  },
};

const NETRC =
  /(?:machine[ \t]{1,8}\S{1,256}|default)\s{1,16}(?:login\s{1,16}\S{1,256}\s{1,16})?(?:account\s{1,16}\S{1,256}\s{1,16})?password\s{1,16}/uy;
const NETRC_LINE = /(?:login[ \t]{1,8}\S{1,256}[ \t]{1,8})password[ \t]{1,8}/uy;
const NETRC_REST = /\s{0,16}password[ \t]{1,8}/uy;

/** `.netrc`: on one line or over several. */
export const netrcEntries: Detector = {
  id: "netrc",
  proving: false,
  may(text, start, end) {
    if (!/[Dd]/u.test(text[start] ?? "")) return true;
    // Behind `default` comes the next word of the entry.
    const next = /\s{1,16}(?<word>.?)/uy;
    next.lastIndex = end;
    const found = next.exec(text)?.groups?.["word"];
    return found === undefined ? text[end] === "\\" : /[lap\\]/iu.test(found);
  },
  detect(scan, start) {
    const at = match(NETRC, scan.text, start) ?? match(NETRC_LINE, scan.text, start);
    if (at === undefined) return;
    const value = readValue(scan.text, at);
    if (value !== undefined && !isTemplate(value.text)) scan.add("netrc", value.start, value.end);
  },
};

/** A line `password x` of a `.netrc` read line by line, with nothing else on it. */
export const netrcPasswordLines: Detector = {
  id: "netrc-line",
  proving: false,
  detect(scan, start) {
    const lineStart = scan.text.lastIndexOf("\n", start - 1) + 1;
    if (start - lineStart > 16 || scan.text.slice(lineStart, start).trim() !== "") return;
    const at = match(NETRC_REST, scan.text, start);
    const value = at === undefined ? undefined : readValue(scan.text, at);
    if (value === undefined || !/^(?:[\r\n]|$)/u.test(value.next) || isPlaceholder(value.text)) return;
    if (/\d/u.test(value.text)) scan.add("netrc", value.start, value.end);
  },
};

const PGPASS =
  /(?:^|[\s"'`])([\w.*-]{1,255}:(?:\d{2,5}|\*):[\w.*-]{1,63}:[\w.*@-]{1,63}:)([^\s:"'`]{3,256})(?=$|[\s"'`\\])/u;

/** `.pgpass`: `host:port:database:user:password`. */
export const pgpassLines: Detector = {
  id: "pgpass",
  proving: false,
  detect(scan, start, end) {
    const from = Math.max(0, start - 256);
    const found = PGPASS.exec(scan.text.slice(from, end + 512));
    if (found === null) return;
    const [all, , password = ""] = found;
    const secretEnd = from + found.index + all.length;
    if (!isTemplate(password)) scan.add("pgpass", secretEnd - password.length, secretEnd);
  },
};
