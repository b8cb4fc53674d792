import type { JsonValue } from "./reader.ts";

/**
 * Reads unknown JSON without casts. Each accessor returns `undefined` when the value is not of the asked kind, so that a
 * field of an unexpected type reads as an absent one.
 */
export type JsonObject = { [key: string]: JsonValue };

/** Levels of nesting that a value may have: far more than a record needs, far fewer than a call stack bears. */
const deepest = 1000;

const isTooDeep = (value: JsonValue): boolean => {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    const next: JsonValue[] = [];
    for (const each of level)
      if (typeof each === "object" && each !== null)
        for (const inner of Object.values(each)) next.push(inner);
    level = next;
  }
  return false;
};

/**
 * The value of a JSON text, or undefined when it is none. `JSON.parse` reads nesting of any depth, but nothing that works on
 * its value does, so that a value nested deeper than 1000 levels is none.
 */
export const parseJson = (text: string): JsonValue | undefined => {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a reviver it returns JSON values only
    const value = JSON.parse(text) as JsonValue;
    // Each level takes two brackets, so that a short text needs no look.
    return text.length > 2 * deepest && isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
};

export const object = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;

export const array = (value: JsonValue | undefined): JsonValue[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** The elements of an array that are objects; an empty list for anything else. */
export const objects = (value: JsonValue | undefined): JsonObject[] =>
  (array(value) ?? []).map(object).filter((element) => element !== undefined);

export const string = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** A string that is not empty. */
export const text = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The elements of an array that are strings; undefined for anything but an array. */
export const strings = (value: JsonValue | undefined): string[] | undefined =>
  array(value)?.filter((element) => typeof element === "string");

export const number = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** A whole number from 0: what a token count, a byte count or a number of tries can be. */
export const count = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

export const boolean = (value: JsonValue | undefined): boolean | undefined =>
  typeof value === "boolean" ? value : undefined;

/** The value behind a path of keys: `at(line, "message", "usage")`. */
export const at = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined => {
  let here = value;
  for (const key of path) {
    const holder = object(here);
    if (holder === undefined || !Object.hasOwn(holder, key)) return undefined;
    here = holder[key];
  }
  return here;
};
