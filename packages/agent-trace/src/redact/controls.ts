/** Stands where a secret stood. The same everywhere, so that it can be searched for. */
export const MASK = "[REDACTED]";

// A string sequence (title, hyperlink, …) up to its end, a control sequence, any other escape of two bytes.
const ESCAPES =
  // oxlint-disable-next-line no-control-regex
  /[\u001b\u009b](?:\][^\u0007\u001b]{0,2048}(?:\u0007|\u001b\\)?|[PX^_][^\u001b]{0,2048}(?:\u001b\\)?|\[?[0-?]{0,64}[ -/]{0,8}[@-~])/gu;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

/** The text without terminal escape sequences and control characters; tab and line feed stay. */
export function stripControls(text: string): string {
  return text.replace(ESCAPES, "").replace(CONTROLS, "");
}

/** A text without escape sequences and control characters, that knows where each of its units came from. */
export interface Stripped {
  text: string;
  /** Offset in the original of the unit at `at`. */
  offset(at: number): number;
}

// oxlint-disable-next-line no-control-regex
const STRIPPED = new RegExp(
  `${ESCAPES.source}|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]`,
  "gu",
);

/** `undefined` where there is nothing to strip. Carriage returns stay. */
export function stripWithOffsets(text: string): Stripped | undefined {
  const starts: number[] = [];
  const removed: number[] = [];
  let out = "";
  let at = 0;
  let gone = 0;
  for (const match of text.matchAll(STRIPPED)) {
    out += text.slice(at, match.index);
    at = match.index + match[0].length;
    gone += match[0].length;
    starts.push(out.length);
    removed.push(gone);
  }
  if (gone === 0) return undefined;
  out += text.slice(at);
  return { text: out, offset: (wanted) => wanted + removedBefore(starts, removed, wanted) };
}

function removedBefore(starts: readonly number[], removed: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (removed[low - 1] ?? 0);
}
