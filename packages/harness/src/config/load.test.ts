import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { loadConfig } from "./load.ts";
import { folderWith, load, loadError, loadIn } from "./testing/file.ts";

test("a definition gets its defaults, and its paths are absolute", async (t) => {
  const folder = folderWith(t, {
    "harness.toml":
      '[harness.nightly]\nharness = "claude-code"\nprompt_file = "p.md"\nworkdir = "repo"\nenv_file = "a.env"\n',
    "p.md": "Do it.\n",
    "a.env": "TOKEN=x\n",
  });
  const config = await loadIn(folder);
  assert.equal(config.file, join(folder, "harness.toml"));
  assert.equal(config.trace.maxStreamBytes, 64 * 1024 * 1024);
  assert.deepEqual(config.harnesses.get("nightly"), {
    name: "nightly",
    kind: "claude-code",
    prompt: { file: join(folder, "p.md") },
    args: [],
    argv: [],
    workdir: join(folder, "repo"),
    envFiles: [join(folder, "a.env")],
    autoAccept: false,
    maxTurns: 0,
    timeoutMs: 3_600_000,
    onOverlap: "skip",
    keepRuns: 20,
    recordTrace: true,
    enabled: false,
    restart: "no",
    restartDelayMs: 0,
    catchUp: false,
    maxWindows: 3,
    webhooks: [],
  });
});

test("every key of a one-shot is read", async (t) => {
  const { harnesses, trace } = await load(
    t,
    `[trace]
max_stream_mb = 2
[harness.all]
harness = "claude-code"
prompt = "Say hi."
args = ["--add-dir", "x"]
workdir = "~/work"
description = "All keys."
model = "some-model"
auto_accept = true
max_turns = 7
timeout = "1h30m"
on_overlap = "queue"
keep_runs = 3
record_trace = false
restart = "on-failure"
restart_delay = 1.5
inherit_env = ["PATH", "LC_*"]
schedule = "CRON_TZ=Europe/Berlin 0 3 * * mon-fri"
catch_up = true
`,
  );
  assert.equal(trace.maxStreamBytes, 2 * 1024 * 1024);
  const { workdir, ...rest } = harnesses.get("all") ?? assert.fail("not loaded");
  assert.match(workdir, /\/home\/work$/);
  assert.deepEqual(rest, {
    name: "all",
    kind: "claude-code",
    prompt: { text: "Say hi." },
    args: ["--add-dir", "x"],
    argv: [],
    envFiles: [],
    description: "All keys.",
    model: "some-model",
    autoAccept: true,
    maxTurns: 7,
    timeoutMs: 5_400_000,
    onOverlap: "queue",
    keepRuns: 3,
    recordTrace: false,
    enabled: false,
    restart: "on-failure",
    restartDelayMs: 1500,
    inheritEnv: ["PATH", "LC_*"],
    schedule: "CRON_TZ=Europe/Berlin 0 3 * * mon-fri",
    catchUp: true,
    maxWindows: 3,
    webhooks: [],
  });
});

test("a file that nobody named may be missing; a named one may not", async (t) => {
  const folder = folderWith(t);
  const source = { file: join(folder, "harness.toml"), home: folder, cwd: folder };
  const config = await loadConfig({ ...source, explicit: false });
  assert.deepEqual([config.file, config.harnesses.size], [null, 0]);
  const missing = await loadError(loadConfig({ ...source, explicit: true }));
  assert.equal(missing.code, "config_unreadable");
  assert.match(missing.message, /harness\.toml does not exist$/);
  mkdirSync(source.file);
  assert.match(
    (await loadError(loadConfig({ ...source, explicit: false }))).message,
    /is a folder, not a file$/,
  );
});

test("a syntax error names line and column", async (t) => {
  const error = await loadError(load(t, '[harness.a]\nharness = "codex"\nmax_turns = 8x\n'));
  assert.equal(error.code, "config_invalid");
  assert.match(error.message, /^harness\.toml:3:\d+: illegal character in numeric literal$/);
});

