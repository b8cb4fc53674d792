import type { JsonValue } from "../../reader.ts";
import type { LineRedactor } from "../redactor.ts";
import { afterLine, isOpenState, type OpenKey } from "./pem.ts";
import { decodeLiteral, eachPlace } from "../json/literals.ts";

interface Whole {
  redact(text: string): string;
  jsonLine(line: string): string;
  /** Whether a private key may begin in the line. */
  mayOpenKey(line: string): boolean;
}

interface State {
  /** A private key that is open in the plain lines. */
  text?: OpenKey;
  /** Private keys that are open in JSON records, by key path. */
  json: Map<string, OpenKey>;
}

const MOST_PATHS = 32;
/** Stands for all places beyond these. */
const ELSEWHERE = "";
const BOM = "\ufeff";

/** Masks line after line. A private key that spans lines is masked to its end, in records by key path. */
export function createLines(whole: Whole, saved?: JsonValue): LineRedactor {
  const state = readState(saved);
  const lines: LineRedactor = {
    text(line) {
      if (state.text === undefined && !whole.mayOpenKey(line)) return whole.redact(line);
      const step = afterLine(line, state.text);
      if (step.open === undefined) delete state.text;
      else state.text = step.open;
      return whole.redact(step.masked ?? line);
    },
    json(line) {
      if (line.startsWith(BOM)) return BOM + lines.json(line.slice(BOM.length));
      if (state.text === undefined && state.json.size === 0 && !whole.mayOpenKey(line))
        return whole.jsonLine(line);
      const continued = maskOpenKeys(line, state);
      return continued === undefined ? lines.text(line) : whole.jsonLine(continued);
    },
    state: () => ({
      ...(state.text === undefined ? {} : { text: { strikes: state.text.strikes } }),
      json: Object.fromEntries([...state.json].map(([path, { strikes }]) => [path, { strikes }])),
    }),
  };
  return lines;
}

/** Goes through the strings of a record: closes, goes on with, and opens private keys. `undefined` if it is none. */
function maskOpenKeys(line: string, state: State): string | undefined {
  let out = "";
  let copied = 0;
  const isJson = eachPlace(line, (literal, at) => {
    const text = decodeLiteral(line, literal);
    if (text === undefined) return;
    // All blocks of a list are one text to a reader.
    const path = at.map((part) => (typeof part === "number" ? "*" : part)).join(".");
    const place = state.json.has(path) || state.json.size < MOST_PATHS ? path : ELSEWHERE;
    const before = state.json.get(place) ?? state.json.get(ELSEWHERE);
    const step = afterLine(text, before);
    if (step.open === undefined) state.json.delete(place);
    else state.json.set(place, step.open);
    if (before === undefined || step.masked === undefined || text === "") return;
    out += line.slice(copied, literal.start) + JSON.stringify(step.masked).slice(1, -1);
    copied = literal.end;
  });
  return isJson && /^\s*[{["]/u.test(line) ? out + line.slice(copied) : undefined;
}

function readState(saved: JsonValue | undefined): State {
  const state: State = { json: new Map() };
  if (saved === undefined || saved === null || typeof saved !== "object" || Array.isArray(saved))
    return state;
  if (isOpenState(saved["text"])) state.text = { strikes: saved["text"].strikes };
  const json = saved["json"];
  if (typeof json !== "object" || json === null || Array.isArray(json)) return state;
  for (const [path, open] of Object.entries(json))
    if (isOpenState(open)) state.json.set(path, { strikes: open.strikes });
  return state;
}
