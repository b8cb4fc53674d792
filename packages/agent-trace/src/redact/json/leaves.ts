/** A string of a JSON record that is not a key. */
export interface Leaf {
  /** Dotted key path; all indices are `*`, for a list of blocks is one text to a reader. */
  path: string;
  text: string;
  /** Its number among the strings of the record. */
  index: number;
}

/** All strings of a record in order of appearance; `undefined` when it is not JSON. */
export function leafStrings(line: string): Leaf[] | undefined {
  try {
    const leaves: Leaf[] = [];
    visit(JSON.parse(line), "", (text, path) => {
      leaves.push({ path, text, index: leaves.length });
      return text;
    });
    return leaves;
  } catch {
    return undefined;
  }
}

/** The record with some of its strings replaced, by their numbers. */
export function maskLeaves(line: string, masked: ReadonlyMap<number, string>): string {
  let index = 0;
  return JSON.stringify(visit(JSON.parse(line), "", (text) => masked.get(index++) ?? text));
}

function visit(value: unknown, path: string, leaf: (text: string, path: string) => string): unknown {
  if (typeof value === "string") return leaf(value, path);
  if (Array.isArray(value)) return value.map((item) => visit(item, `${path}.*`, leaf));
  if (typeof value !== "object" || value === null) return value;
  // Defined, not assigned: a key may be `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, visit(item, `${path}.${key}`, leaf)]),
  );
}
