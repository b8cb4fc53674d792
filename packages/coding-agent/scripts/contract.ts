/** Writes what is shipped of the file contract: the JSON Schemas, and one run in both forms. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contractFiles } from "../src/testing/contract.ts";

for (const [file, text] of await contractFiles()) writeFileSync(join(import.meta.dirname, "..", file), text);
