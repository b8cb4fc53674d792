import { parseJson } from "../json.ts";
import type { JsonValue } from "../message.ts";
import { diffPaths } from "../record/diff.ts";
import type { ProviderRequestRecord } from "../record/types.ts";

/** One place where two requests differ; a side that has nothing there is absent. */
export interface Difference {
  path: string;
  recorded?: string;
  replayed?: string;
}

export interface Comparison {
  differences: Difference[];
  /** Places that differ, but were masked on record, so that nobody can tell what stood there. */
  masked: string[];
}

/** Of a value only this much is shown. */
const SHOWN = 200;

const unquoted = (text: string): string => {
  const key = parseJson(`"${text}"`);
  return typeof key === "string" ? key : text;
};

/** The value at a path of `diffPaths`. */
const valueAt = (value: JsonValue | undefined, path: string): JsonValue | undefined => {
  if (path === "root") return value;
  let at = value;
  for (const [, quoted, index, word] of path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([\w$-]+)/gu)) {
    if (typeof at !== "object" || at === null) return undefined;
    if (Array.isArray(at)) at = at[Number(index)];
    else at = at[word ?? unquoted(quoted ?? "")];
  }
  return at;
};

/** Two values, from a little before where they part. */
const shown = (value: JsonValue | undefined, other: JsonValue | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const [text, beside] = [value, other ?? ""].map((one) =>
    typeof one === "string" ? one : JSON.stringify(one),
  );
  let same = 0;
  while (text?.[same] !== undefined && text[same] === beside?.[same]) same += 1;
  const from = Math.max(0, same - SHOWN / 4);
  const part = (text ?? "").slice(from, from + SHOWN);
  return `${from > 0 ? "…" : ""}${part}${(text ?? "").length > from + SHOWN ? "…" : ""}`;
};

/** Compares a request with the one on record, both in the form that is stored. */
export const compareRequests = (
  replayed: string,
  stored: string,
  { redactedPaths = [] }: ProviderRequestRecord,
): Comparison => {
  if (replayed === stored) return { differences: [], masked: [] };
  const [before, after] = [parseJson(stored), parseJson(replayed)];
  const paths = diffPaths(before, after);
  const isMasked = (path: string): boolean => redactedPaths.includes(path);
  return {
    masked: paths.filter(isMasked),
    differences: paths
      .filter((path) => !isMasked(path))
      .map((path) => {
        const [left, right] = [valueAt(before, path), valueAt(after, path)];
        const [recorded, now] = [shown(left, right), shown(right, left)];
        return {
          path,
          ...(recorded === undefined ? {} : { recorded }),
          ...(now === undefined ? {} : { replayed: now }),
        };
      }),
  };
};
