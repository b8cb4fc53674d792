import { childPath, isJsonObject, parseJson } from "../json.ts";
import type { JsonObject, JsonValue } from "../message.ts";

/** What stands in the place of a credential. */
export const REDACTED = "[redacted]";

/** Masks secrets by their shape inside a string. */
export type MaskText = (text: string) => string;

const CREDENTIAL_KEY =
  /(?:^|[._-])(?:api[._-]?key|private[._-]?key|access[._-]?key|authorization|auth|bearer|secret|token|password|passwd|passphrase|credential|cookie)s?$/iu;

/** Keys whose children are named by whoever wrote the schema: `properties.token` describes a token and holds none. */
const SCHEMA_MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Whether a key names a credential: `apiKey`, `client_secret`, `access-token`. */
export const isCredentialKey = (key: string): boolean =>
  CREDENTIAL_KEY.test(key.replaceAll(/([a-z\d])([A-Z])/gu, "$1_$2"));

/** Whether a member is masked whole: strings and containers are; numbers, booleans and null hold nothing (`max_tokens`). */
export const isCredential = (key: string, value: JsonValue): boolean =>
  value !== null && (typeof value === "string" || typeof value === "object") && isCredentialKey(key);

/** Whether a member of this name may change how its members are read. */
export const isSchemaMap = (key: string): boolean => SCHEMA_MAPS.has(key);

const isSchema = (object: JsonObject): boolean =>
  object["type"] === "object" || "$schema" in object || "required" in object;

/** A copy of a JSON value without its credentials, and where it differs. `place` is where the value itself stands. */
export const redactValue = (
  value: JsonValue,
  mask: MaskText,
  place = "",
): { value: JsonValue; paths: string[] } => {
  const paths: string[] = [];

  const walkObject = (object: JsonObject, path: string, namedBySchema: boolean): JsonObject => {
    const copy: JsonObject = {};
    for (const [key, inner] of Object.entries(object)) {
      const at = childPath(path, key);
      const describesSchema = namedBySchema && isJsonObject(inner);
      if (!describesSchema && isCredential(key, inner)) {
        paths.push(at);
        copy[key] = REDACTED;
      } else {
        copy[key] = walk(inner, at, isSchemaMap(key) && isSchema(object));
      }
    }
    return copy;
  };

  const walk = (inner: JsonValue, path: string, namedBySchema = false): JsonValue => {
    if (typeof inner === "string") {
      const masked = mask(inner);
      if (masked !== inner) paths.push(path === "" ? "root" : path);
      return masked;
    }
    if (Array.isArray(inner)) return inner.map((item, index) => walk(item, childPath(path, index)));
    return isJsonObject(inner) ? walkObject(inner, path, namedBySchema) : inner;
  };

  return { value: walk(value, place), paths };
};

/** The form of a request body that is stored, and where it differs from the body. */
export interface RedactedBody {
  stored: string;
  paths: string[];
}

/** Masks a body. One without credentials is stored byte for byte. */
export const redactBody = (body: string, mask: MaskText): RedactedBody => {
  const parsed = parseJson(body);
  if (parsed === undefined) {
    const stored = mask(body);
    return { stored, paths: stored === body ? [] : ["root"] };
  }
  const { value, paths } = redactValue(parsed, mask);
  return paths.length === 0 ? { stored: body, paths } : { stored: JSON.stringify(value), paths };
};
