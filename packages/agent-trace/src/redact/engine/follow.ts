import type { CodePoints, Node } from "../syntax/node.ts";
import { normalise } from "../syntax/sets.ts";

const MOST = 24;
const BACKSLASH = 92;
/** What the common escapes of JSON stand for, by the letter behind the backslash. */
const ESCAPED = new Map(
  Object.entries({ n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" }).map(([letter, meant]) => [
    letter.charCodeAt(0),
    meant.charCodeAt(0),
  ]),
);

interface Fixed {
  sets: CodePoints[];
  /** Nothing else matches: what is behind this node stands right behind these. */
  whole: boolean;
}

/** What can stand at each of the first places of every match, as tables over ASCII. */
export function firstPlaces(node: Node): Uint8Array[] {
  return fixedOf(node).sets.map((points) => {
    const table = new Uint8Array(128);
    for (let i = 0; i < points.length; i += 2)
      for (let code = points[i] ?? 0; code <= Math.min(127, points[i + 1] ?? 0); code++) table[code] = 1;
    return table;
  });
}

/**
 * Whether the text may go on in this way. What is written as an escape in JSON, or is not ASCII, may be anything: so the
 * answer holds for the text of a JSON string as it is written, too.
 */
export function mayFollow(text: string, at: number, places: readonly Uint8Array[], from: number): boolean {
  for (let i = from; i < places.length; i++) {
    const code = text.charCodeAt(at + i - from);
    if (code > 127) return true;
    if (code === BACKSLASH) {
      const meant = ESCAPED.get(text.charCodeAt(at + i - from + 1));
      return meant === undefined || places[i]?.[code] === 1 || places[i]?.[meant] === 1;
    }
    if (places[i]?.[code] !== 1) return false;
  }
  return true;
}

function fixedOf(node: Node): Fixed {
  switch (node.kind) {
    case "set":
      return { sets: [node.points], whole: true };
    case "assert":
      return { sets: [], whole: true };
    case "group":
      return fixedOf(node.item);
    case "sequence":
      return node.items.reduce<Fixed>(append, { sets: [], whole: true });
    case "choice":
      return oneOf(node.options.map(fixedOf));
    case "repeat":
    default: {
      let fixed: Fixed = { sets: [], whole: true };
      for (let i = 0; i < Math.min(node.min, MOST); i++) fixed = append(fixed, node.item);
      return { sets: fixed.sets, whole: fixed.whole && node.min === node.max && node.min <= MOST };
    }
  }
}

function append(before: Fixed, node: Node): Fixed {
  if (!before.whole || before.sets.length >= MOST) return { sets: before.sets, whole: false };
  const next = fixedOf(node);
  return { sets: [...before.sets, ...next.sets], whole: next.whole };
}

function oneOf(options: readonly Fixed[]): Fixed {
  const least = Math.min(...options.map(({ sets }) => sets.length));
  const sets = Array.from({ length: least }, (_, i) =>
    normalise(options.flatMap((option) => option.sets[i] ?? [])),
  );
  return { sets, whole: options.every((option) => option.whole && option.sets.length === least) };
}
