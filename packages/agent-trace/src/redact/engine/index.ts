import { CONTEXTS } from "../context/all.ts";
import { PEM_BEGINS } from "../context/documents.ts";
import { BUILT_IN } from "../rules/all.ts";
import { KEYWORDS } from "../rules/compiled.ts";
import { anchorOf } from "./anchor.ts";
import { type Keyword, KeywordTable } from "./keywords.ts";
import { ruleDetector } from "./matcher.ts";
import type { Additions, Detector, Index } from "./scan.ts";

/** The index over the built-in rules and what comes to them. */
export function indexWith(additions: Additions): Index {
  const rules = BUILT_IN.rules.map(ruleDetector);
  const builtIn = [...rules, ...CONTEXTS.map(({ detector }) => detector)];
  const keywords: Keyword[] = [];
  const targets: Detector[][] = [];
  for (const line of KEYWORDS.split("\n")) {
    const [text = "", anchor, ...numbers] = line.split("\t");
    keywords.push({ text, anchor: Number(anchor) });
    targets.push(numbers.flatMap((number) => builtIn[Number(number)] ?? []));
  }
  const known = new Map(keywords.map(({ text }, index) => [text, index]));
  for (const { detector, keywords: words } of additions.called)
    for (const text of words) {
      const index = known.get(text) ?? keywords.push({ text, anchor: anchorOf(text) }) - 1;
      known.set(text, index);
      (targets[index] ??= []).push(detector);
    }
  return {
    table: new KeywordTable(keywords),
    keyBegins: keywords.findIndex(({ text }) => text === PEM_BEGINS),
    lengths: Uint8Array.from(keywords, ({ text }) => text.length),
    targets,
    everywhere: additions.everywhere,
  };
}
