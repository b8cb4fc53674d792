import { createHash } from "node:crypto";
import { createRedactor, type Redactor, type RuleFile, stripControls } from "@orphus/agent-trace/redact";
import type { JsonValue, Output } from "../run/run.ts";
import { invalid } from "./validate.ts";

/** Masks what comes in. Nothing reaches the store but through here. */
export interface Masker {
  text(text: string): string;
  /** Values by the redactor's rules for JSON, and keys as text. */
  json(value: JsonValue): JsonValue;
  output(bytes: Buffer, truncated: boolean): Required<Output>;
  /**
   * An id as it is. One that holds a secret is refused, because two masked ids would be one.
   * @throws {ApiError} `validation_failed`
   */
  id(id: string, field: string): string;
}

/**
 * @param secrets values that are known to be secret, such as the server's own token.
 * @param rules rule files of the operator.
 */
export const createMasker = (secrets: readonly string[], rules: readonly RuleFile[] = []): Masker => {
  const redactor = createRedactor({ values: secrets, idPaths: ["id"], rules });
  const text = (raw: string): string => redactor.redact(stripControls(raw.toWellFormed()));
  return {
    text,
    json: (value) => maskKeys(redactor.value(clean(value)), text),
    output: (bytes, truncated) => {
      const masked = maskBytes(bytes, redactor);
      const sha256 = createHash("sha256").update(masked).digest("hex");
      return { sha256, size: masked.length, truncated, bytes: masked };
    },
    id: (id, field) => {
      const masked = redactor.value({ id });
      const holdsSecret =
        typeof masked !== "object" || masked === null || !("id" in masked) || masked["id"] !== id;
      if (holdsSecret || stripControls(id.toWellFormed()) !== id) {
        throw invalid([{ field, problem: "looks like a credential, or holds control characters" }]);
      }
      return id;
    },
  };
};

/** Text is masked as text. Bytes that are no UTF-8 are masked one character a byte, which leaves the others as they are. */
const maskBytes = (bytes: Buffer, redactor: Redactor): Uint8Array => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const masked = redactor.redact(text);
    return masked === text ? bytes : Buffer.from(masked);
  } catch {
    return Buffer.from(redactor.redact(bytes.toString("latin1")), "latin1");
  }
};

/** Without control characters and halves of surrogate pairs, which no database and no page takes. */
const clean = (value: JsonValue): JsonValue =>
  mapText(value, (text) => stripControls(text.toWellFormed()), "values");

const maskKeys = (value: JsonValue, text: (raw: string) => string): JsonValue => mapText(value, text, "keys");

/** Recursion is safe: the depth of a body is bounded. */
const mapText = (value: JsonValue, map: (text: string) => string, which: "keys" | "values"): JsonValue => {
  if (typeof value === "string") return which === "values" ? map(value) : value;
  if (Array.isArray(value)) return value.map((part) => mapText(part, map, which));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      which === "keys" ? map(key) : key,
      mapText(part, map, which),
    ]),
  );
};
