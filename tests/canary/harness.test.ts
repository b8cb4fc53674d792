import assert from "node:assert/strict";
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { claudeHarness, installPlayer, playing, runsOf } from "../support/runs.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { plantedStream } from "./plant.ts";
import { filesIn, leaksIn, namesIn, type Place } from "./search.ts";
import { asText, plantedSecrets, type Secret } from "./secrets.ts";
import { tapSocket } from "./tap.ts";

/** Each source has secrets of its own, so that a leak says where it came from. */
const planted = (seed: number, where: string): Secret[] =>
  plantedSecrets(seed).map((secret) => ({ ...secret, kind: `${secret.kind} (${where})` }));

const inPrompt = planted(1, "prompt");
const inStream = planted(2, "stream");
const inStderr = planted(3, "stderr");
const inConfig = planted(4, "config");
const inPlayer = planted(5, "tool call");
const ofKind = (secrets: readonly Secret[], kind: string): Secret => {
  const found = secrets.find((each) => each.kind.startsWith(`${kind} (`));
  if (found === undefined) throw new Error(`no secret of kind ${kind}`);
  return found;
};
const inPath = { ...ofKind(planted(6, "path"), "github token") };
const known = {
  kind: "value of an env_file",
  text: "",
  secret: ["plain", "words", "of", "nobody"].join("-"),
};

/** An agent that says what is in a file on its stdout and another on its stderr, and ends with a code. */
const speaker = (code: number): string => `#!/bin/sh
cat "$HOME/said.err" >&2
cat "$HOME/said.jsonl"
printf '%s\\n' "not json: $CANARY_VALUE"
exit ${code}
`;

interface Stage {
  sandbox: Sandbox;
  /** What programs printed. */
  printed: Place[];
  say(...args: string[]): Promise<void>;
}

const stageFor = (t: TestContext): Stage => {
  const sandbox = createSandbox(t);
  const printed: Place[] = [];
  return {
    sandbox,
    printed,
    say: async (...args) => {
      const { stdout, stderr } = await sandbox.harness(...args);
      printed.push({ name: `harness ${args[0] ?? ""}`, bytes: Buffer.from(stdout + stderr) });
    },
  };
};

const toml = JSON.stringify;

test("H-138 H-154 what a run says, is told and is called with is in no file, socket or output of the harness", async (t) => {
  const { sandbox, printed, say } = stageFor(t);
  const workdir = sandbox.workdir(`work-${inPath.secret}`);
  const played = sandbox.workdir(
    "played",
    playing({ capture: "claude/basic", faults: ["secret"], secret: asText(inPlayer) }),
  );
  const envFile = join(sandbox.dir, "secrets.env");
  writeFileSync(envFile, `CANARY_VALUE=${known.secret}\n`, { mode: 0o600 });
  const promptFile = join(workdir, "prompt.md");
  writeFileSync(promptFile, asText(inPrompt));
  const said = plantedStream("basic", { text: `${asText(inStream)}\n${known.secret}`, path: inPath.secret });
  writeFileSync(join(sandbox.home, "said.jsonl"), said);
  writeFileSync(join(sandbox.home, "said.err"), `${asText(inStderr)}\n${known.secret}\n`);
  sandbox.agent("claude", { script: speaker(0) });
  const described = `description = ${toml(ofKind(inConfig, "password flag").text)}`;
  const harness = (name: string, dir: string, more: string): string =>
    claudeHarness(name, dir, more).replace(/^prompt = .*$/m, `prompt_file = ${toml(promptFile)}`);
  const secrets = `env_file = ${toml(envFile)}`;
  sandbox.config(
    harness("says", workdir, `${secrets}\n${described}`) +
      harness("fails", workdir, `${secrets}\nargs = [${toml(ofKind(inConfig, "stripe key").text)}]`) +
      harness("gone", join(sandbox.dir, `no-${inPath.secret}`), secrets) +
      claudeHarness("plays", played) +
      `[harness.missing]\nharness = "orphus"\nworkdir = ${toml(workdir)}\nprompt = ${toml(asText(inPrompt))}\n`,
  );
  await sandbox.startDaemon();
  const tap = await tapSocket(join(sandbox.state, "harness.sock"));
  t.after(() => tap.close());

  await say("trigger", "says", "--wait");
  sandbox.agent("claude", { script: speaker(3) });
  await say("trigger", "fails", "--wait", "--json");
  await say("trigger", "gone", "--wait");
  await say("trigger", "missing", "--wait");
  chmodSync(envFile, 0o644);
  await say("trigger", "says", "--wait");
  chmodSync(envFile, 0o600);
  renameSync(promptFile, `${promptFile}.moved`);
  await say("trigger", "says", "--wait");
  renameSync(`${promptFile}.moved`, promptFile);
  installPlayer(sandbox);
  await say("trigger", "plays", "--wait");
  await say("run", "claude", asText(inPrompt), "--workdir", played, "--wait");
  const runs = await runsOf(sandbox);
  for (const verb of [
    ["list"],
    ["list", "--json"],
    ["runs", "--wide"],
    ["runs", "--json"],
    ["daemon", "status", "--json"],
    ["logs", ofKind(inPrompt, "npm token").secret],
    ["run", ofKind(inPrompt, "npm token").secret, "x"],
    ["runs", "--since", ofKind(inPrompt, "npm token").secret],
    ...runs.flatMap(({ harness: name, runId }) =>
      (name === "says" ? [[], ["--json"], ["--raw"]] : [["--json"]]).map((more) => [
        "logs",
        name,
        "--run",
        String(runId),
        ...more,
      ]),
    ),
  ])
    await say(...verb);

  const all = [...inPrompt, ...inStream, ...inStderr, ...inConfig, ...inPlayer, inPath, known];
  // The search can find: it finds every one of them in what was planted, and in the agent's output as it came.
  const input = (name: string, text: string): Place => ({ name, bytes: Buffer.from(text) });
  assert.equal(leaksIn([input("prompt", asText(inPrompt))], all).length, inPrompt.length);
  assert.equal(leaksIn([input("stream", said)], all).length, inStream.length + 2);
  assert.ok(leaksIn(filesIn(sandbox.home), inPlayer).length >= inPlayer.length, "the agent's own transcript");
  assert.deepEqual(runs.map(({ harness: name, outcome }) => `${name} ${outcome}`).toSorted(), [
    "fails failed",
    "gone failed",
    "missing failed",
    "plays success",
    "says failed",
    "says failed",
    "says success",
    "scratch success",
  ]);

  const outputs = [...printed, ...filesIn(sandbox.state), namesIn(sandbox.state), tap.answers()];
  assert.ok(
    outputs.some(({ name }) => name.endsWith(".db-wal")),
    "the write-ahead log is looked at",
  );
  assert.ok(leaksIn([tap.requests()], inPrompt).length > 0, "the socket is recorded");
  assert.deepEqual(leaksIn(outputs, all), []);
  await say("daemon", "stop");
  await say("list", "--json");
  await say("logs", "says");
  assert.deepEqual(leaksIn([...printed, ...filesIn(sandbox.state)], all), [], "with the daemon gone");
  // One of them put into a copy of any of these files is found there.
  const [one] = inStream;
  assert.ok(one);
  const copy = {
    name: "copy",
    bytes: Buffer.concat([...outputs.map(({ bytes }) => bytes), Buffer.from(one.text)]),
  };
  assert.deepEqual(leaksIn([copy], all), [`${one.kind} in copy`]);
  rmSync(workdir, { recursive: true });
});

