import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createSandbox, programs, repository, type Sandbox } from "../support/sandbox.ts";
import { filesHolding, filesUnder, jsonLines, modeOf } from "../support/facts.ts";
import {
  claudeHarness,
  installPlayer,
  itemsOf,
  logOf,
  playing,
  runsOf,
  streamFile,
} from "../support/runs.ts";

const runOnce = async (t: TestContext, settings: Record<string, unknown>): Promise<Sandbox> => {
  const sandbox = createSandbox(t);
  installPlayer(sandbox);
  sandbox.config(claudeHarness("job", sandbox.workdir("work", playing(settings))));
  await sandbox.startDaemon();
  await sandbox.harness("trigger", "job", "--wait");
  return sandbox;
};

/** A field of the first line of that type, as the agent wrote it. */
const fieldOf = (stream: string, type: string, field: string): unknown => {
  for (const line of jsonLines(stream)) {
    if (typeof line === "object" && line !== null && "type" in line && line.type === type && field in line) {
      return Object.entries(line).find(([key]) => key === field)?.[1];
    }
  }
  return undefined;
};

test("H-110 H-111 a Claude Code one-shot has exactly one session, from its stream, with the id of its init line", async (t) => {
  const sandbox = await runOnce(t, { capture: "claude/basic" });
  const log = await logOf(sandbox, "job");
  const sessions = itemsOf(log).filter((item) => item.type === "session");
  assert.equal(sessions.length, 1);
  const announced = fieldOf(readFileSync(streamFile(sandbox, "job"), "utf8"), "system", "session_id");
  assert.equal(sessions[0]?.sessionId, announced);
  assert.ok(log.entries.every((entry) => entry.type !== "item" || entry.source === "stream"));
});

test("H-112 there is one event per tool call, in order, with its outcome", async (t) => {
  const sandbox = await runOnce(t, { capture: "claude/basic" });
  const calls = itemsOf(await logOf(sandbox, "job")).flatMap((item) =>
    item.type === "tool_call" ? [item] : [],
  );
  assert.deepEqual(
    calls.map((call) => [call.tool, call.action, call.outcome]),
    [
      ["Bash", "exec", "ok"],
      ["Write", "edit", "ok"],
      ["Read", "read", "ok"],
      ["Bash", "exec", "error"],
      ["Read", "read", "error"],
    ],
  );
  assert.equal(new Set(calls.map((call) => call.key)).size, 5);
});

test("H-113 H-114 the run's cost is the stream's total, and its ledger row names the session", async (t) => {
  const sandbox = await runOnce(t, { capture: "claude/basic" });
  const total = fieldOf(readFileSync(streamFile(sandbox, "job"), "utf8"), "result", "total_cost_usd");
  assert.equal(total, 0.013316999999999999);
  const [run] = await runsOf(sandbox);
  assert.equal(run?.costNanoUsd, 13_317_000);
  assert.equal(run?.costSource, "recorded");
  const result = itemsOf(await logOf(sandbox, "job")).find((item) => item.type === "result");
  assert.ok(result?.type === "result");
  assert.ok(result.claims.some((claim) => claim.costNanoUsd === run?.costNanoUsd));
  assert.deepEqual(run?.sessions, [{ id: result.sessionId, agent: "claude-code" }]);
});

test("H-117 two Claude one-shots in one working directory each get their own session", async (t) => {
  const sandbox = createSandbox(t);
  installPlayer(sandbox);
  const shared = sandbox.workdir("shared", playing({ capture: "claude/parallel" }));
  sandbox.config(claudeHarness("one", shared) + claudeHarness("two", shared));
  await sandbox.startDaemon();
  await Promise.all([
    sandbox.harness("trigger", "one", "--wait"),
    sandbox.harness("trigger", "two", "--wait"),
  ]);
  const runs = await runsOf(sandbox);
  assert.deepEqual(runs.map((run) => run.harness).toSorted(), ["one", "two"]);
  assert.deepEqual(
    runs.map((run) => run.sessions.length),
    [1, 1],
  );
  assert.notEqual(runs[0]?.sessions[0]?.id, runs[1]?.sessions[0]?.id);
  assert.equal(runs[0]?.toolCalls, runs[1]?.toolCalls);
});

