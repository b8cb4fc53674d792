import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import test from "node:test";
import { modeOf } from "../support/facts.ts";
import { claudeHarness } from "../support/runs.ts";
import { createSandbox, programs } from "../support/sandbox.ts";

test("init writes a first configuration that loads, for the agents that are there, and never over another", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("codex", { script: "#!/bin/sh\n" });
  sandbox.agent("pi", { script: "#!/bin/sh\n" });
  const file = sandbox.env["HARNESS_CONFIG"] ?? assert.fail();
  const printed = await sandbox.harness("init", "--print");
  assert.equal(existsSync(file), false);
  const written = await sandbox.harness("init");
  assert.match(written.stdout, /\(for codex, pi\)/);
  assert.equal(readFileSync(file, "utf8"), printed.stdout);
  assert.equal(modeOf(file), 0o600);
  assert.match(printed.stdout, /^\[harness\.codex-hello\]$/m);
  assert.match(printed.stdout, /^# \[harness\.pi-hello\]$/m);
  const checked = await sandbox.harness("config", "check");
  assert.deepEqual([checked.code, checked.stdout], [0, `✓ ${file}: 1 harness\n`]);
  // What is in comments loads as well, once it is none.
  const all = printed.stdout.replaceAll(/^# (?=\[harness|harness =|workdir|prompt|timeout)/gm, "");
  writeFileSync(file, all);
  assert.equal((await sandbox.harness("config", "check", "--json")).code, 0);
  const again = await sandbox.harness("init");
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is there already; nothing was changed/);
  assert.equal(readFileSync(file, "utf8"), all);
});

test("H-09 doctor reports a configuration that is refused; config check says the same", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config(
    '[harness.heartbeat]\nharness = "generic"\n[harness.b]\nharness = "codex"\ncolour = "red"\n',
  );
  for (const args of [["doctor"], ["config", "check"]]) {
    const { code, stdout, stderr } = await sandbox.harness(...args);
    assert.equal(code, 1, args[0]);
    const said = stdout + stderr;
    assert.match(said, /\[harness\.heartbeat\]: harness = "generic" is not supported/);
    assert.match(said, /harness\.toml:5:1: \[harness\.b\] colour: unknown key/);
  }
});

test("doctor says what is missing and what to do, and is silent about what is right", async (t) => {
  const sandbox = createSandbox(t);
  const fresh = await sandbox.harness("doctor", "--config", join(sandbox.dir, "none", "harness.toml"));
  assert.equal(fresh.code, 1);
  delete sandbox.env["HARNESS_CONFIG"];
  const unnamed = await sandbox.harness("doctor");
  assert.deepEqual([unnamed.code, /harness init/.test(unnamed.stdout)], [0, true], unnamed.stdout);

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  t.after(() => taken.close());
  const address = taken.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const key = ["sk", "fake"].join("-");
  sandbox.env["HARNESS_CONFIG"] = join(sandbox.dir, "harness.toml");
  sandbox.env["ANTHROPIC_API_KEY"] = key;
  writeFileSync(join(sandbox.dir, "hook.env"), `HOOK=${"0123456789abcdef".repeat(2)}\n`, { mode: 0o600 });
  writeFileSync(join(sandbox.dir, "claude.env"), "ANTHROPIC_API_KEY=x\n", { mode: 0o600 });
  const work = sandbox.workdir("work");
  sandbox.config(`[server]
listen = "127.0.0.1:${port}"
[webhook.hub]
verify = "gitlab"
env_file = "hook.env"
secret = "\${HOOK}"
${claudeHarness("lacks", work, 'triggers = ["webhook.hub"]\n')}
${claudeHarness("given", work, 'env_file = "claude.env"\n')}
${claudeHarness("named", work, 'inherit_env = ["ANTHROPIC_*"]\n')}`);
  const unit = join(sandbox.home, ".config", "systemd", "user", "harness.service");
  mkdirSync(dirname(unit), { recursive: true });
  writeFileSync(unit, "[Service]\nExecStart=harness daemon\n");
  await sandbox.startDaemon();
  chmodSync(sandbox.state, 0o755);
  const sick = await sandbox.harness("doctor");
  assert.equal(sick.code, 1);
  for (const said of [
    /^✗ http: Nothing listens on .*EADDRINUSE.*\n {2}→ free the port/m,
    /^✗ state folder: open to others: .* 0755\n {2}→ close it/m,
    /^✗ service: .*lacks KillMode=process.*\n {2}→ .*service install/m,
    /^✗ agent claude-code: claude is not on the daemon's PATH\n {2}→ install it/m,
    /^⚠ keys of lacks: ANTHROPIC_API_KEY in the daemon's environment, .*\n {2}→ .*env_file.*inherit_env/m,
  ])
    assert.match(sick.stdout, said);
  assert.doesNotMatch(sick.stdout, /keys of (?:given|named)/);
  assert.equal(sick.stdout.includes(key), false);

  chmodSync(sandbox.state, 0o700);
  sandbox.agent("claude", { script: "#!/bin/sh\n" });
  const install = await sandbox.harness("service", "install");
  assert.match(install.stdout, /systemctl --user .*enable --now harness/);
  const later = await sandbox.harness("doctor", "--json");
  const text = later.stdout;
  for (const name of ["service", "agent claude-code", "state folder", "daemon"])
    assert.match(text, new RegExp(`"name": "${name}",\\s+"status": "ok"`));
  const removed = await sandbox.harness("service", "uninstall");
  assert.match(removed.stdout, /removed/);
  assert.equal(existsSync(unit), false);
});

test("a real bash completes verbs, options, names of harnesses and files", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config(claudeHarness("nightly", sandbox.workdir("work")));
  const script = (await sandbox.harness("completion", "bash")).stdout;
  const completions = (...words: string[]): string[] => {
    const { stdout, stderr } = spawnSync(
      "bash",
      [
        "-c",
        `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _harness; printf '%s\\n' "\${COMPREPLY[@]}"`,
        "bash",
        programs.harness,
        ...words,
      ],
      { env: sandbox.env, cwd: sandbox.dir, encoding: "utf8" },
    );
    assert.equal(stderr, "");
    return stdout.trimEnd().split("\n");
  };
  assert.deepEqual(completions("comp"), ["completion"]);
  assert.deepEqual(completions("trigger", ""), ["nightly"]);
  assert.deepEqual(completions("daemon", "st"), ["stop", "status"]);
  assert.deepEqual(completions("runs", "--si"), ["--since"]);
  assert.deepEqual(completions("run", "cr"), ["crush"]);
  assert.deepEqual(completions("--config", "harn"), ["harness.toml"]);
  await sandbox.startDaemon();
  rmSync(join(sandbox.dir, "harness.toml"));
  assert.deepEqual(completions("stop", "n"), ["nightly"]);
  for (const shell of ["zsh", "fish"])
    assert.match((await sandbox.harness("completion", shell)).stdout, /__complete/);
  const wrong = await sandbox.harness("completion", "tcsh");
  assert.deepEqual([wrong.code, /Allowed choices/.test(wrong.stderr)], [2, true]);
});
