// Letters of English, the commonest first; what is none of them is rarer in words.
const COMMON = "etaoinsrhldcumfpgwybvk";

/** How common three characters are in text, roughly; only their order counts. */
export type Commonness = (letters: string) => number;

const guessed: Commonness = (letters) =>
  Array.from(letters).reduce((product, letter) => {
    const rank = COMMON.indexOf(letter);
    return product * (rank < 0 ? 1 : COMMON.length + 1 - rank);
  }, 1);

/** Offset of the three characters of a keyword that are rarest: by which it is looked for. 0 in a shorter one. */
export function anchorOf(keyword: string, commonness: Commonness = guessed): number {
  let anchor = 0;
  let least = Infinity;
  for (let at = 0; at + 3 <= keyword.length; at++) {
    const here = commonness(keyword.slice(at, at + 3));
    if (here < least) [least, anchor] = [here, at];
  }
  return anchor;
}
