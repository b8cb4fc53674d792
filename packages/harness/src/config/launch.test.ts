import assert from "node:assert/strict";
import test from "node:test";
import { launchOf } from "./launch.ts";

test("H-53 pipes are for prompts of a kind that declares a stream, and for nothing else", () => {
  const prompt = { text: "x" };
  for (const kind of ["claude-code", "codex", "opencode", "pi", "omp", "orphus"] as const) {
    assert.equal(launchOf({ kind, prompt }).on, "pipes", kind);
    assert.equal(launchOf({ kind, prompt: { file: "/p.md" } }).on, "pipes", kind);
    assert.equal(launchOf({ kind }).on, "terminal", kind);
  }
  assert.equal(launchOf({ kind: "crush", prompt }).on, "terminal");
  assert.equal(launchOf({ kind: "command" }).on, "terminal");
  assert.equal(launchOf({ kind: "command", prompt }).on, "terminal");
});
