import type { JsonValue } from "../../reader.ts";
import type { LineRedactor } from "../redactor.ts";
import { afterLine, isOpenState, type OpenKey } from "./pem.ts";
import { leafStrings, maskLeaves } from "../json/leaves.ts";

interface Whole {
  redact(text: string): string;
  jsonLine(line: string): string;
}

interface State {
  /** A private key that is open in the plain lines. */
  text?: OpenKey;
  /** Private keys that are open in JSON records, by key path. */
  json: { [path: string]: OpenKey };
}

const MOST_PATHS = 32;

/** Masks line after line. A private key that spans lines is masked to its end, in records by key path. */
export function createLines(whole: Whole, saved?: JsonValue): LineRedactor {
  const state = readState(saved);
  return {
    text(line) {
      if (state.text === undefined && !mayOpenKey(line)) return whole.redact(line);
      const step = afterLine(line, state.text);
      if (step.open === undefined) delete state.text;
      else state.text = step.open;
      return step.masked === undefined ? whole.redact(line) : step.masked;
    },
    json(line) {
      const open = Object.keys(state.json).length > 0;
      if (!open && !mayOpenKey(line)) return whole.jsonLine(line);
      const continued = maskOpenKeys(line, state);
      return whole.jsonLine(continued);
    },
    state: () => structuredClone({ ...state }) as unknown as JsonValue,
  };
}

/** Cheap to say no: a key begins with hyphens, which an escape or a terminal sequence could hide. */
function mayOpenKey(line: string): boolean {
  return line.includes("-----") || line.includes("\u001b") || line.includes("\\u");
}

/** Goes through the strings of a record: closes, goes on with, and opens private keys. */
function maskOpenKeys(line: string, state: State): string {
  const leaves = leafStrings(line);
  if (leaves === undefined) return line;
  const masked = new Map<number, string>();
  for (const { path, text, index } of leaves) {
    const before = state.json[path];
    const step = afterLine(text, before);
    if (step.open === undefined) delete state.json[path];
    else if (before !== undefined || Object.keys(state.json).length < MOST_PATHS)
      state.json[path] = step.open;
    if (before !== undefined && step.masked !== undefined && text !== "") masked.set(index, step.masked);
  }
  return masked.size === 0 ? line : maskLeaves(line, masked);
}

function readState(saved: JsonValue | undefined): State {
  const state: State = { json: {} };
  if (saved === undefined || saved === null || typeof saved !== "object" || Array.isArray(saved))
    return state;
  if (isOpenState(saved["text"])) state.text = { strikes: saved["text"].strikes };
  const json = saved["json"];
  if (typeof json !== "object" || json === null || Array.isArray(json)) return state;
  for (const [path, open] of Object.entries(json))
    if (isOpenState(open)) state.json[path] = { strikes: open.strikes };
  return state;
}
