/** Writes the JSON Schema of `TraceItem` from `src/item.ts`; `--check` only says whether the shipped one is current. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGenerator } from "ts-json-schema-generator";

const root = join(import.meta.dirname, "..");
const file = join(root, "schema", "trace-item.schema.json");

export const traceItemSchema = (): string => {
  const schema = createGenerator({
    path: join(root, "src", "item.ts"),
    tsconfig: join(root, "tsconfig.json"),
    type: "TraceItem",
    additionalProperties: false,
    skipTypeCheck: true,
  }).createSchema("TraceItem");
  return `${JSON.stringify(schema, null, 2)}\n`;
};

if (import.meta.main) {
  const text = traceItemSchema();
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(
      "schema/trace-item.schema.json is not what src/item.ts says: run the script without --check",
    );
    process.exitCode = 1;
  }
}
