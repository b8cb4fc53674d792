import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseJson, object, strings } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import { corpusFiles, corpusSkip, Differences, sum, tally } from "../testing/corpus.ts";
import { checkMutations } from "../testing/mutations.ts";
import { ofType, plainOptions, readResumed, readText } from "../testing/reading.ts";
import { copilotReader, isCopilotHead } from "./transcript.ts";

let events = 0;
const event = (type: string, data: object): string => {
  events += 1;
  const timestamp = new Date(Date.UTC(2026, 5, 25) + events * 1000).toISOString();
  return JSON.stringify({ type, data, id: `e${events}`, timestamp, parentId: `e${events - 1}` });
};
const start = event("session.start", {
  sessionId: "s1",
  copilotVersion: "1.0.77",
  context: { cwd: "/home/dev/proj", branch: "main" },
});
const run = (callId: string, fields: object = {}): string =>
  event("tool.execution_start", {
    toolCallId: callId,
    toolName: "bash",
    arguments: { command: "ls" },
    ...fields,
  });
const done = (callId: string, fields: object = {}): string =>
  event("tool.execution_complete", {
    toolCallId: callId,
    success: true,
    result: { content: "a" },
    ...fields,
  });
const lines = [
  start,
  event("user.message", { content: "go" }),
  event("assistant.message", { messageId: "m1", model: "gpt", outputTokens: 12, toolRequests: [] }),
  run("c1"),
  done("c1", { toolTelemetry: { metrics: { durationMs: 4 } } }),
  run("task1"),
  event("subagent.started", { toolCallId: "task1", agentName: "explore" }),
  run("c2", { parentToolCallId: "task1" }),
  done("c2", { parentToolCallId: "task1", success: false, error: { message: "no such file" } }),
  event("subagent.completed", { toolCallId: "task1", agentName: "explore" }),
  done("task1"),
  event("session.error", { errorType: "query", message: "Bad request", statusCode: 400 }),
  event("permission.completed", { requestId: "r1", result: { kind: "denied-interactively-by-user" } }),
  run("c3"),
  event("brand.new", {}),
  event("session.shutdown", {
    shutdownType: "routine",
    modelMetrics: {
      gpt: {
        usage: {
          inputTokens: 100,
          outputTokens: 15,
          cacheReadTokens: 40,
          cacheWriteTokens: 0,
          reasoningTokens: 2,
        },
      },
    },
  }),
];
const make = (state?: JsonValue) => copilotReader(plainOptions("/x/session-state/s1/events.jsonl", state));
const { items } = readText(make(), lines.join("\n"));

test("copilot-cli: a session's events make its items; a sub-agent is a session of its own", () => {
  assert.ok(isCopilotHead([start]));
  assert.deepEqual(
    ofType(items, "tool_call").map(({ sessionId, key, outcome, durationMs }) => [
      sessionId,
      key,
      outcome,
      durationMs,
    ]),
    [
      ["s1", "c1", "ok", 4],
      ["s1/task1", "c2", "error", 1000],
      ["s1", "task1", "ok", 5000],
      ["s1", "c3", "unanswered", undefined],
    ],
  );
  assert.equal(ofType(items, "tool_call")[2]?.childSessionId, "s1/task1");
  const [main, child] = ofType(items, "session");
  assert.deepEqual(
    [main?.agentVersion, main?.gitBranch, child?.parentSessionId, child?.parentCallId],
    ["1.0.77", "main", "s1", "task1"],
  );
  assert.deepEqual(
    ofType(items, "mark").map(({ kind }) => kind),
    ["user_message", "subagent_start", "subagent_end", "api_error", "permission_denied", "novelty"],
  );
});

test("rule 21 what went in is not on record for a response, and is not made up; the totals are a claim", () => {
  const [only] = ofType(items, "usage");
  assert.deepEqual([only?.output, only?.input, only?.cacheRead], [12, undefined, undefined]);
  const usage = { input: 60, output: 15, cacheRead: 40, cacheWrite5m: 0, reasoning: 2 };
  assert.deepEqual(ofType(items, "result")[0]?.claims, [{ usage, since: "session", subagents: "in" }]);
});

test("copilot-cli: a reader made from a saved state goes on, and no mutation makes it throw", () => {
  assert.deepEqual(readResumed(make, lines.join("\n")).items, items);
  checkMutations(() => make(), [lines.join("\n")], 200);
});

test("copilot-cli: real sessions hold what the truth says", { skip: corpusSkip }, () => {
  const differences = new Differences();
  for (const { name, path, truth } of corpusFiles("copilot-cli/")) {
    // A database of spans is not the program's own record.
    if (!path.endsWith(".jsonl")) continue;
    const read = readText(copilotReader(plainOptions(path)), readFileSync(path, "utf8")).items;
    const calls = ofType(read, "tool_call");
    const main = ofType(read, "session").filter(({ parentSessionId }) => parentSessionId === undefined);
    const check = (what: string, found: unknown, said: unknown = truth[what]): void => {
      differences.check(name, what, said, found);
    };
    check(
      "session_ids",
      main.map(({ sessionId }) => sessionId),
    );
    check("version", main[0]?.agentVersion);
    check("first", main[0]?.startedAt);
    const last = truth["last"];
    check(
      "last",
      main[0]?.endedAt,
      typeof last === "string" && !Number.isNaN(Date.parse(last)) ? last : null,
    );
    check("tool_use", calls.length);
    check("tools", tally(calls.map(({ tool }) => tool)));
    check("tool_result", calls.filter(({ outcome }) => outcome !== "unanswered").length);
    check(
      "tool_result_failed",
      calls.filter(({ outcome }) => outcome === "error" || outcome === "denied").length,
    );
    check(
      "models",
      (main[0]?.models ?? []).map(({ model }) => model),
      strings(truth["models"]),
    );
    check(
      "output",
      sum(ofType(read, "usage").map(({ output }) => output)),
      truth["output_tokens_of_messages"],
    );
    const types = object(truth["types"]);
    check(
      "user",
      ofType(read, "mark").filter(({ kind }) => kind === "user_message").length,
      types?.["user.message"],
    );
  }
  assert.deepEqual(differences.found, []);
});

test("copilot-cli: another agent's head is not taken for its own", () => {
  for (const head of ["", "{}", '{"type":"session","id":"x","cwd":"/"}', JSON.stringify(parseJson("[]"))]) {
    assert.equal(isCopilotHead([head]), false);
  }
});
