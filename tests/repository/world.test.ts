import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import test from "node:test";
import { brokenRules } from "../../scripts/boundaries/check.ts";

const repository = resolve(import.meta.dirname, "..", "..");

/** One way out of the injected world a line, with the word a complaint about it holds. */
const WAYS_OUT = [
  ["export const clock = Date.now();", "Date"],
  ["export const today = new Date();", "Date"],
  ["export const elapsed = performance.now();", "performance"],
  ["setTimeout(() => undefined, 1);", "setTimeout"],
  ["export const limit = AbortSignal.timeout(3);", "AbortSignal.timeout"],
  ['export const home = process.env["HOME"];', "process"],
  ["export const chance = Math.random();", "Math.random"],
  ["export const uuid = crypto.randomUUID();", "crypto"],
  ['import { randomBytes } from "node:crypto";', "randomBytes"],
  ['export const answer = () => fetch("http://127.0.0.1");', "fetch"],
  ["export const other = globalThis.fetch;", "globalThis"],
  ['export const socket = new WebSocket("ws://127.0.0.1");', "WebSocket"],
] as const;

const MODULES = [
  "node:fs",
  "fs/promises",
  "node:child_process",
  "node:worker_threads",
  "node:net",
  "node:https",
  "node:timers/promises",
  "node:process",
  "node:os",
];

const lint = (root: string, file: string): string =>
  // Without the environment's words for colour: some of them mean CI.
  spawnSync(join(repository, "node_modules", ".bin", "oxlint"), [file], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], NO_COLOR: "1" },
  }).stdout;

test("O-01 X-15 every way out of the agent's world is found, outside capabilities/node", (t) => {
  const root = mkdtempSync(join(tmpdir(), "world-"));
  t.after(() => rmSync(root, { recursive: true }));
  const put = (name: string, lines: readonly string[]): string => {
    const file = join(root, "packages", "coding-agent", "src", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join("\n"));
    return file;
  };
  copyFileSync(join(repository, ".oxlintrc.json"), join(root, ".oxlintrc.json"));
  const lines = WAYS_OUT.map(([line]) => line);
  const said = lint(root, put("agent/bad.ts", lines));
  for (const [index, [, word]] of WAYS_OUT.entries())
    assert.match(said, new RegExp(`${word}[^\\n]*\\n[^\\n]*bad\\.ts:${index + 1}:`, "u"), lines[index]);
  assert.doesNotMatch(lint(root, put("capabilities/node/good.ts", lines)), /no-restricted/u);
  const injected = "export const home = (process: { env: object }) => process.env;";
  assert.doesNotMatch(lint(root, put("agent/good.ts", [injected])), /no-restricted/u);

  put(
    "agent/bad.ts",
    MODULES.map((name) => `export const load = () => import("${name}");`),
  );
  put("capabilities/node/good.ts", ['import "node:fs";']);
  assert.deepEqual(
    brokenRules(root),
    MODULES.map(
      (name, index) =>
        `packages/coding-agent/src/agent/bad.ts:${index + 1}: ${name} reaches the world, which capabilities/node/ alone may`,
    ),
  );
});
