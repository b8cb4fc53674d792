import { contains } from "./sets.ts";
import type { CodePoints, Node } from "./node.ts";

/** A text that the expression matches, drawn from its shape: the same for the same seed. */
export function sampleOf(node: Node, seed: number): string {
  return draw(node, randomFrom(seed));
}

/** A small generator of numbers from 0 to 1 (mulberry32): samples must not differ from one build to the next. */
function randomFrom(seed: number): () => number {
  let state = seed * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

function draw(node: Node, random: () => number): string {
  switch (node.kind) {
    case "assert":
      return "";
    case "set":
      return drawPoint(node.points, random);
    case "group":
      return draw(node.item, random);
    case "sequence":
      return node.items.map((item) => draw(item, random)).join("");
    case "choice": {
      const option = node.options[Math.floor(random() * node.options.length)];
      return option === undefined ? "" : draw(option, random);
    }
    case "repeat":
    default: {
      const spread = Math.min(node.max - node.min, 6);
      const count = node.min + Math.floor(random() * (spread + 1));
      return Array.from({ length: count }, () => draw(node.item, random)).join("");
    }
  }
}

const PRINTABLE = /[!-~]/u;

function drawPoint(points: CodePoints, random: () => number): string {
  for (let tries = 0; tries < 400; tries++) {
    const point = 0x20 + Math.floor(random() * 0x5f);
    const char = String.fromCodePoint(point);
    if (contains(points, point) && (PRINTABLE.test(char) || tries > 200)) return char;
  }
  return String.fromCodePoint(points[0] ?? 0);
}
