import { join } from "node:path";
import { createGenerator } from "ts-json-schema-generator";
import { scriptFileSchema } from "../provider/scripted/script.ts";
import { triageRun } from "./triage.ts";

const source = join(import.meta.dirname, "..");

const schemaOf = (file: string, type: string): object =>
  createGenerator({
    path: join(source, file),
    tsconfig: join(source, "..", "tsconfig.json"),
    type,
    // Readers pass over what they do not know, so the schema does as well.
    additionalProperties: true,
    skipTypeCheck: true,
  }).createSchema(type);

const print = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`;

/** The shipped files of the contract, by path within the package, as they should be. */
export const contractFiles = async (): Promise<[string, string][]> => {
  const { session, stream } = await triageRun();
  return [
    ["schema/stream.schema.json", print(schemaOf("events.ts", "StreamLine"))],
    ["schema/session.schema.json", print(schemaOf("session/entry.ts", "SessionLine"))],
    [
      "schema/script.schema.json",
      print({ $schema: "http://json-schema.org/draft-07/schema#", ...scriptFileSchema }),
    ],
    ["golden/triage.session.jsonl", session],
    ["golden/triage.stream.jsonl", stream],
  ];
};
