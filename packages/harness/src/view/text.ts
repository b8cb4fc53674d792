/** CSI, OSC (ended by BEL or ST) and other escape sequences of terminals. */
const ESCAPES =
  // oxlint-disable-next-line no-control-regex -- control characters are what it finds
  /[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|\[?[0-?]*[ -/]*[@-~])/g;
/** Control characters, line and paragraph separators, direction overrides: nothing of these reaches a terminal. */
// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** The text on one line, with nothing in it that a terminal would act on. */
export const oneLine = (text: string): string =>
  text.replace(ESCAPES, "").replace(/\s+/g, " ").replace(CONTROLS, "").trim();

const COMBINING = /^\p{M}$/u;
/** Scripts and pictures that take two columns. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}|^[\u{20000}-\u{3fffd}]/u;

const columns = (point: string): number => (COMBINING.test(point) ? 0 : WIDE.test(point) ? 2 : 1);

/** Columns that the text takes on a terminal. */
export const width = (text: string): number => {
  let sum = 0;
  for (const point of text) sum += columns(point);
  return sum;
};

/** The text cut to that many columns, `…` included. */
export const clip = (text: string, limit: number): string => {
  if (width(text) <= limit) return text;
  let kept = "";
  let used = 0;
  for (const point of text) {
    used += columns(point);
    if (used > limit - 1) break;
    kept += point;
  }
  return limit < 1 ? "" : `${kept.trimEnd()}…`;
};

export const padEnd = (text: string, to: number): string => text + " ".repeat(Math.max(0, to - width(text)));

export const padStart = (text: string, to: number): string =>
  " ".repeat(Math.max(0, to - width(text))) + text;

/** The words on as many lines of that many columns as they take; a word that is longer than a line is cut. */
export const wrap = (text: string, limit: number): string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (width(longer) <= limit || line === "") {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((each) => clip(each, limit));
};
