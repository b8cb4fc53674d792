import fc from "fast-check";
import type { LineReader } from "../../reader.ts";
import { collect, linesOf } from "./reading.ts";

/** Values of the wrong type, and values that hurt. */
const wrongValues = [
  "null",
  "[]",
  "{}",
  "-1",
  "1e308",
  '""',
  '"\\u0000"',
  '"x"',
  "true",
  "[[[[{}]]]]",
  '{"a":{"a":{"a":1}}}',
];

const deep = `${"[".repeat(3000)}${"]".repeat(3000)}`;

/** Lines of real records, then cut, glued, doubled, reordered, or with values of the wrong type. */
export const mutatedLines = (lines: readonly string[]): fc.Arbitrary<string[]> =>
  fc
    .array(
      fc.record({
        line: fc.nat({ max: Math.max(0, lines.length - 1) }),
        how: fc.constantFrom("keep", "keep", "cut", "glue", "double", "type", "deep", "noise"),
        place: fc.double({ min: 0, max: 1, noNaN: true }),
        wrong: fc.constantFrom(...wrongValues),
      }),
      { minLength: 1, maxLength: 40 },
    )
    .map((steps) =>
      steps.flatMap(({ line: index, how, place, wrong }): string[] => {
        const line = lines[index] ?? "{}";
        const at = Math.floor(line.length * place);
        if (how === "cut") return [line.slice(0, at)];
        if (how === "glue") return [line + (lines[(index + 1) % lines.length] ?? "")];
        if (how === "double") return [line, line];
        if (how === "noise") return [`${line.slice(0, at)}\u0000${line.slice(at)}`];
        if (how === "type" || how === "deep") return [replaceValue(line, at, how === "deep" ? deep : wrong)];
        return [line];
      }),
    );

/** Puts another value in the place of the first scalar value behind `at`. */
const replaceValue = (line: string, at: number, value: string): string => {
  const colon = line.indexOf(":", at);
  if (colon === -1) return line;
  const rest = line.slice(colon + 1);
  const scalar = /^(?:"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+|true|false|null)/.exec(rest);
  return scalar === null ? line : `${line.slice(0, colon + 1)}${value}${rest.slice(scalar[0].length)}`;
};

/** Bytes that a reader's state may grow to on the fixtures; far more than any of them needs. */
const stateLimit = 2_000_000;

/** Reads mutated lines: nothing is thrown, every item is one, and the state stays bounded. */
export const checkMutations = (make: () => LineReader, texts: readonly string[], runs: number): void => {
  const lines = texts.flatMap(linesOf);
  fc.assert(
    fc.property(mutatedLines(lines), (mutated) => {
      const { items, sink } = collect();
      const reader = make();
      for (const line of mutated) reader.line(line, sink);
      reader.finish(sink);
      const size = JSON.stringify(reader.state()).length;
      if (size > stateLimit) throw new Error(`the state has grown to ${size} characters`);
      for (const item of items) {
        if (item.sessionId === "" || item.key === "" || !(item.rev >= 0))
          throw new Error(JSON.stringify(item));
        if (JSON.stringify(item).length > 200_000) throw new Error(`an item of ${item.type} is too big`);
      }
    }),
    { numRuns: runs },
  );
};
