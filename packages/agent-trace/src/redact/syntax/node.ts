/**
 * A set of code points as sorted, disjoint pairs `[from, to, from, to, …]`, both ends included.
 */
export type CodePoints = readonly number[];

/** A parsed regular expression. Case folding and the meaning of `.` and classes are already worked into the sets. */
export type Node =
  | { kind: "set"; points: CodePoints }
  | { kind: "sequence"; items: readonly Node[] }
  | { kind: "choice"; options: readonly Node[] }
  /** `max` is `Infinity` for an open repeat. */
  | { kind: "repeat"; item: Node; min: number; max: number; lazy: boolean }
  | { kind: "group"; item: Node; index: number; name?: string }
  | { kind: "assert"; what: Assertion };

export type Assertion = "textStart" | "textEnd" | "lineStart" | "lineEnd" | "word" | "notWord";

/** What the parser says of syntax it does not read (`\p{…}`, `\C`) or that is wrong. */
export class SyntaxNotRead extends Error {
  override readonly name = "SyntaxNotRead";
}
