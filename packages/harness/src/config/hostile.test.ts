import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { HarnessError } from "../base/errors.ts";
import { folderWith, loadIn } from "./testing/file.ts";

const keys = [
  "harness",
  "prompt",
  "args",
  "argv",
  "transcripts",
  "env_file",
  "timeout",
  "max_turns",
  "schedule",
  "x",
];
const values = [
  '"codex"',
  '"command"',
  '"generic"',
  '"1h"',
  '""',
  "7",
  "-1",
  "1.5",
  "true",
  "[]",
  '["a", 1]',
  "{ a = 1 }",
  "2026-11-30",
];
const names = [
  "harness.a",
  'harness."a b"',
  "harness.__proto__",
  "harness",
  "trace",
  "[harness.a]",
  "daemon",
  "a.b",
  "x",
];

const line = fc
  .tuple(fc.constantFrom(...keys), fc.constantFrom(...values))
  .map(([key, value]) => `${key} = ${value}`);
const table = fc
  .tuple(
    fc.constantFrom(...names),
    fc.uniqueArray(line, { selector: (text) => text.split(" ")[0], maxLength: 6 }),
  )
  .map(([name, lines]) => `[${name}]\n${lines.join("\n")}\n`);
const document = fc.oneof(
  fc.array(table, { maxLength: 4 }).map((tables) => tables.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
);

test("whatever the file says, it loads or is refused with a place to look at", async (t) => {
  const folder = folderWith(t);
  await fc.assert(
    fc.asyncProperty(document, async (toml) => {
      writeFileSync(join(folder, "harness.toml"), toml);
      try {
        await loadIn(folder);
      } catch (error) {
        assert.ok(error instanceof HarnessError, String(error));
        assert.equal(error.code, "config_invalid");
        for (const text of error.message.split("\n")) {
          if (text.startsWith("harness.toml: [harness.")) continue;
          if (/^(?:Harness supervises|or a command|Run other)/.test(text)) continue;
          assert.match(text, /^harness\.toml:\d+:\d+: /);
        }
      }
    }),
    { numRuns: 400 },
  );
});
