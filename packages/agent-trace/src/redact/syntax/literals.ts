import type { CodePoints, Node } from "./node.ts";

const LONGEST = 12;
const SHORTEST = 3;
const MOST = 64;

/**
 * The lower-case texts that every match begins with one of, as long as they can be told; none when there is no such
 * beginning of at least three characters.
 */
export function leadingLiterals(node: Node): string[] {
  const grown = grow([{ text: "", open: true }], node);
  const texts = [...new Set(grown.map(({ text }) => text))];
  return texts.some((text) => text.length < SHORTEST) ? [] : texts;
}

interface Prefix {
  text: string;
  open: boolean;
}

function grow(prefixes: Prefix[], node: Node): Prefix[] {
  if (prefixes.every(({ open, text }) => !open || text.length >= LONGEST)) return prefixes.map(close);
  switch (node.kind) {
    case "assert":
      return prefixes;
    case "group":
      return grow(prefixes, node.item);
    case "set":
      return append(prefixes, node.points);
    case "sequence":
      return node.items.reduce(grow, prefixes);
    case "choice":
      return limit(
        prefixes,
        node.options.flatMap((option) => grow(prefixes, option)),
      );
    case "repeat":
    default: {
      let grown = prefixes;
      for (let i = 0; i < Math.min(node.min, LONGEST); i++) grown = grow(grown, node.item);
      if (node.max === node.min) return grown;
      if (node.min === 0 && node.max === 1) return limit(prefixes, [...grown, ...grow(grown, node.item)]);
      return grown.map(close);
    }
  }
}

function append(prefixes: Prefix[], points: CodePoints): Prefix[] {
  const chars = new Set<string>();
  for (let i = 0; i < points.length; i += 2)
    for (let point = points[i] ?? 0; point <= (points[i + 1] ?? 0); point++) {
      if (point > 0x7f && point !== 0x17f && point !== 0x212a) return prefixes.map(close);
      if (point <= 0x7f) chars.add(String.fromCodePoint(point).toLowerCase());
      if (chars.size > 4) return prefixes.map(close);
    }
  const grown = prefixes.flatMap(({ text, open }) =>
    open
      ? [...chars].map((char) => ({ text: text + char, open: text.length + 1 < LONGEST }))
      : [{ text, open }],
  );
  return limit(prefixes, grown);
}

function limit(before: Prefix[], grown: Prefix[]): Prefix[] {
  return grown.length > MOST ? before.map(close) : grown;
}

function close({ text }: Prefix): Prefix {
  return { text, open: false };
}