test("H-138 a configuration that cannot be used is refused without its secrets", async (t) => {
  const { sandbox, printed, say } = stageFor(t);
  const secret = (kind: string): string => ofKind(inConfig, kind).secret;
  const path = join(sandbox.dir, secret("linear key"), "x.env");
  const bad = [
    `[harness.a]\nharness = ${toml(secret("github token"))}\n`,
    `[harness.a]\nharness = "codex"\n${secret("npm token")} = 1\n`,
    `[harness.a]\nharness = "codex"\nprompt = ${toml(asText(inConfig))}\nenv_file = ${toml(path)}\n`,
    `[harness.a]\nharness = "codex"\nprompt_file = ${toml(path)}\n`,
    `[harness.a]\nharness = "codex"\nprompt = "x"\nmodel = ${toml(`a ${secret("google key")}`)}\n`,
    `[harness.a]\nharness = "command"\nargv = ["x"]\ntranscripts = ${toml(secret("stripe key"))}\n`,
    `[harness.${secret("groq key")}]\nharness = "codex"\nretries = 3\n`,
    `[${secret("pypi token")}]\n`,
    `token = ${secret("gitlab token")}\n`,
    `[redact]\nrules = [${toml(path)}]\n`,
  ];
  const ways = [["daemon"], ["daemon", "--detach"], ["daemon", "--detach", "--json"], ["list"]];
  for (const [index, text] of bad.entries()) {
    sandbox.config(text);
    await say(...(ways[index % ways.length] ?? []));
  }
  await say("--config", path, "daemon", "--detach");
  await say("--state-dir", `/proc/${secret("replicate token")}`, "daemon");
  await say("trigger", secret("linear key"));
  await say(secret("linear key"));
  await say("runs", "--limit", secret("linear key"));
  sandbox.workdir("state");
  const refused = printed.filter(({ bytes }) => /error/.test(Buffer.from(bytes).toString("utf8")));
  assert.equal(refused.length, printed.length, "each is refused");
  assert.equal(
    leaksIn([{ name: "configuration", bytes: Buffer.from(bad.join("")) }], inConfig).length > 9,
    true,
  );
  assert.deepEqual(leaksIn([...printed, ...filesIn(sandbox.state)], inConfig), []);
});
