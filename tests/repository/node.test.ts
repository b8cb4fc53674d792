import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";

const root = resolve(import.meta.dirname, "..", "..");

test("the tests run on the pinned Node, whatever the machine's own is", () => {
  const [major] = process.versions.node.split(".");
  assert.ok(Number(major) >= 24, `runs on ${process.version}`);
});

test("each launcher starts its program with only the machine's PATH", () => {
  for (const [folder, program] of [
    ["agent-trace", "agent-trace"],
    ["harness", "harness"],
    ["coding-agent", "orphus"],
    ["cairn", "cairn"],
  ] as const) {
    const launcher = join(root, "packages", folder, "bin", program);
    const version = execFileSync(launcher, ["--version"], {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      encoding: "utf8",
    });
    assert.match(version, /\d+\.\d+\.\d+/, program);
  }
});

test("no package of the lockfile compiles or downloads at install, and none names a registry", () => {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  assert.equal(/"resolved": "https?:/.test(lock), false);
  const withScripts = [
    ...lock.matchAll(/^ {4}"(node_modules\/[^"]+)": \{\n(?: {6}.*\n)*? {6}"hasInstallScript": true/gm),
  ]
    .map((match) => match[1] ?? "")
    .sort();
  // Each was read: a prebuilt N-API binary with a check (koffi), an `echo` (genai), a version warning (protobufjs).
  // package.json denies all three, so none runs.
  assert.deepEqual(withScripts, [
    "node_modules/@google/genai",
    "node_modules/koffi",
    "node_modules/protobufjs",
  ]);
});
