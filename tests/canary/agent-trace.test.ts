import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createSandbox } from "../support/sandbox.ts";
import { plantedStream, plantedTranscript } from "./plant.ts";
import { filesIn, leaksIn, type Place } from "./search.ts";
import { asText, plantedSecrets } from "./secrets.ts";

test("H-138 H-150 no verb of agent-trace gives out what a transcript or a stream holds in secret", async (t) => {
  const secrets = plantedSecrets(1);
  const pathSecret = secrets.find(({ kind }) => kind === "github token");
  assert.ok(pathSecret);
  const planting = { text: asText(secrets), path: pathSecret.secret };
  const sandbox = createSandbox(t);
  const { sessionId, text } = plantedTranscript("basic", planting);
  const project = join(sandbox.home, ".claude", "projects", "-work");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${sessionId}.jsonl`), text);
  const written = sandbox.workdir("written");
  const stream = plantedStream("basic", planting);
  const printed: Place[] = [];
  const say = async (args: readonly string[], input?: string): Promise<number | null> => {
    const { code, stdout, stderr } = await sandbox.run(
      "agent-trace",
      args,
      input === undefined ? {} : { input },
    );
    printed.push({ name: `agent-trace ${args.join(" ").slice(0, 40)}`, bytes: Buffer.from(stdout + stderr) });
    return code;
  };
  const verbs = [
    ["sessions"],
    ["sessions", "--json"],
    ["show", sessionId],
    ["show", sessionId, "--json"],
    ["export", sessionId, "--to", "otlp"],
    ["export", sessionId, "--to", "json"],
    ["read", project, "--json"],
    ["tail", "--once", "--state", join(written, "tail.json")],
    ["usage", "--by", "project"],
    ["doctor", "--json"],
  ];
  for (const verb of verbs) assert.equal(await say(verb), 0, verb.join(" "));
  assert.equal(await say(["normalize"], stream), 0);
  assert.equal(await say(["redact"], asText(secrets)), 0);
  assert.equal(await say(["redact", "--json-lines"], stream), 0);
  await say(["redact", "--findings"], asText(secrets));
  // Mistakes quote what was asked for.
  for (const wrong of [
    ["read", join(sandbox.dir, pathSecret.secret)],
    ["show", pathSecret.secret],
    [pathSecret.secret],
    ["sessions", "--agent", pathSecret.secret],
    ["redact", "--rules", join(sandbox.dir, pathSecret.secret)],
  ])
    assert.notEqual(await say(wrong), 0, wrong[0]);

  const inputs = [
    { name: "transcript", bytes: Buffer.from(text) },
    { name: "stream", bytes: Buffer.from(stream) },
  ];
  assert.equal(leaksIn(inputs, secrets).length, 2 * secrets.length, "the search can find");
  assert.deepEqual(leaksIn([...printed, ...filesIn(written)], secrets), []);
});
