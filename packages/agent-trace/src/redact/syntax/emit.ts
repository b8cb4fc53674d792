import type { Assertion, CodePoints, Node } from "./node.ts";

const ASSERTIONS: { readonly [what in Assertion]: string } = {
  textStart: "(?<![^])",
  textEnd: "(?![^])",
  lineStart: "(?<![^\\n])",
  lineEnd: "(?![^\\n])",
  word: "\\b",
  notWord: "\\B",
};

/** The same expression for `new RegExp(…, "u")`: no flags are needed, as all of them are worked into the sets. */
export function emitRegExp(node: Node): string {
  switch (node.kind) {
    case "set":
      return emitSet(node.points);
    case "sequence":
      return node.items.map(emitItem).join("");
    case "choice":
      return `(?:${node.options.map(emitRegExp).join("|")})`;
    case "repeat":
      return emitAtom(node.item) + quantifier(node.min, node.max) + (node.lazy ? "?" : "");
    case "group":
      return `(${emitRegExp(node.item)})`;
    case "assert":
    default:
      return ASSERTIONS[node.what];
  }
}

function emitItem(node: Node): string {
  return node.kind === "sequence" ? `(?:${emitRegExp(node)})` : emitRegExp(node);
}

function emitAtom(node: Node): string {
  return node.kind === "set" || node.kind === "group" ? emitRegExp(node) : `(?:${emitRegExp(node)})`;
}

function quantifier(min: number, max: number): string {
  if (min === 0 && max === 1) return "?";
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function emitSet(points: CodePoints): string {
  if (points.length === 2 && points[0] === points[1]) return emitPoint(points[0] ?? 0);
  let members = "";
  for (let i = 0; i < points.length; i += 2) {
    const from = points[i] ?? 0;
    const to = points[i + 1] ?? 0;
    members += from === to ? emitPoint(from) : `${emitPoint(from)}-${emitPoint(to)}`;
  }
  return `[${members}]`;
}

function emitPoint(point: number): string {
  const char = String.fromCodePoint(point);
  return /[0-9A-Za-z]/u.test(char) ? char : `\\u{${point.toString(16)}}`;
}