test("H-105 a tool's result is not stored, only how long it was", async (t) => {
  const sandbox = await runOnce(t, { capture: "claude/basic" });
  const result = "File created successfully at";
  const store = filesUnder(sandbox.state).filter((file) => file.includes("harness.db"));
  assert.ok(store.length > 0);
  for (const file of store) assert.equal(readFileSync(file).includes(result), false, file);
  // The stream file, which is the run's raw record, does hold it: the search can find.
  assert.deepEqual(filesHolding(sandbox.state, result), [streamFile(sandbox, "job")]);
  const write = itemsOf(await logOf(sandbox, "job")).find(
    (item) => item.type === "tool_call" && item.tool === "Write",
  );
  assert.ok(
    write?.type === "tool_call" && write.resultBytes !== undefined && write.resultBytes > result.length,
  );
});

test("H-123 H-124 a credential in a command is masked in the record, the stream file and everything else", async (t) => {
  const sandbox = await runOnce(t, { capture: "claude/basic", faults: ["secret"] });
  const call = itemsOf(await logOf(sandbox, "job")).find(
    (item) => item.type === "tool_call" && item.tool === "Bash",
  );
  assert.ok(call?.type === "tool_call");
  assert.match(call.summary, /Authorization: token \[REDACTED\]/);
  assert.deepEqual(filesHolding(sandbox.state, "abc123"), []);
  // The agent's own transcript in its home holds it, so the search can find.
  assert.equal(filesHolding(sandbox.home, "abc123").length, 1);
});

test("H-137 everything in the state folder is for its owner only", async (t) => {
  const sandbox = await runOnce(t, { capture: "claude/basic" });
  assert.equal(modeOf(sandbox.state), 0o700);
  assert.equal(modeOf(join(sandbox.state, "jobs", "job")), 0o700);
  const open = filesUnder(sandbox.state).filter((file) => modeOf(file) !== 0o600);
  assert.deepEqual(open, []);
  assert.equal(modeOf(join(sandbox.state, "harness.sock")), 0o600);
});

test("H-37 H-39 agent-trace normalize gives the same records, in the same order, from the stream file", async (t) => {
  const sandbox = await runOnce(t, { capture: "claude/subagent", faults: ["noise"] });
  const stored = itemsOf(await logOf(sandbox, "job"));
  const normalized = await sandbox.run("agent-trace", ["normalize"], {
    input: readFileSync(streamFile(sandbox, "job")),
  });
  assert.equal(normalized.code, 0, normalized.stderr);
  // The store keeps the last revision of an item; so does this.
  const last = new Map<string, unknown>();
  for (const item of jsonLines(normalized.stdout)) {
    assert.ok(
      typeof item === "object" && item !== null && "type" in item && "key" in item && "sessionId" in item,
    );
    const identity = JSON.stringify([item.sessionId, item.type, item.key]);
    last.delete(identity);
    last.set(identity, item);
  }
  assert.ok(last.size > 10);
  assert.deepEqual(stored, [...last.values()]);
});

test("H-38 agent-trace normalize gives out what it has read while its input is still open", async (t) => {
  const sandbox = createSandbox(t);
  const stream = readFileSync(
    join(repository, "tests", "player", "captures", "claude", "basic", "stdout.jsonl"),
    "utf8",
  );
  const child = spawn(programs["agent-trace"], ["normalize"], {
    env: sandbox.env,
  });
  child.stdin.write(stream.slice(0, stream.indexOf("\n") + 1));
  const [chunk] = await once(child.stdout, "data");
  assert.match(String(chunk), /"type":"session"/);
  child.stdin.end();
  await once(child, "close");
  assert.equal(child.exitCode, 0);
});
