import { complement, foldCase, normalise } from "./sets.ts";
import { type CodePoints, type Node, SyntaxNotRead } from "./node.ts";

const DIGIT: CodePoints = [0x30, 0x39];
const SPACE: CodePoints = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20];
const WORD: CodePoints = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
const PERL: { readonly [letter: string]: CodePoints } = { d: DIGIT, s: SPACE, w: WORD };
const POSIX: { readonly [name: string]: CodePoints } = {
  alnum: [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
  alpha: [0x41, 0x5a, 0x61, 0x7a],
  ascii: [0, 0x7f],
  blank: [0x09, 0x09, 0x20, 0x20],
  cntrl: [0, 0x1f, 0x7f, 0x7f],
  digit: DIGIT,
  graph: [0x21, 0x7e],
  lower: [0x61, 0x7a],
  print: [0x20, 0x7e],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  upper: [0x41, 0x5a],
  word: WORD,
  xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
};
const CONTROL: { readonly [letter: string]: number } = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const ANY = complement([]);
const NOT_LINE_FEED = complement([0x0a, 0x0a]);

interface Flags {
  fold: boolean;
  multiline: boolean;
  dotAll: boolean;
  swapGreed: boolean;
}

/** Reads a regular expression in RE2 syntax, the syntax of the field's rule files. Throws `SyntaxNotRead`. */
export function parseRe2(source: string): Node {
  const parser = new Parser(source);
  const node = parser.choice({ fold: false, multiline: false, dotAll: false, swapGreed: false });
  if (!parser.done) throw new SyntaxNotRead(`unmatched ) at ${parser.at}`);
  return node;
}

class Parser {
  readonly #chars: readonly string[];
  #groups = 0;
  at = 0;

  constructor(source: string) {
    this.#chars = Array.from(source);
  }

  get done(): boolean {
    return this.at >= this.#chars.length;
  }

  #peek(ahead = 0): string {
    return this.#chars[this.at + ahead] ?? "";
  }

  #take(): string {
    const char = this.#chars[this.at++];
    if (char === undefined) throw new SyntaxNotRead("expression ends too early");
    return char;
  }

  #skip(text: string): boolean {
    if (this.#chars.slice(this.at, this.at + text.length).join("") !== text) return false;
    this.at += text.length;
    return true;
  }

  #until(end: string): string {
    let taken = "";
    while (!this.#skip(end)) taken += this.#take();
    return taken;
  }

  /** Alternatives up to a closing parenthesis. Flags set inside last to the end of the group, over `|` too. */
  choice(outer: Flags): Node {
    const flags = { ...outer };
    const options: Node[] = [];
    do options.push(this.#sequence(flags));
    while (this.#skip("|"));
    return choiceOf(options);
  }

  #sequence(flags: Flags): Node {
    const items: Node[] = [];
    while (!this.done && this.#peek() !== "|" && this.#peek() !== ")") {
      if (this.#skip("\\Q")) {
        for (const char of this.#until("\\E")) items.push(literal(char, flags));
        continue;
      }
      const atom = this.#atom(flags);
      if (atom !== undefined) items.push(this.#repeats(atom, flags));
    }
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: "sequence", items };
  }

  #atom(flags: Flags): Node | undefined {
    const char = this.#take();
    switch (char) {
      case "(":
        return this.#group(flags);
      case "[":
        return { kind: "set", points: this.#bracket(flags) };
      case ".":
        return { kind: "set", points: flags.dotAll ? ANY : NOT_LINE_FEED };
      case "^":
        return { kind: "assert", what: flags.multiline ? "lineStart" : "textStart" };
      case "$":
        return { kind: "assert", what: flags.multiline ? "lineEnd" : "textEnd" };
      case "\\":
        return this.#escape(flags);
      case "*":
      case "+":
      case "?":
        throw new SyntaxNotRead(`nothing to repeat at ${this.at - 1}`);
      default:
        return literal(char, flags);
    }
  }

  /** A group; `undefined` when it only sets flags for what follows. */
  #group(flags: Flags): Node | undefined {
    if (!this.#skip("?")) return this.#capture(flags);
    if (this.#skip("P<") || this.#skip("<")) return this.#capture(flags, this.#until(">"));
    const inner = { ...flags };
    let on = true;
    for (;;) {
      const char = this.#take();
      if (char === "-") on = false;
      else if (char === "i") inner.fold = on;
      else if (char === "m") inner.multiline = on;
      else if (char === "s") inner.dotAll = on;
      else if (char === "U") inner.swapGreed = on;
      else if (char === ")") {
        Object.assign(flags, inner);
        return undefined;
      } else if (char === ":") break;
      else throw new SyntaxNotRead(`group (?${char} is not RE2`);
    }
    const node = this.choice(inner);
    this.#close();
    return node;
  }

  #capture(flags: Flags, name?: string): Node {
    const index = ++this.#groups;
    const item = this.choice(flags);
    this.#close();
    return name === undefined ? { kind: "group", item, index } : { kind: "group", item, index, name };
  }

  #close(): void {
    if (!this.#skip(")")) throw new SyntaxNotRead("missing )");
  }

  #repeats(atom: Node, flags: Flags): Node {
    let node = atom;
    for (;;) {
      const bounds = this.#bounds();
      if (bounds === undefined) return node;
      const lazy = this.#skip("?") !== flags.swapGreed;
      node = { kind: "repeat", item: node, min: bounds[0], max: bounds[1], lazy };
    }
  }

  #bounds(): [number, number] | undefined {
    if (this.#skip("*")) return [0, Infinity];
    if (this.#skip("+")) return [1, Infinity];
    if (this.#skip("?")) return [0, 1];
    if (this.#peek() !== "{") return undefined;
    const text = this.#chars.slice(this.at, this.at + 12).join("");
    const match = /^\{(\d+)(,(\d*))?\}/u.exec(text);
    if (match === null) return undefined;
    this.at += match[0].length;
    const min = Number(match[1]);
    if (match[2] === undefined) return [min, min];
    return [min, match[3] === "" ? Infinity : Number(match[3])];
  }

  #escape(flags: Flags): Node {
    const char = this.#take();
    if (char === "A") return { kind: "assert", what: "textStart" };
    if (char === "z") return { kind: "assert", what: "textEnd" };
    if (char === "b") return { kind: "assert", what: "word" };
    if (char === "B") return { kind: "assert", what: "notWord" };
    const perl = perlClass(char);
    const points = perl ?? this.#escaped(char);
    return { kind: "set", points: flags.fold ? foldCase(points) : points };
  }

  /** One escaped character, the backslash and `char` already taken. */
  #escaped(char: string): CodePoints {
    const control = CONTROL[char];
    if (control !== undefined) return [control, control];
    if (char === "x") {
      const hex = this.#skip("{") ? this.#until("}") : this.#take() + this.#take();
      const point = Number.parseInt(hex, 16);
      return [point, point];
    }
    if (/[0-9A-Za-z]/u.test(char)) throw new SyntaxNotRead(`\\${char} is not read`);
    const point = char.codePointAt(0) ?? 0;
    return [point, point];
  }

  #bracket(flags: Flags): CodePoints {
    const negated = this.#skip("^");
    const pairs: number[] = [];
    for (let first = true; first || this.#peek() !== "]"; first = false) {
      if (this.#skip("[:")) {
        const name = this.#until(":]");
        const points = POSIX[name.replace(/^\^/u, "")];
        if (points === undefined) throw new SyntaxNotRead(`no class [:${name}:]`);
        pairs.push(...(name.startsWith("^") ? complement(points) : points));
        continue;
      }
      pairs.push(...this.#range());
    }
    this.#take();
    const points = flags.fold ? foldCase(normalise(pairs)) : normalise(pairs);
    return negated ? complement(points) : points;
  }

  #range(): CodePoints {
    const from = this.#member();
    if (this.#peek() !== "-" || this.#peek(1) === "]" || from.length !== 2 || from[0] !== from[1])
      return from;
    this.#take();
    const to = this.#member();
    return [from[0] ?? 0, to.at(-1) ?? 0];
  }

  #member(): CodePoints {
    const char = this.#take();
    if (char !== "\\") {
      const point = char.codePointAt(0) ?? 0;
      return [point, point];
    }
    const escaped = this.#take();
    return perlClass(escaped) ?? this.#escaped(escaped);
  }
}

function perlClass(letter: string): CodePoints | undefined {
  const points = PERL[letter.toLowerCase()];
  if (points === undefined || !/[a-zA-Z]/u.test(letter)) return undefined;
  return letter === letter.toLowerCase() ? points : complement(points);
}

function literal(char: string, flags: Flags): Node {
  const point = char.codePointAt(0) ?? 0;
  const points: CodePoints = [point, point];
  return { kind: "set", points: flags.fold ? foldCase(points) : points };
}

/**
 * Alternatives. Where all are single characters they become one set: the same language, but a backtracking engine that
 * tries `(.|\r)` one after the other doubles its work at each carriage return.
 */
function choiceOf(options: readonly Node[]): Node {
  const [only] = options;
  if (options.length === 1 && only !== undefined) return only;
  const pairs: number[] = [];
  for (const option of options) {
    if (option.kind !== "set") return { kind: "choice", options };
    pairs.push(...option.points);
  }
  return { kind: "set", points: normalise(pairs) };
}
