import { readFileSync } from "node:fs";
import { Ajv } from "ajv";

const file = new URL("../../schema/trace-item.schema.json", import.meta.url);

/** Says what is wrong with a record by the shipped schema; an empty list when nothing is. */
export const schemaErrors = (() => {
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof schema !== "object" || schema === null) throw new Error("the schema is no object");
  const validate = new Ajv({ strict: false, allErrors: true, discriminator: false }).compile(schema);
  return (item: unknown): string[] =>
    validate(item) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
})();
