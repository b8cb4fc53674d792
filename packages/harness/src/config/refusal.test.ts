import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { HarnessError } from "../base/errors.ts";
import { load, loadError } from "./testing/file.ts";

const rest = `Harness supervises only agents agent-trace can read: claude-code, codex, crush, opencode, pi, omp, orphus,
or a command harness with transcripts = claude-code | codex | crush | opencode | pi | omp | orphus.
Run other programs under your init system (systemd, launchd). See docs/decisions.md.`;

const refused = async (t: TestContext, table: string): Promise<HarnessError> =>
  loadError(load(t, `[harness.heartbeat]\n${table}\n`));

test("H-03 generic is refused", async (t) => {
  const error = await refused(t, 'harness = "generic"\nargs = ["-c", "true"]');
  assert.equal(
    error.message,
    `harness.toml: [harness.heartbeat]: harness = "generic" is not supported.\n${rest}`,
  );
  assert.match(error.hint ?? "", /harness\.toml:2:11/);
});

test("H-04 a command without transcripts is refused", async (t) => {
  const error = await refused(t, 'harness = "command"\nargv = ["true"]');
  assert.equal(
    error.message,
    `harness.toml: [harness.heartbeat]: harness = "command" without transcripts is not supported.\n${rest}`,
  );
});

test("H-05 transcripts takes the seven agents and nothing else", async (t) => {
  for (const name of ["claude-code", "codex", "crush", "opencode", "pi", "omp", "orphus"]) {
    const config = await load(
      t,
      `[harness.ok]\nharness = "command"\nargv = ["true"]\ntranscripts = "${name}"\n`,
    );
    assert.equal(config.harnesses.get("ok")?.transcripts, name);
  }
  for (const value of ['"gemini"', '"generic"', '"claude"', '""', "7", '["codex"]']) {
    const error = await refused(t, `harness = "command"\nargv = ["true"]\ntranscripts = ${value}`);
    assert.equal(
      error.message,
      `harness.toml: [harness.heartbeat]: transcripts = ${value} is not supported.\n${rest}`,
    );
  }
});

test("H-06 the refusal names file, harness, value, the supported kinds, the way out and the decision", async (t) => {
  const { message, hint } = await refused(t, 'harness = "zsh"');
  for (const part of [
    "harness.toml",
    "[harness.heartbeat]",
    '"zsh"',
    "claude-code, codex, crush, opencode",
  ]) {
    assert.ok(message.includes(part), part);
  }
  assert.ok(message.includes("transcripts = claude-code | codex"));
  assert.ok(message.includes("init system"));
  assert.ok(message.includes("docs/decisions.md"));
  assert.match(hint ?? "", /harness\.toml:2:11/);
});

test("H-11 no spelling of an unknown kind falls back to something else", async (t) => {
  for (const value of [
    '"sh"',
    '"Claude-Code"',
    '"claude"',
    '" codex"',
    '""',
    "1",
    "true",
    '["codex"]',
    "{ a = 1 }",
  ]) {
    const error = await refused(t, `harness = ${value}\nprompt = "x"`);
    assert.match(
      error.message,
      /^harness\.toml: \[harness\.heartbeat\]: harness = .* is not supported\.$/m,
      value,
    );
  }
  assert.match((await refused(t, 'prompt = "x"')).message, /a table without harness = … is not supported/);
});
