/** A line of a file. */
export interface Line {
  text: string;
  /** False for a last line without a line end. */
  ended: boolean;
}

/** Lines end at line feeds alone: other separators may stand inside of JSON strings. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<Line> {
  let rest = "";
  for await (const piece of pieces) {
    const [first = "", ...more] = piece.split("\n");
    rest += first;
    for (const next of more) {
      yield { text: rest, ended: true };
      rest = next;
    }
  }
  if (rest !== "") yield { text: rest, ended: false };
}

/** A record of a provider request or response up to the string that holds what was sent or received. */
const BODY =
  /^\{"type":"custom",[^\n]{0,400}?"customType":"orphus\.provider\.(?:request\.v1",[^\n]*?"body|response\.v1",[^\n]*?"text)":"/u;
/** A body begins no later: what stands before it are ids, names and hashes. */
const MAX_HEAD = 65_536;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Empties the bodies of records on their way, so that no line with one is ever whole in memory. */
const createBodyFilter = () => {
  let inBody = false;
  let isEscaped = false;
  let head: string | undefined = "";

  /** The place where a string that holds a body ends: at its quote, or at the end of a line that was cut. */
  const endOfBody = (piece: string, from: number): number => {
    let at = from;
    for (; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (unit === LINE_FEED || (unit === QUOTE && !isEscaped)) break;
      isEscaped = unit === BACKSLASH && !isEscaped;
    }
    return at;
  };

  /** Where a body begins in the rest of a line; undefined where none does. `head` is undefined once that is settled. */
  const startOfBody = (rest: string): number | undefined => {
    if (head === undefined) return undefined;
    const before = head.length;
    head += rest;
    const found = BODY.exec(head)?.[0].length;
    if (found !== undefined || head.length > MAX_HEAD) head = undefined;
    return found === undefined ? undefined : found - before;
  };

  return (piece: string): string => {
    let kept = "";
    for (let at = 0; at < piece.length;) {
      if (inBody) {
        at = endOfBody(piece, at);
        inBody = at === piece.length;
        continue;
      }
      const feed = piece.indexOf("\n", at);
      const end = feed === -1 ? piece.length : feed + 1;
      const start = startOfBody(piece.slice(at, end));
      const next = start === undefined ? end : at + start;
      kept += piece.slice(at, next);
      at = next;
      if (start !== undefined) [inBody, isEscaped] = [true, false];
      else if (feed !== -1) head = "";
    }
    return kept;
  };
};

async function* withoutBodyText(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const filter = createBodyFilter();
  for await (const piece of pieces) yield filter(piece);
}

/** As `linesOf`, with the bodies of requests and responses empty: they are passed over, not read. */
export const linesWithoutBodies = (pieces: AsyncIterable<string>): AsyncGenerator<Line> =>
  linesOf(withoutBodyText(pieces));
