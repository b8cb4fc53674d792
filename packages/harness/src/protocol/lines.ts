/** Cuts a byte stream into lines of at most `limit` bytes, in memory bounded by that limit. */
export interface LineCutter {
  /** The lines that are whole now, without their line ends; an over-long one comes as `oversize`, without its bytes. */
  push(chunk: Uint8Array): CutLine[];
}

export type CutLine = { type: "line"; text: string } | { type: "oversize"; bytes: number };

/** The longest request a daemon reads. */
export const REQUEST_LIMIT = 1024 * 1024;
/** The longest answer a client reads: a page of a log. */
export const ANSWER_LIMIT = 64 * 1024 * 1024;

const newline = 0x0a;

export const lineCutter = (limit: number): LineCutter => {
  let held: Buffer[] = [];
  let bytes = 0;

  const add = (part: Buffer): void => {
    bytes += part.length;
    // Beyond the limit only the length is kept.
    if (bytes > limit) held = [];
    else if (part.length > 0) held.push(part);
  };
  const cut = (): CutLine => {
    const line: CutLine =
      bytes > limit
        ? { type: "oversize", bytes }
        : { type: "line", text: Buffer.concat(held).toString("utf8") };
    held = [];
    bytes = 0;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: CutLine[] = [];
      const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let from = 0;
      for (let at = buffer.indexOf(newline); at >= 0; at = buffer.indexOf(newline, from)) {
        add(buffer.subarray(from, at));
        lines.push(cut());
        from = at + 1;
      }
      add(buffer.subarray(from));
      return lines;
    },
  };
};
