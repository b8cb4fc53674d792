import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import test from "node:test";

const src = join(import.meta.dirname, "..");

/** What loading a file loads with it: files of ours by their path under `src`, and other modules by their names. */
const loadedBy = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(relative(src, file))) return seen;
  seen.add(relative(src, file));
  const text = readFileSync(file, "utf8").replaceAll(/(?:import|export) type [^;]*;/g, "");
  for (const [, name] of text.matchAll(/^(?:import|export|\})[^;]*? from "([^"]+)";$/gm)) {
    if (name?.startsWith(".") === true) loadedBy(join(dirname(file), name), seen);
    else if (name !== undefined) seen.add(name);
  }
  return seen;
};

const heavy = [
  "zod",
  "smol-toml",
  "toml-eslint-parser",
  "koffi",
  "node:sqlite",
  "@orphus/agent-trace/redact",
];

test("help and verbs that ask the daemon load neither parsers nor the store", () => {
  const quick = ["main.ts", "cli/verbs/trigger.ts", "cli/verbs/change.ts", "cli/verbs/daemon.ts"];
  for (const entry of quick) {
    const loaded = loadedBy(join(src, entry));
    assert.deepEqual(
      heavy.filter((name) => loaded.has(name)),
      [],
      entry,
    );
  }
});

test("the search finds what the daemon loads, so it can find", () => {
  const loaded = loadedBy(join(src, "daemon", "run.ts"));
  for (const name of ["zod", "smol-toml", "koffi", "node:sqlite", "@orphus/agent-trace/redact"]) {
    assert.ok(loaded.has(name), name);
  }
  assert.ok(loadedBy(join(src, "main.ts")).has("commander"));
});