test("all problems of a file are reported together, each with line, column, table, key and what is allowed", async (t) => {
  const error = await loadError(
    load(
      t,
      `[harness.a]
harness = "claude-code"
prompt = "x"
max_turns = "seven"
colour = "red"
schedule = "61 3 * * *"
[harness.b]
harness = "codex"
prompt = ""
timeout = "soon"
[harness.c]
harness = "codex"
max_turns = 3
[surprise]
x = 1
[budget]
x = 1
[trace]
retention = "30d"
max_stream_mb = 0
`,
    ),
  );
  assert.deepEqual(error.message.split("\n"), [
    'harness.toml:4:13: [harness.a] max_turns: must be a whole number; it is "seven"',
    "harness.toml:5:1: [harness.a] colour: unknown key; see docs/config.md for the ones there are",
    'harness.toml:6:12: [harness.a] schedule: the minute field "61" is wrong: Invalid value for minute: 61; it is "61 3 * * *"',
    'harness.toml:9:10: [harness.b] prompt: must not be empty; it is ""',
    'harness.toml:10:11: [harness.b] timeout: must be a duration such as "90s", "30m" or "1h30m", or "0" for none; it is "soon"',
    "harness.toml:13:1: [harness.c] max_turns: needs prompt or prompt_file; without one the harness is a resident",
    "harness.toml:14:2: [surprise]: unknown table; see docs/config.md for the ones there are",
    "harness.toml:16:2: [budget]: this table is not supported yet in this version; remove it",
    "harness.toml:19:1: [trace] retention: this key is not supported yet in this version; remove it",
    "harness.toml:20:17: [trace] max_stream_mb: must be 1 or more; it is 0",
  ]);
});

test("prompt and prompt_file exclude each other, and a prompt file must hold a prompt", async (t) => {
  const folder = folderWith(t, {
    "harness.toml": `[harness.a]
harness = "pi"
prompt = "x"
prompt_file = "empty.md"
[harness.b]
harness = "pi"
prompt_file = "gone.md"
`,
    "empty.md": " \n",
  });
  const error = await loadError(loadIn(folder));
  assert.deepEqual(error.message.replaceAll(folder, "").split("\n"), [
    "harness.toml:4:1: [harness.a] prompt_file: prompt and prompt_file exclude each other; keep one",
    "harness.toml:4:15: [harness.a] prompt_file: /empty.md is empty; write the prompt into it",
    "harness.toml:7:15: [harness.b] prompt_file: /gone.md does not exist",
  ]);
});

test("an env_file must exist, be ours alone, and read as NAME=value; its values are never shown", async (t) => {
  const folder = folderWith(t, {
    "harness.toml": `[harness.a]
harness = "omp"
prompt = "x"
env_file = ["open.env", "gone.env", "odd.env", "."]
`,
    "open.env": "A=1\n",
    "odd.env": "A=1\nhunter2hunter2\n",
  });
  chmodSync(join(folder, "open.env"), 0o644);
  const error = await loadError(loadIn(folder));
  assert.deepEqual(error.message.replaceAll(folder, "").split("\n"), [
    "harness.toml:4:12: [harness.a] env_file: /open.env has mode 0644; a file of secrets must be 0600 or 0400; set it with chmod 600",
    "harness.toml:4:12: [harness.a] env_file: /gone.env does not exist; create it with mode 0600, or remove it from env_file",
    "harness.toml:4:12: [harness.a] env_file: /odd.env:2 is not NAME=value; write one NAME=value a line",
    "harness.toml:4:12: [harness.a] env_file:  is not a regular file; name a file of NAME=value lines",
  ]);
});

test("what a kind cannot express is an error, not dropped", async (t) => {
  const error = await loadError(load(t, '[harness.a]\nharness = "codex"\nprompt = "x"\nmax_turns = 3\n'));
  assert.match(error.message, /:4:1: \[harness\.a\] max_turns: codex cannot be held to a number of turns/);
});

