import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { HarnessError } from "../base/errors.ts";
import { parseEnvFile, readEnvFiles } from "./env-file.ts";
import { folderWith } from "./testing/file.ts";

test("names, comments, export, quotes and empty values are read", () => {
  const text = `# note\nA=1\nexport B = two words\nC="q # not a comment"\nD='it"s'\n\nE=\nF="half\n`;
  assert.deepEqual(parseEnvFile(text, "x.env"), {
    A: "1",
    B: "two words",
    C: "q # not a comment",
    D: 'it"s',
    E: "",
    F: '"half',
  });
});

test("the later file wins", (t) => {
  const folder = folderWith(t, { "a.env": "A=1\nB=1\n", "b.env": "B=2\n" });
  assert.deepEqual(readEnvFiles([join(folder, "a.env"), join(folder, "b.env")]), { A: "1", B: "2" });
});

test("any text is read or refused with its line, and the refusal does not repeat it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 4 }), (text) => {
      try {
        parseEnvFile(text, "x.env");
      } catch (error) {
        assert.ok(error instanceof HarnessError);
        assert.match(error.message, /^env_file x\.env:\d+ is not NAME=value$/);
      }
    }),
  );
});
