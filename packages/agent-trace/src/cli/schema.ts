import { readFile } from "node:fs/promises";

/** `agent-trace schema`: the shipped JSON Schema of `TraceItem`. */
export const schema = async (): Promise<number> => {
  process.stdout.write(
    await readFile(new URL("../../schema/trace-item.schema.json", import.meta.url), "utf8"),
  );
  return 0;
};