test("a name becomes a folder, so it is held to safe characters", async (t) => {
  for (const name of ["../up", "a/b", "", ".hidden", "x".repeat(65), "scratch"]) {
    const error = await loadError(
      load(t, `[harness.${JSON.stringify(name)}]\nharness = "codex"\nprompt = "x"\n`),
    );
    assert.match(error.message, /^harness\.toml:1:2: \[harness\./, name);
  }
});

test("residents, kinds without a stream and bound commands load", async (t) => {
  const { harnesses } = await load(
    t,
    `[harness.tui]
harness = "claude-code"
args = ["--resume"]
[harness.crush]
harness = "crush"
prompt = "x"
[harness.script]
harness = "command"
argv = ["./triage", "--all"]
transcripts = "codex"
`,
  );
  assert.deepEqual([...harnesses.keys()], ["tui", "crush", "script"]);
  assert.deepEqual(harnesses.get("script")?.argv, ["./triage", "--all"]);
});

test("residents: what they are started with, and what a kind has no flag for is an error", async (t) => {
  const { harnesses, daemon } = await load(
    t,
    '[daemon]\nwatch_config = false\n[harness.a]\nharness = "claude-code"\nmodel = "m"\nauto_accept = true\nenabled = true\nrestart = "unless-stopped"\n',
  );
  assert.equal(daemon.watchConfig, false);
  const { model, autoAccept, enabled, restart } = harnesses.get("a") ?? assert.fail("not loaded");
  assert.deepEqual(
    { model, autoAccept, enabled, restart },
    { model: "m", autoAccept: true, enabled: true, restart: "unless-stopped" },
  );
  const error = await loadError(
    load(
      t,
      `[harness.a]
harness = "crush"
model = "m"
[harness.b]
harness = "codex"
timeout = "1h"
[harness.c]
harness = "codex"
prompt = "x"
enabled = true
restart = "always"
[harness.d]
harness = "codex"
restart = "sometimes"
restart_delay = -1
inherit_env = ["A B"]
`,
    ),
  );
  assert.deepEqual(error.message.split("\n"), [
    "harness.toml:3:1: [harness.a] model: crush cannot be told so without a prompt; set it in the agent's own configuration",
    "harness.toml:6:1: [harness.b] timeout: needs prompt or prompt_file; without one the harness is a resident",
    "harness.toml:10:1: [harness.c] enabled: is for residents; a one-shot starts when it is triggered",
    'harness.toml:11:11: [harness.c] restart: a one-shot ends when its work is done; use "no" or "on-failure"',
    'harness.toml:14:11: [harness.d] restart: must be "no", "always", "unless-stopped", "on-failure"; it is "sometimes"',
    "harness.toml:15:17: [harness.d] restart_delay: must be 0 or more; it is -1",
    `harness.toml:16:16: [harness.d] inherit_env[0]: must be a variable's name, or the beginning of names such as LC_*; it is "A B"`,
  ]);
});

test("a schedule needs a prompt, and catch_up a schedule", async (t) => {
  const error = await loadError(
    load(
      t,
      `[harness.a]
harness = "codex"
schedule = "@every 6h"
[harness.b]
harness = "codex"
prompt = "x"
catch_up = true
`,
    ),
  );
  assert.deepEqual(error.message.split("\n"), [
    "harness.toml:3:1: [harness.a] schedule: needs prompt or prompt_file; without one the harness is a resident",
    "harness.toml:7:1: [harness.b] catch_up: needs schedule: it says what becomes of due times that were missed",
  ]);
});

const WEBHOOK = 'verify = "github"\nenv_file = "s.env"\nsecret = "${HOOK_SECRET}"\n';
const HOOK_SECRET = `HOOK_SECRET=${"0123456789abcdef".repeat(2)}\n`;

test("a webhook gets its defaults, and a harness that names it queues its runs", async (t) => {
  const folder = folderWith(t, {
    "harness.toml": `[webhook.hub]\n${WEBHOOK}[harness.a]\nharness = "codex"\nprompt = "x"\ntriggers = ["webhook.hub"]\n`,
    "s.env": HOOK_SECRET,
  });
  const { webhooks, server, harnesses } = await loadIn(folder);
  assert.deepEqual(webhooks.get("hub"), {
    name: "hub",
    verify: "github",
    secret: { file: join(folder, "s.env"), name: "HOOK_SECRET" },
    maxBodyBytes: 1024 * 1024,
    rate: { count: 60, perMs: 60_000 },
    signatureHeader: "x-signature",
    signaturePrefix: "",
    enabled: true,
  });
  assert.deepEqual(server, { host: "127.0.0.1", port: 4270 });
  const { onOverlap, webhooks: bound } = harnesses.get("a") ?? assert.fail();
  assert.deepEqual([onOverlap, bound], ["queue", ["hub"]]);
});

test("H-169 a literal where a reference is due is an error that does not repeat it", async (t) => {
  const literal = ["hunter2", "hunter2", "hunter2"].join("-");
  for (const value of [JSON.stringify(literal), JSON.stringify(`$${literal}`), `["${literal}"]`]) {
    const folder = folderWith(t, {
      "harness.toml": `[webhook.hub]\nverify = "bearer"\nenv_file = "s.env"\nsecret = ${value}\n`,
      "s.env": HOOK_SECRET,
    });
    const error = await loadError(loadIn(folder));
    assert.match(error.message, /^harness\.toml:4:10: \[webhook\.hub\] secret: must be a reference/);
    assert.equal(`${error.message}${error.hint}`.includes("hunter2"), false);
  }
});

test("what is wrong with webhooks, triggers and the server is said with what is allowed", async (t) => {
  const folder = folderWith(t, {
    "harness.toml": `[server]
listen = "example.org:80"
[webhook.Hub]
${WEBHOOK}[webhook.b]
verify = "trust"
env_file = "s.env"
secret = "\${NOPE}"
max_body = "1GiB"
rate_limit = "often"
[webhook.c]
verify = "bearer"
env_file = "s.env"
secret = "\${SHORT}"
signature_header = "x-s"
[harness.a]
harness = "codex"
prompt = "x"
triggers = ["webhook.b", "webhook.d", "webhook.b", "channel.x"]
`,
    "s.env": `${HOOK_SECRET}SHORT=abc\n`,
  });
  const error = await loadError(loadIn(folder));
  assert.deepEqual(error.message.replaceAll(folder, "").split("\n"), [
    'harness.toml:2:10: [server] listen: must be an address and a port, such as "127.0.0.1:4270" or "[::1]:4270"; it is "example.org:80"',
    "harness.toml:3:2: [webhook.Hub]: a name is 1 to 64 lower-case letters, digits and dashes: it is part of an address",
    'harness.toml:8:10: [webhook.b] verify: must be one of bearer, hmac-sha256, github, gitea, gitlab, standard-webhooks; it is "trust"',
    'harness.toml:11:12: [webhook.b] max_body: must be a size from "1B" to "25MiB", such as "512KiB"; it is "1GiB"',
    'harness.toml:12:14: [webhook.b] rate_limit: must be a rate such as "60/m", "5/s" or "100/h", or "0" for none; it is "often"',
    "harness.toml:16:10: [webhook.c] secret: the secret is shorter than 16 characters; make one with: openssl rand -hex 32",
    'harness.toml:17:1: [webhook.c] signature_header: belongs to verify = "hmac-sha256" only',
    'harness.toml:21:12: [harness.a] triggers: "webhook.d" names no [webhook.<name>], and the file defines webhook.Hub, webhook.b, webhook.c',
    'harness.toml:21:12: [harness.a] triggers: "webhook.b" stands there twice',
    'harness.toml:21:12: [harness.a] triggers: "channel.x" names no [webhook.<name>], and the file defines webhook.Hub, webhook.b, webhook.c',
  ]);
});
