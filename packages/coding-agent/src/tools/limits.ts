/** What the model is shown of one output at most. */
export const MAX_LINES = 2_000;
export const MAX_BYTES = 50 * 1_024;

const fits = (lines: readonly string[]): number => {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_BYTES || count === MAX_LINES) break;
    count += 1;
  }
  return count;
};

/** The first lines that fit, at least one (cut if it must be). */
export const head = (lines: readonly string[]): { lines: string[]; cut: boolean } => {
  const count = fits(lines);
  if (count === 0 && lines.length > 0)
    return { lines: [(lines[0] ?? "").slice(0, MAX_BYTES / 4)], cut: true };
  return { lines: lines.slice(0, count), cut: count < lines.length };
};

/** The last lines that fit: of a command's output the end says most. */
export const tail = (lines: readonly string[]): { lines: string[]; cut: boolean } => {
  const count = fits(lines.toReversed());
  if (count === 0 && lines.length > 0)
    return { lines: [(lines.at(-1) ?? "").slice(-MAX_BYTES / 4)], cut: true };
  return { lines: lines.slice(lines.length - count), cut: count < lines.length };
};
