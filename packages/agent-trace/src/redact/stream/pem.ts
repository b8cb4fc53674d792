import { MASK, stripControls } from "../controls.ts";

/** A private key whose end has not come yet. */
export interface OpenKey {
  /** Lines in a row that cannot be part of a key. They are masked, too; after some of them the key counts as cut off. */
  strikes: number;
}

export interface Step {
  /** The masked text; `undefined` where the text is none of a key's business. */
  masked: string | undefined;
  open: OpenKey | undefined;
}

const BEGIN = /-----BEGIN[ \w-]{0,100}PRIVATE KEY(?: BLOCK)?-----/giu;
const END = /-----END[ \w-]{0,100}PRIVATE KEY(?: BLOCK)?(?:-----)?/iu;
const STRIKES = 3;
const KEY_LINE =
  /^(?:[\s>+|"'`,\d:→-]|\\[nrt"])*(?:[A-Za-z0-9+/=]*|(?:Proc-Type|DEK-Info|Comment|Version|Hash)\s*:.*)(?:[\s"'`,]|\\[nrt"])*$/u;
const KEY_RUN = /[A-Za-z0-9+/]{24,}/u;

/** Takes the next text of a source, one line or the lines of one string, and says what is open behind it. */
export function afterLine(text: string, open: OpenKey | undefined): Step {
  const plain = stripControls(text);
  const opens = opensAtEnd(plain);
  if (open === undefined) return { masked: undefined, open: opens ? { strikes: 0 } : undefined };
  const end = END.exec(text) ?? (END.test(plain) ? { index: text.length } : null);
  if (end !== null) {
    // What is behind the end is a text of its own; its own secrets are found when the whole is masked.
    return {
      masked: end.index === 0 ? text : MASK + text.slice(end.index),
      open: opens ? { strikes: 0 } : undefined,
    };
  }
  if (opens) return { masked: MASK, open: { strikes: 0 } };
  const lines = plain.split("\n");
  let strikes = open.strikes;
  for (const [index, line] of lines.entries()) {
    strikes = KEY_LINE.test(line) || KEY_RUN.test(line) ? 0 : strikes + 1;
    if (strikes < STRIKES) continue;
    const rest = text.split("\n").slice(index + 1);
    return { masked: [...Array<string>(index + 1).fill(MASK), ...rest].join("\n"), open: undefined };
  }
  return { masked: lines.map(() => MASK).join("\n"), open: { strikes } };
}

/** Whether a private key begins in the text and does not end in it. */
function opensAtEnd(text: string): boolean {
  const last = [...text.matchAll(BEGIN)].at(-1);
  return last !== undefined && !END.test(text.slice(last.index + last[0].length));
}

export function isOpenState(value: unknown): value is OpenKey {
  return (
    typeof value === "object" &&
    value !== null &&
    "strikes" in value &&
    typeof value.strikes === "number" &&
    Number.isInteger(value.strikes)
  );
}
