import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { brokenRules } from "../../scripts/boundaries/check.ts";

const treeWith = (t: TestContext, files: Record<string, string>): string => {
  const root = mkdtempSync(join(tmpdir(), "boundaries-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, "packages", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return root;
};

test("every import of the repository keeps to the tables", () => {
  assert.deepEqual(brokenRules(resolve(import.meta.dirname, "..", "..")), []);
});

test("the check finds each kind of broken import, and names both sides", (t) => {
  const root = treeWith(t, {
    "harness/src/view/render.ts": 'import type { Store } from "../store/store.ts";\n',
    "harness/src/store/store.ts": "export type Store = 1;\n",
    "harness/src/keeper/hold.ts": 'import { Methods } from "../protocol/methods.ts";\n',
    "harness/src/protocol/methods.ts": "export const Methods = 1;\n",
    "harness/src/attic/old.ts": 'export * from "../base/errors.ts";\n',
    "harness/src/base/errors.ts": 'import { createNormalizer } from "@orphus/agent-trace";\n',
    "cairn/src/api/app.ts": 'const load = () => import("@orphus/harness/client");\n',
    "agent-trace/src/redact/index.ts": 'import { agents } from "../agents/registry.ts";\n',
    "agent-trace/src/agents/registry.ts": "export const agents = [];\n",
    "coding-agent/src/agent.ts": 'import { stream } from "@earendil-works/pi-ai/anthropic";\n',
  });
  assert.deepEqual(brokenRules(root).sort(), [
    "packages/agent-trace/src/redact/index.ts:1: the room redact may not import agents/registry.ts",
    "packages/cairn/src/api/app.ts:1: the package cairn may not import @orphus/harness/client",
    "packages/coding-agent/src/agent.ts:1: @earendil-works/pi-ai may be imported in provider only",
    "packages/harness/src/attic/old.ts:1: the room attic has no row in scripts/boundaries/rules.ts",
    "packages/harness/src/base/errors.ts:1: @orphus/agent-trace may be imported in record, kinds, config, query, react only",
    "packages/harness/src/keeper/hold.ts:1: the room keeper may not import protocol/methods.ts",
    "packages/harness/src/view/render.ts:1: the room view may not import store/store.ts",
  ]);
});

test("an allowed import passes", (t) => {
  const root = treeWith(t, {
    "harness/src/cli/runs.ts": 'import { openReader } from "../store/read.ts";\nimport "node:path";\n',
    "harness/src/store/read.ts": 'import { DatabaseSync } from "node:sqlite";\n',
    "harness/src/daemon/compose.ts": 'import { render } from "../view/render.ts";\n',
    "harness/src/view/render.ts": 'import type { TraceItem } from "@orphus/agent-trace/item";\n',
  });
  assert.deepEqual(brokenRules(root), []);
});

test("H-139 H-142 H-149 H-150 nothing but the shared redactor masks: a private copy is found", (t) => {
  const mask = ["[REDAC", "TED]"].join("");
  const root = treeWith(t, {
    "harness/src/base/log.ts": `// ${mask} in a comment is none\nexport const clean = (line: string) => line.replace(/x/, "${mask}");\n`,
    "agent-trace/src/redact/controls.ts": `export const MASK = "${mask}";\n`,
    "agent-trace/src/read/own.ts": 'import { RE2JS } from "re2js";\n',
  });
  assert.deepEqual(brokenRules(root).sort(), [
    "packages/agent-trace/src/read/own.ts:1: re2js may be imported in redact only",
    "packages/harness/src/base/log.ts:2: only @orphus/agent-trace/redact masks",
  ]);
});
