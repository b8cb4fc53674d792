import { CONTEXTS } from "../context/all.ts";
import { BUILT_IN } from "../rules/all.ts";
import { AUTOMATON, KEYWORDS } from "../rules/compiled.ts";
import { buildAutomaton, unpackAutomaton } from "./automaton.ts";
import { ruleDetector } from "./matcher.ts";
import type { Detector, Index, Scan } from "./scan.ts";

/** Detectors that come to the built-in ones: known values and rule files. */
export interface Additions {
  called: readonly { detector: Detector; keywords: readonly string[] }[];
  everywhere: readonly ((scan: Scan) => void)[];
}

/** The index over the built-in rules; with additions its keyword table is built anew. */
export function indexWith(additions: Additions): Index {
  const rules = BUILT_IN.rules.map(ruleDetector);
  const builtIn = [...rules, ...CONTEXTS.map(({ detector }) => detector)];
  const keywords: string[] = [];
  const targets: Detector[][] = [];
  for (const line of KEYWORDS.split("\n")) {
    const [keyword = "", ...numbers] = line.split("\t");
    keywords.push(keyword);
    targets.push(numbers.flatMap((number) => builtIn[Number(number)] ?? []));
  }
  const known = new Map(keywords.map((keyword, index) => [keyword, index]));
  for (const { detector, keywords: words } of additions.called)
    for (const word of words) {
      const index = known.get(word) ?? keywords.push(word) - 1;
      known.set(word, index);
      (targets[index] ??= []).push(detector);
    }
  const shipped = additions.called.length === 0;
  return {
    automaton: shipped ? unpackAutomaton(AUTOMATON) : buildAutomaton(keywords),
    lengths: Uint8Array.from(keywords, (keyword) => keyword.length),
    targets,
    everywhere: additions.everywhere,
  };
}
