import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { filesUnder } from "../support/facts.ts";
import { claudeHarness } from "../support/runs.ts";
import { createSandbox } from "../support/sandbox.ts";
import { plantedStream } from "./plant.ts";
import { filesIn, leaksIn } from "./search.ts";

test("rule files of the operator mask in what the daemon keeps and answers, in agent-trace and in orphus's records", async (t) => {
  const sandbox = createSandbox(t);
  const house = [{ kind: "word of the house", text: "house~cornflower", secret: "cornflower" }];
  const rules = join(sandbox.dir, "rules.toml");
  writeFileSync(rules, '[[rules]]\nid = "house"\nregex = "house~([a-z]+)"\nkeywords = ["house~"]\n');
  const said = plantedStream("basic", { text: "house~cornflower", path: "house~cornflower" });
  writeFileSync(join(sandbox.home, "said.jsonl"), said);
  sandbox.agent("claude", {
    script: '#!/bin/sh\necho "x house~cornflower" >&2\ncat "$HOME/said.jsonl"\n',
  });
  const workdir = sandbox.workdir("house~cornflower");
  sandbox.config(`[redact]\nrules = ["rules.toml"]\n${claudeHarness("job", workdir)}`);
  await sandbox.startDaemon();
  const printed = [];
  for (const args of [
    ["trigger", "job", "--wait"],
    ["logs", "job", "--json"],
    ["list", "--json"],
  ]) {
    const { stdout, stderr } = await sandbox.harness(...args);
    printed.push({ name: `harness ${args[0] ?? ""}`, bytes: Buffer.from(stdout + stderr) });
  }
  const agentTrace = async (...more: string[]) => {
    const { stdout } = await sandbox.run("agent-trace", ["normalize", ...more], { input: said });
    return { name: "agent-trace normalize", bytes: Buffer.from(stdout) };
  };
  assert.equal(leaksIn([await agentTrace()], house).length, 1, "no built-in rule knows it");
  printed.push(await agentTrace("--rules", rules));

  const script = join(sandbox.dir, "script.json");
  writeFileSync(script, JSON.stringify({ turns: [{ text: "say house~cornflower" }] }));
  const sessions = join(sandbox.dir, "sessions");
  const asked = [
    "-p",
    "--provider",
    "scripted",
    "--script",
    script,
    "--session-dir",
    sessions,
    "--mode",
    "json",
  ];
  sandbox.env["ORPHUS_REDACT_RULES"] = rules;
  const { stdout } = await sandbox.run("orphus", [...asked, "house~cornflower"]);
  printed.push({ name: "orphus", bytes: Buffer.from(stdout) });
  const [session = ""] = filesUnder(sessions);
  const records = readFileSync(session, "utf8")
    .split("\n")
    .filter((line) => line.includes('"type":"custom"'));
  assert.ok(records.length >= 2);
  printed.push({ name: "records", bytes: Buffer.from(records.join("\n")) });
  assert.deepEqual(leaksIn([...printed, ...filesIn(sandbox.state)], house), []);
});
