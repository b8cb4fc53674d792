import fc from "fast-check";

/** Ways in which a file or a stream of lines goes wrong. */
type Mutation =
  | { how: "cut"; line: number; at: number }
  | { how: "glue"; line: number }
  | { how: "twice"; line: number }
  | { how: "swap"; line: number; other: number }
  | { how: "drop"; line: number }
  | { how: "value"; line: number; at: number; value: unknown }
  | { how: "bytes"; line: number; at: number; text: string };

const place = fc.nat(10_000);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ how: fc.constant("cut" as const), line: place, at: place }),
  fc.record({ how: fc.constant("glue" as const), line: place }),
  fc.record({ how: fc.constant("twice" as const), line: place }),
  fc.record({ how: fc.constant("swap" as const), line: place, other: place }),
  fc.record({ how: fc.constant("drop" as const), line: place }),
  fc.record({
    how: fc.constant("value" as const),
    line: place,
    at: place,
    value: fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constant("x".repeat(5000)),
      fc.constant(-1),
      fc.constant(1e300),
    ),
  }),
  fc.record({
    how: fc.constant("bytes" as const),
    line: place,
    at: place,
    text: fc.constantFrom("\u0000", "\uD800", "\u001B[31m", '"', "}", "[".repeat(3000), '{"a":'.repeat(2000)),
  }),
);

/** Replaces the `at`-th value of a JSON line (any depth) by another. */
const replaceValue = (line: string, at: number, value: unknown): string => {
  try {
    let count = 0;
    const total = [...line.matchAll(/:/g)].length + 1;
    return JSON.stringify(
      JSON.parse(line, (_key, old: unknown) => {
        count += 1;
        return count === (at % total) + 1 ? value : old;
      }),
    );
  } catch {
    return line;
  }
};

const apply = (lines: readonly string[], change: Mutation): string[] => {
  if (lines.length === 0) return [];
  const result = [...lines];
  const index = change.line % lines.length;
  const line = result[index] ?? "";
  switch (change.how) {
    case "cut":
      result[index] = line.slice(0, change.at % (line.length + 1));
      break;
    case "glue":
      result.splice(index, 2, line + (result[index + 1] ?? ""));
      break;
    case "twice":
      result.splice(index, 0, line);
      break;
    case "swap":
      [result[index], result[change.other % lines.length]] = [
        result[change.other % lines.length] ?? "",
        line,
      ];
      break;
    case "drop":
      result.splice(index, 1);
      break;
    case "value":
      result[index] = replaceValue(line, change.at, change.value);
      break;
    case "bytes": {
      const at = change.at % (line.length + 1);
      result[index] = line.slice(0, at) + change.text + line.slice(at);
      break;
    }
  }
  return result;
};

/** The lines with a few things gone wrong. */
export const mutated = (lines: readonly string[]): fc.Arbitrary<string[]> =>
  fc
    .array(mutation, { minLength: 1, maxLength: 6 })
    .map((changes) => changes.reduce<string[]>(apply, [...lines]));
