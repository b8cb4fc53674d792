/** Runs one benchmark of `bench/`: `npm run bench -- reader`, `redact`, `orphus`. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const [, , name = "", ...options] = process.argv;
const places = [join("bench", name, "main.ts"), join("bench", `${name}.ts`)];
const file = places.map((place) => join(import.meta.dirname, "..", place)).find((place) => existsSync(place));
if (!/^\w+$/.test(name) || file === undefined) {
  console.error("which one? reader, redact, orphus");
  process.exitCode = 2;
} else {
  process.argv = [process.argv[0] ?? "node", file, ...options];
  await import(file);
}
