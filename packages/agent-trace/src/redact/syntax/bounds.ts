import { intersects, normalise } from "./sets.ts";
import type { CodePoints, Node } from "./node.ts";

/** What a backtracking engine may have to do for one start position. */
export interface Bounds {
  /** Longest match in code points; `Infinity` with an open repeat. */
  reach: number;
  /** Upper bound on the ways to run through the expression; `Infinity` when it is not bounded. */
  ways: number;
}

interface First {
  points: CodePoints;
  nullable: boolean;
}

/**
 * Bounds of an expression. A repeat counts as one way where the character after it cannot continue it, for then there
 * is one place to stop; else as many as it has lengths. `follow` is what comes after the node.
 */
export function boundsOf(node: Node, follow: First = { points: [], nullable: true }): Bounds {
  switch (node.kind) {
    case "assert":
      return { reach: 0, ways: 1 };
    case "set":
      return { reach: 1, ways: 1 };
    case "group":
      return boundsOf(node.item, follow);
    case "choice":
      return node.options
        .map((option) => boundsOf(option, follow))
        .reduce((a, b) => ({ reach: Math.max(a.reach, b.reach), ways: a.ways + b.ways }));
    case "sequence":
      return sequenceBounds(node.items, follow);
    case "repeat":
    default:
      return repeatBounds(node, follow);
  }
}

function sequenceBounds(items: readonly Node[], follow: First): Bounds {
  let reach = 0;
  let ways = 1;
  let after = follow;
  for (const item of items.toReversed()) {
    const bounds = boundsOf(item, after);
    reach += bounds.reach;
    ways *= bounds.ways;
    after = then(firstOf(item), after);
  }
  return { reach, ways };
}

function repeatBounds(node: Extract<Node, { kind: "repeat" }>, follow: First): Bounds {
  const { item, min, max } = node;
  const first = firstOf(item);
  const inner = boundsOf(item, then(first, follow));
  const oneStop = !follow.nullable && !intersects(first.points, follow.points);
  const lengths = oneStop || min === max ? 1 : max - min + 1;
  if (max === Infinity) return { reach: Infinity, ways: Infinity };
  return { reach: inner.reach * max, ways: lengths * (inner.ways === 1 ? 1 : inner.ways ** max) };
}

function then(first: First, after: First): First {
  if (!first.nullable) return first;
  return { points: normalise([...first.points, ...after.points]), nullable: after.nullable };
}

function firstOf(node: Node): First {
  switch (node.kind) {
    case "assert":
      return { points: [], nullable: true };
    case "set":
      return { points: node.points, nullable: false };
    case "group":
      return firstOf(node.item);
    case "choice": {
      const firsts = node.options.map(firstOf);
      return {
        points: normalise(firsts.flatMap((first) => [...first.points])),
        nullable: firsts.some((first) => first.nullable),
      };
    }
    case "sequence":
      return node.items.map(firstOf).reduceRight((after, first) => then(first, after), {
        points: [],
        nullable: true,
      });
    case "repeat":
    default: {
      const first = firstOf(node.item);
      return { points: first.points, nullable: first.nullable || node.min === 0 };
    }
  }
}
