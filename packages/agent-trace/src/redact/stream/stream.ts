import { Buffer, isUtf8 } from "node:buffer";
import { MASK } from "../controls.ts";
import type { LineRedactor, StreamOptions } from "../redactor.ts";

/** A line longer than this is not held in memory: it is masked whole. */
const LONGEST_LINE = 64 * 1024 * 1024;
const LINE_FEED = 10;

/** Bytes in, masked bytes out, a line at a time. A line without secrets leaves byte for byte as it came. */
export function createStream(
  lines: LineRedactor,
  options: StreamOptions & { onTooLong: () => void },
): TransformStream<Uint8Array, Uint8Array> {
  const mask = (line: string): string => (options.jsonLines === true ? lines.json(line) : lines.text(line));
  let held: Uint8Array[] = [];
  let size = 0;
  let tooLong = false;

  const keep = (part: Uint8Array): void => {
    size += part.length;
    if (size > LONGEST_LINE) {
      tooLong = true;
      held = [];
    } else if (part.length > 0) held.push(part.slice());
  };
  const take = (): Uint8Array => {
    if (tooLong) options.onTooLong();
    const line = tooLong
      ? Buffer.from(options.jsonLines === true ? JSON.stringify(MASK) : MASK)
      : maskBytes(held, mask);
    held = [];
    size = 0;
    tooLong = false;
    return line;
  };
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        keep(chunk.subarray(from, at));
        controller.enqueue(Buffer.concat([take(), Uint8Array.of(LINE_FEED)]));
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
    flush(controller) {
      if (size > 0) controller.enqueue(take());
    },
  });
}

function maskBytes(parts: readonly Uint8Array[], mask: (line: string) => string): Uint8Array {
  const whole = Buffer.concat(parts);
  const ended = whole.at(-1) === 13 ? whole.subarray(0, -1) : whole;
  // Bytes that are not UTF-8 survive as they are: read one by one they are written back one by one.
  const encoding = isUtf8(ended) ? "utf8" : "latin1";
  const line = ended.toString(encoding);
  const masked = mask(line);
  if (masked === line) return whole;
  return Buffer.concat([Buffer.from(masked, encoding), whole.subarray(ended.length)]);
}
