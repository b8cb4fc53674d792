import { RE2JS } from "re2js";
import { boundsOf } from "../syntax/bounds.ts";
import { emitRegExp } from "../syntax/emit.ts";
import { type Node, SyntaxNotRead } from "../syntax/node.ts";
import { parseRe2 } from "../syntax/parse.ts";

/** Offsets of a match and of its groups; a group that took no part is `undefined`. */
export type Spans = readonly ([number, number] | undefined)[];

/** An expression in RE2 syntax, run by the engine that is safe for it. */
export interface Pattern {
  engine: "v8" | "re2js";
  /** All matches from `from` on, one behind the other. */
  matches(text: string, from: number): Iterable<Spans>;
}

// A backtracking engine only gets what is bounded from each start: no open repeat, and few ways to go wrong.
const LONGEST_REACH = 4096;
const MOST_WAYS = 1_000_000;

/** Throws what the parsers throw when the expression is none. */
export function compilePattern(source: string): Pattern {
  const node = read(source);
  if (node === undefined) return re2(source);
  const { reach, ways } = boundsOf(node);
  return reach <= LONGEST_REACH && ways <= MOST_WAYS ? v8(emitRegExp(node)) : re2(source);
}

function read(source: string): Node | undefined {
  try {
    return parseRe2(source);
  } catch (error) {
    if (error instanceof SyntaxNotRead) return undefined;
    throw error;
  }
}

function v8(source: string): Pattern {
  let made: RegExp | undefined;
  return {
    engine: "v8",
    *matches(text, from) {
      made ??= new RegExp(source, "dgu");
      let at = from;
      for (;;) {
        made.lastIndex = at;
        const match = made.exec(text);
        if (match === null) return;
        at = match[0] === "" ? match.index + 1 : match.index + match[0].length;
        yield (match.indices ?? []).map((span) => span);
      }
    },
  };
}

function re2(source: string): Pattern {
  const made = RE2JS.compile(source);
  return {
    engine: "re2js",
    *matches(text, from) {
      const part = text.slice(from);
      // The test runs an automaton that makes no groups; most texts end here.
      if (!made.test(part)) return;
      const matcher = made.matcher(part);
      while (matcher.find()) {
        const spans: ([number, number] | undefined)[] = [];
        for (let group = 0; group <= matcher.groupCount(); group++) {
          const start = matcher.start(group);
          spans.push(start < 0 ? undefined : [start + from, matcher.end(group) + from]);
        }
        yield spans;
      }
    },
  };
}
