import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { filesUnder } from "../support/facts.ts";
import type { Secret } from "./secrets.ts";

/** Something in which no secret may stand: a file, what a program printed, what went over a socket. */
export interface Place {
  name: string;
  bytes: Uint8Array;
}

/** All forms in which a secret would be found by whoever looks: as it is, escaped in JSON once and twice, in a URL. */
const formsOf = (secret: string): Buffer[] => {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, escaped, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(secret)];
  return [...new Set(forms)].map((form) => Buffer.from(form));
};

/** `kind in place` for every secret that stands anywhere. */
export const leaksIn = (places: readonly Place[], secrets: readonly Secret[]): string[] =>
  places.flatMap(({ name, bytes }) => {
    const held = Buffer.from(bytes);
    return secrets
      .filter(({ secret }) => formsOf(secret).some((form) => held.includes(form)))
      .map(({ kind }) => `${kind} in ${name}`);
  });

/** Every file under a folder as its raw bytes, side files of SQLite included; compressed ones as what is in them. */
export const filesIn = (folder: string): Place[] =>
  filesUnder(folder).map((path) => {
    const bytes = readFileSync(path);
    const name = relative(folder, path);
    return { name, bytes: path.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes };
  });

/** The names of files are written, too. */
export const namesIn = (folder: string): Place => ({
  name: "the names of files",
  bytes: Buffer.from(
    filesUnder(folder)
      .map((path) => relative(folder, path))
      .join("\n"),
  ),
});
