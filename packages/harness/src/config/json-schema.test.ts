import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Ajv } from "ajv";
import { parse } from "smol-toml";
import { configSchema } from "./json-schema.ts";

const pinned = join(import.meta.dirname, "..", "..", "schema", "harness.schema.json");

test("the schema for editors is the one that is shipped", () => {
  assert.equal(
    readFileSync(pinned, "utf8"),
    `${JSON.stringify(configSchema(), null, 2)}\n`,
    "write it anew: npx harness config schema > packages/harness/schema/harness.schema.json",
  );
});

test("the schema takes what the documentation shows, and finds what is wrong", () => {
  const isValid = new Ajv({ strict: false }).compile(configSchema());
  const documents = readFileSync(join(import.meta.dirname, "../../../../docs/config.md"), "utf8");
  const examples = [...documents.matchAll(/^```toml\n(.*?)^```/gms)].map(([, toml = ""]) => toml);
  assert.ok(examples.length >= 2);
  for (const toml of examples) assert.equal(isValid(parse(toml)), true, JSON.stringify(isValid.errors));
  const wrong = [
    '[harness.a]\nharness = "generic"',
    '[harness.a]\nprompt = "x"',
    '[harness.a]\nharness = "codex"\nmax_turns = "seven"',
    '[harness.a]\nharness = "codex"\ncolour = "red"',
    '[webhook.a]\nverify = "trust"\nenv_file = "a"\nsecret = "${A}"',
    '[webhook.a]\nverify = "github"\nenv_file = "a"\nsecret = "literal"',
    "[surprise]\nx = 1",
  ];
  for (const toml of wrong) assert.equal(isValid(parse(toml)), false, toml);
});
