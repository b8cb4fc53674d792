import { createHash } from "node:crypto";
import type { JsonValue } from "../reader.ts";
import { MASK } from "./controls.ts";
import type { Finding, LineRedactor, Redactor, RedactorOptions } from "./redactor.ts";

const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ["authorization", /authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?([^\s"',\\]{4,})/giu],
  ["url-userinfo", /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,80}:([^\s/@]{3,200})@/giu],
  ["assignment", /(?:password|passwd|secret|token|api[_-]?key)["']?[:=]\s*["']?([^\s"',;\\(){}]{6,})/giu],
  ["prefix", /\b((?:sk-|sk_live_|rk_live_|gh[posr]_|github_pat_|glpat-|npm_|xox[bpa]-|AKIA)[\w-]{12,})/gu],
];
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----([\s\S]*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu;
const SECRET_KEY = /(?:api[_-]?key|authorization|auth|secret|token|password|credential)s?$/iu;

export function createRedactor(options: RedactorOptions = {}): Redactor {
  const values = (options.values ?? []).filter((value) => value.length >= 4);

  const findings = (text: string): Finding[] => {
    const found: Finding[] = [];
    for (const [rule, pattern] of [...PATTERNS, ["pem", PEM] as const])
      for (const match of text.matchAll(pattern)) {
        const secret = match[1] ?? "";
        if (secret.includes(MASK)) continue;
        const start = match.index + match[0].indexOf(secret, 0);
        found.push({ rule, start, end: start + secret.length });
      }
    for (const value of values)
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
        found.push({ rule: "known-value", start: at, end: at + value.length });
    found.sort((a, b) => a.start - b.start || b.end - a.end);
    let end = -1;
    return found.filter((finding) => finding.start >= end && ((end = finding.end), true));
  };
  const redact = (text: string): string => {
    let out = "";
    let at = 0;
    for (const { start, end } of findings(text)) {
      out += text.slice(at, start) + MASK;
      at = end;
    }
    return at === 0 ? text : out + text.slice(at);
  };
  const value = (json: JsonValue): JsonValue => {
    if (typeof json === "string") return redact(json);
    if (Array.isArray(json)) return json.map(value);
    if (json === null || typeof json !== "object") return json;
    const masked: { [key: string]: JsonValue } = {};
    for (const [key, inner] of Object.entries(json))
      masked[key] = typeof inner === "string" && inner !== "" && SECRET_KEY.test(key) ? MASK : value(inner);
    return masked;
  };
  const jsonLine = (line: string): string => {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it can give is just what JsonValue says
      const parsed = JSON.parse(line) as JsonValue;
      const masked = JSON.stringify(value(parsed));
      return masked === JSON.stringify(parsed) ? line : masked;
    } catch {
      return redact(line);
    }
  };
  const lines = (): LineRedactor => ({ json: jsonLine, text: redact, state: () => null });
  const stream = (options: { jsonLines?: boolean } = {}): TransformStream<Uint8Array, Uint8Array> => {
    const mask = options.jsonLines === true ? jsonLine : redact;
    let held = "";
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    return new TransformStream({
      transform(chunk, controller) {
        held += decoder.decode(chunk, { stream: true });
        const parts = held.split("\n");
        held = parts.pop() ?? "";
        for (const part of parts) controller.enqueue(encoder.encode(`${mask(part)}\n`));
      },
      flush(controller) {
        held += decoder.decode();
        if (held !== "") controller.enqueue(encoder.encode(mask(held)));
      },
    });
  };
  const hash = createHash("sha256").update(PATTERNS.map(String).join("\n")).digest("hex").slice(0, 16);
  return { redact, findings, value, jsonLine, lines, stream, version: { set: "0", hash } };
}
