import type { CodePoints, Node } from "../syntax/node.ts";

const MOST = 24;
const BACKSLASH = 92;
/** What the common escapes of JSON stand for, by the letter behind the backslash. */
const ESCAPED = new Map(
  Object.entries({ n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" }).map(([letter, meant]) => [
    letter.charCodeAt(0),
    meant.charCodeAt(0),
  ]),
);

/**
 * What can stand at each of the first places of every match, as tables over ASCII: as many places as the shortest match
 * has, up to some.
 */
export function firstPlaces(node: Node): Uint8Array[] {
  const places = Array.from({ length: MOST }, () => new Uint8Array(128));
  const ends = walk(node, new Set([0]), places);
  return places.slice(0, Math.min(MOST, ...ends));
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

/** Adds to each place what the node can have there when it begins at one of the offsets. Gives the offsets of its end. */
function walk(node: Node, starts: ReadonlySet<number>, places: readonly Uint8Array[]): ReadonlySet<number> {
  switch (node.kind) {
    case "set":
      for (const at of starts) fill(places[at], node.points);
      return new Set(Array.from(starts, (at) => Math.min(at + 1, MOST)));
    case "assert":
      return starts;
    case "group":
      return walk(node.item, starts, places);
    case "sequence":
      return node.items.reduce((ends, item) => walk(item, ends, places), starts);
    case "choice":
      return new Set(node.options.flatMap((option) => [...walk(option, starts, places)]));
    case "repeat":
    default: {
      const ends = new Set(node.min === 0 ? starts : []);
      let last = starts;
      for (let count = 1; count <= Math.min(node.max, MOST + node.min); count++) {
        last = walk(node.item, last, places);
        if (count >= node.min) for (const end of last) ends.add(end);
        if (last.size === 1 && last.has(MOST)) break;
      }
      return ends.size > 0 ? ends : last;
    }
  }
}

function fill(place: Uint8Array | undefined, points: CodePoints): void {
  for (let i = 0; i < points.length; i += 2)
    place?.fill(1, points[i] ?? 0, Math.min(127, points[i + 1] ?? 0) + 1);
}
