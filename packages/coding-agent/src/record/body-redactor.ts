import { childPath, parseJson } from "../json.ts";
import { type JsonPart, partsOf } from "./json-parts.ts";
import {
  isCredential,
  isCredentialKey,
  isSchemaMap,
  type MaskText,
  REDACTED,
  redactBody,
  type RedactedBody,
  redactValue,
} from "./redact.ts";

/** What became of a part. `stored` is absent where that is the part's own text. */
interface RedactedPart extends JsonPart {
  stored?: string;
  paths: string[];
}

/** A body by its members; one that is an array has a part for each element. */
type Members = Map<string, RedactedPart[]>;

const isFirst = ({ index = 0 }: JsonPart): boolean => index === 0;

/** Whether the parts can be masked each by itself, and put together again as `JSON.stringify` would. */
const areApart = (parts: readonly JsonPart[]): boolean => {
  const members = parts.filter(isFirst);
  return (
    new Set(members.map(({ key }) => key)).size === members.length &&
    members.every(
      ({ key, index }) =>
        !isSchemaMap(key) &&
        !/^(?:\d+|__proto__)$/u.test(key) &&
        (index === undefined || !isCredentialKey(key)),
    )
  );
};

const redactPart = (text: string, part: JsonPart, mask: MaskText): RedactedPart | undefined => {
  const { key, index } = part;
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  const member = childPath("", key);
  const place = index === undefined ? member : childPath(member, index);
  const { value, paths } =
    index === undefined && isCredential(key, parsed)
      ? { value: REDACTED, paths: [place] }
      : redactValue(parsed, mask, place);
  const stored = JSON.stringify(value);
  return { ...part, paths, ...(stored === text ? {} : { stored }) };
};

const textOf = (body: string, members: Members): string => {
  const texts = [...members].map(([key, parts]) => {
    const inner = parts.map(({ stored, start, end }) => stored ?? body.slice(start, end)).join(",");
    return `${JSON.stringify(key)}:${parts[0]?.index === undefined ? inner : `[${inner}]`}`;
  });
  return `{${texts.join(",")}}`;
};

/**
 * As `redactBody`, for the bodies of one conversation: each says again what the one before it said, and of such parts what
 * was found then is taken. Holds the last body.
 */
export const createBodyRedactor = (mask: MaskText): ((body: string) => RedactedBody) => {
  let before: { body: string; members: Members } = { body: "", members: new Map() };

  const asBefore = (text: string, part: JsonPart): RedactedPart | undefined => {
    const old = before.members.get(part.key)?.[part.index ?? 0];
    const isSame = old?.index === part.index && before.body.slice(old?.start, old?.end) === text;
    return old !== undefined && isSame ? { ...old, start: part.start, end: part.end } : undefined;
  };

  return (body) => {
    const parts = partsOf(body);
    if (parts === undefined || !areApart(parts)) return redactBody(body, mask);
    const members: Members = new Map();
    const paths: string[] = [];
    for (const part of parts) {
      const text = body.slice(part.start, part.end);
      const redacted = asBefore(text, part) ?? redactPart(text, part, mask);
      if (redacted === undefined) return redactBody(body, mask);
      const list = members.get(part.key);
      if (list === undefined) members.set(part.key, [redacted]);
      else list.push(redacted);
      paths.push(...redacted.paths);
    }
    before = { body, members };
    return { stored: paths.length === 0 ? body : textOf(body, members), paths };
  };
};
