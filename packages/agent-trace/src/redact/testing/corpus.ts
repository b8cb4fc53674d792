import { Buffer } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../../../../shared/redact");

/** A text with its secret, from the corpus of generated fakes that is kept outside the project. */
export interface Sample {
  name: string;
  text: string;
  secret: string;
}

/** Why tests over the corpus are skipped; `false` when it is there. */
export const corpusMissing: string | false = existsSync(folder) ? false : "the corpus of fakes is not here";

/** Samples of one file of the corpus. */
export function samples(file: "positives.json" | "seen-in-transcripts.json"): Sample[] {
  const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");
  return readList(file).map((entry) => ({
    name: entry["rule"] ?? entry["name"] ?? "",
    text: decode(entry["text"] ?? ""),
    secret: decode(entry["secret"] ?? ""),
  }));
}

/** Ids of the shapes that mask a secret, and of those that are identifiers only. */
export function shapeIds(): { secret: string[]; identifier: string[] } {
  const shapes = readList("shapes.json");
  const ids = (wanted: boolean): string[] =>
    shapes.filter((shape) => "identifierOnly" in shape === wanted).map((shape) => shape["id"] ?? "");
  return { secret: ids(false), identifier: ids(true) };
}

function readList(file: string): { [field: string]: string }[] {
  const list: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
  if (!Array.isArray(list)) throw new Error(`${file} is no list`);
  return list.map((entry: unknown) => {
    const fields: { [field: string]: string } = {};
    for (const [field, value] of Object.entries(entry ?? {}))
      if (value !== undefined) fields[field] = String(value);
    return fields;
  });
}
