import assert from "node:assert/strict";
import { test } from "node:test";
import type { TraceItem } from "../../item.ts";
import { ofType, plainOptions, readText } from "../testing/reading.ts";
import { execReader } from "./stream.ts";
import { rolloutReader } from "./transcript.ts";

const parent = "01a22e5d-ca94-7ec3-a765-e327a0c52eb8";
const child = "01a22e5d-ccdf-7530-98e6-a5f535e5ea5b";
/** Turns made before and after the child. */
const parentTurn = "01a22e5d-cb3d-7fe1-853a-d9872f8f6b3d";
const childTurn = "01a22e5d-cd1a-7660-90b5-ecaee46740ff";

let clock = Date.parse("2026-11-30T21:30:29.112Z");
/** A record of a rollout; each one a millisecond later, as in a history that is written in one go. */
const line = (type: string, payload: object, laterMs = 1): string => {
  clock += laterMs;
  return JSON.stringify({ timestamp: new Date(clock).toISOString(), type, payload });
};
const event = (type: string, fields: object = {}, laterMs = 1): string =>
  line("event_msg", { type, ...fields }, laterMs);
const item = (type: string, fields: object = {}): string => line("response_item", { type, ...fields });

const tokens = (input: number, cached: number, output: number, reasoning = 0): object => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: input + output,
});
const count = (total: object, last: object, laterMs = 1): string =>
  event("token_count", { info: { total_token_usage: total, last_token_usage: last } }, laterMs);
const record = (response: string, usage: object, total: object): string =>
  line("token_usage_record", { response_id: response, usage, thread_token_usage: total });
const meta = (id: string, fields: object = {}): string =>
  line("session_meta", {
    id,
    cwd: "/home/dev/proj",
    cli_version: "0.142.0",
    model_provider: "openai",
    ...fields,
  });
const context = (turn: string): string =>
  line("turn_context", { turn_id: turn, model: "gpt-5.5", cwd: "/home/dev/proj" });

const read = (lines: readonly string[]): TraceItem[] =>
  readText(
    rolloutReader(plainOptions(`/home/dev/.codex/sessions/rollout-x-${child}.jsonl`)),
    lines.join("\n"),
  ).items;
const stream = (lines: readonly object[]): TraceItem[] =>
  readText(execReader({}), lines.map((each) => JSON.stringify(each)).join("\n")).items;
const usage = (items: readonly TraceItem[]): (number | undefined)[][] =>
  ofType(items, "usage").map(({ input, cacheRead, output }) => [input, cacheRead, output]);

test("rule 10 running totals are differenced: an equal total is a repeat, a lower one a new baseline", () => {
  const items = read([
    meta(child),
    context(childTurn),
    count(tokens(1000, 0, 50), tokens(1000, 0, 50)),
    count(tokens(1000, 0, 50), tokens(1000, 0, 50)),
    count(tokens(2500, 800, 70), tokens(1500, 800, 20)),
    event("token_count", { info: null }),
    // The counting began anew, and this response came on top of what was not seen.
    count(tokens(900, 100, 30), tokens(400, 100, 10)),
    count(tokens(1200, 100, 35), tokens(300, 0, 5)),
  ]);
  assert.deepEqual(usage(items), [
    [1000, 0, 50],
    [700, 800, 20],
    [300, 100, 10],
    [300, 0, 5],
  ]);
  assert.equal(new Set(ofType(items, "usage").map(({ key }) => key)).size, 4);
});

test("rule 10 a usage record and a token count on one response count once, whichever comes first", () => {
  const first = tokens(1000, 0, 50);
  const both = tokens(2100, 900, 80);
  const last = tokens(1100, 900, 30);
  const items = read([
    meta(child),
    context(childTurn),
    record("resp_1", first, first),
    count(first, first),
    count(both, last),
    record("resp_2", last, both),
  ]);
  assert.deepEqual(usage(items), [
    [1000, 0, 50],
    [200, 900, 30],
  ]);
  assert.equal(ofType(items, "usage")[0]?.key, "resp_1");
});

test("a call names the response that asked for it, where the response is told before the call's output", () => {
  const call = (id: string): string =>
    item("function_call", { name: "exec_command", arguments: "{}", call_id: id });
  const output = (id: string): string => item("function_call_output", { call_id: id, output: "" });
  const first = tokens(10, 0, 1);
  const second = tokens(30, 0, 2);
  const items = read([
    meta(child),
    context(childTurn),
    call("c1"),
    call("c2"),
    record("resp_1", first, first),
    output("c1"),
    call("c3"),
    record("resp_2", tokens(20, 0, 1), second),
    output("c3"),
    output("c2"),
  ]);
  const asked = new Map(ofType(items, "tool_call").map(({ key, messageId }) => [key, messageId]));
  assert.deepEqual([asked.get("c1"), asked.get("c2"), asked.get("c3")], ["resp_1", "resp_1", "resp_2"]);
});

test("rule 11 input includes cached input and output the reasoning: the record's counts are disjoint", () => {
  const [only] = ofType(
    read([meta(child), context(childTurn), count(tokens(1000, 600, 80, 30), tokens(1000, 600, 80, 30))]),
    "usage",
  );
  assert.equal(only?.input, 400);
  assert.equal(only.cacheRead, 600);
  assert.equal(only.output, 80);
  assert.equal(only.reasoning, 30);
  assert.equal(only.model, "gpt-5.5");
});

test("rule 11 a turn's total on the stream is the thread's: differences within a run, and never called exact", () => {
  const items = stream([
    { type: "thread.started", thread_id: child },
    { type: "turn.started" },
    { type: "turn.completed", usage: tokens(7735, 5140, 215, 12) },
    { type: "turn.started" },
    { type: "turn.completed", usage: tokens(9735, 6140, 265, 12) },
  ]);
  assert.deepEqual(usage(items), [
    [2595, 5140, 215],
    [1000, 1000, 50],
  ]);
  assert.ok(ofType(items, "usage").every(({ exact, covers }) => !exact && covers === "turn"));
  assert.deepEqual(
    ofType(items, "result").map(({ claims }) => claims.map(({ since }) => since)),
    [["session"], ["session"]],
  );
});

/** The parent's history as it is written into a forked child, before the child's own turn. */
const replay = (withIds: boolean): string[] => [
  meta(parent),
  event("task_started", withIds ? { turn_id: parentTurn } : {}),
  event("user_message", { message: "the parent's task" }),
  item("function_call", { name: "exec_command", arguments: '{"cmd":"ls"}', call_id: "call_parent" }),
  item("function_call_output", { call_id: "call_parent", output: "Process exited with code 0\nOutput:\n" }),
  count(tokens(50_000, 0, 900), tokens(50_000, 0, 900)),
];
const own = (total: object, last: object, laterMs: number): string[] => [
  event("task_started", { turn_id: childTurn }, laterMs),
  event("user_message", { message: "the child's task" }),
  item("function_call", { name: "exec_command", arguments: '{"cmd":"pwd"}', call_id: "call_child" }),
  item("function_call_output", { call_id: "call_child", output: "Process exited with code 0\nOutput:\n" }),
  count(total, last),
];
const spawned = {
  source: { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } },
  session_id: parent,
};
const callKeys = (items: readonly TraceItem[]): string[] => ofType(items, "tool_call").map(({ key }) => key);

test("rule 12 a forked child's replayed history is not the child's, whether its total goes on or begins at zero", () => {
  const last = tokens(700, 0, 20);
  for (const total of [tokens(50_700, 0, 920), last]) {
    const items = read([meta(child, { forked_from_id: parent }), ...replay(true), ...own(total, last, 1)]);
    assert.deepEqual(usage(items), [[700, 0, 20]]);
    assert.deepEqual(callKeys(items), ["call_child"]);
    assert.equal(ofType(items, "mark").filter(({ kind }) => kind === "user_message").length, 1);
    const [session] = ofType(items, "session");
    assert.equal(session?.sessionId, child);
    assert.equal(session.forkedFrom, parent);
  }
});

test("rule 12 a spawned child that starts at zero loses nothing", () => {
  const items = read([meta(child, spawned), ...own(tokens(700, 0, 20), tokens(700, 0, 20), 1)]);
  assert.deepEqual(usage(items), [[700, 0, 20]]);
  assert.deepEqual(callKeys(items), ["call_child"]);
  assert.equal(ofType(items, "session")[0]?.parentSessionId, parent);
});

test("rule 12 a child that goes on with its parent's total without a replay counts its own responses only", () => {
  const items = read([meta(child, spawned), ...own(tokens(50_700, 0, 920), tokens(700, 0, 20), 1)]);
  assert.deepEqual(usage(items), [[700, 0, 20]]);
});

test("rule 12 no flag alone makes a replay, and a replay without turn ids is known by being written in one go", () => {
  const fresh = read([
    meta(child, { forked_from_id: parent }),
    ...own(tokens(700, 0, 20), tokens(700, 0, 20), 1),
  ]);
  assert.deepEqual(callKeys(fresh), ["call_child"]);
  const old = "5973b6c0-94b8-487b-a530-2aeb6098ae0e";
  const history = [meta(old, { forked_from_id: parent }), ...replay(false)];
  const later = own(tokens(700, 0, 20), tokens(700, 0, 20), 4000).map((each) => each.replace(childTurn, "3"));
  const items = read([...history, ...later]);
  assert.deepEqual(callKeys(items), ["call_child"]);
  assert.deepEqual(usage(items), [[700, 0, 20]]);
});

test("rule 12 replayed heads never overwrite the child's id, and a head in the middle changes nothing", () => {
  const heads = Array.from({ length: 29 }, () => meta(parent));
  const turn = own(tokens(700, 0, 20), tokens(700, 0, 20), 1);
  const items = read([meta(child, spawned), ...heads, ...turn, meta(parent), ...turn.slice(1, 2)]);
  assert.deepEqual([...new Set(items.map(({ sessionId }) => sessionId))], [child]);
  assert.equal(ofType(items, "mark").filter(({ kind }) => kind === "user_message").length, 2);
});

test("rule 13 reconnect notices are retries and only turn.failed ends the turn", () => {
  const message = "unexpected status 401 Unauthorized: bad key";
  const items = stream([
    { type: "thread.started", thread_id: child },
    { type: "turn.started" },
    { type: "error", message: `Reconnecting... 1/5 (${message})` },
    { type: "error", message: `Reconnecting... 2/5 (${message})` },
    { type: "error", message },
    { type: "turn.failed", error: { message } },
  ]);
  assert.deepEqual(
    ofType(items, "mark").map(({ kind, status }) => [kind, status]),
    [
      ["api_retry", 401],
      ["api_retry", 401],
      ["api_error", 401],
    ],
  );
  const [result] = ofType(items, "result");
  assert.equal(result?.isError, true);
  assert.equal(result.errorClass, "auth");
});

test("rule 13 item ids begin again in every thread", () => {
  const command = {
    id: "item_0",
    type: "command_execution",
    command: "ls",
    aggregated_output: "",
    exit_code: 0,
    status: "completed",
  };
  const run = (thread: string): object[] => [
    { type: "thread.started", thread_id: thread },
    { type: "turn.started" },
    { type: "item.completed", item: command },
  ];
  const items = stream([...run(parent), ...run(child)]);
  assert.deepEqual(
    ofType(items, "tool_call").map(({ sessionId, key }) => [sessionId, key]),
    [
      [parent, "item_0"],
      [child, "item_0"],
    ],
  );
});

test("rule 14 old events and new ones read the same", () => {
  const call = [
    meta(child),
    context(childTurn),
    item("function_call", { name: "exec_command", arguments: '{"cmd":"npm test"}', call_id: "call_1" }),
  ];
  const output = item("function_call_output", { call_id: "call_1", output: "no code in here" });
  const end = {
    exit_code: 2,
    duration: { secs: 1, nanos: 5_000_000 },
    aggregated_output: "boom",
    command: ["npm", "test"],
  };
  clock = Date.parse("2026-11-30T22:00:00.000Z");
  const before = read([...call, event("exec_command_end", { call_id: "call_1", ...end }), output]);
  const after = read([
    ...call,
    event("item_completed", { item: { type: "CommandExecution", id: "call_1", status: "failed", ...end } }),
    output,
  ]);
  const plain = (items: readonly TraceItem[]) =>
    ofType(items, "tool_call").map((call) => ({ ...call, at: "" }));
  assert.deepEqual(plain(after), plain(before));
  const [only] = ofType(after, "tool_call");
  assert.equal(only?.exitCode, 2);
  assert.equal(only.durationMs, 1005);
  assert.equal(only.outcome, "error");
});

test("rule 14 a command that only events tell of is read from them", () => {
  const end = {
    call_id: "call_u",
    command: ["bash", "-lc", "ls"],
    exit_code: 1,
    aggregated_output: "no",
    status: "failed",
  };
  const items = read([meta(child), context(childTurn), event("exec_command_end", end)]);
  const [only] = ofType(items, "tool_call");
  assert.equal(only?.summary, "ls");
  assert.equal(only.exitCode, 1);
  assert.equal(only.resultBytes, 2);
});

test("the exit code is read above the output only, from text or envelope", () => {
  const outcomes: [string, number | undefined, string][] = [
    ["Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nx", 3, "error"],
    ["Exit code: 1\nWall time: 0 seconds\nOutput:\nx", 1, "error"],
    [
      "Wall time: 0.1 seconds\nProcess running with session ID 7\nOutput:\nProcess exited with code 9",
      undefined,
      "ok",
    ],
    ['{"output":"x","metadata":{"exit_code":2,"duration_seconds":0.1}}', 2, "error"],
    ["hello\nProcess exited with code 4", undefined, "ok"],
    ["apply_patch verification failed: no such hunk", undefined, "error"],
    ["exec command rejected by user", undefined, "denied"],
  ];
  for (const [output, exitCode, outcome] of outcomes) {
    const [only] = ofType(
      read([
        meta(child),
        item("function_call", { name: "shell", arguments: '{"command":["ls"]}', call_id: "c" }),
        item("function_call_output", { call_id: "c", output }),
      ]),
      "tool_call",
    );
    assert.equal(only?.exitCode, exitCode, output);
    assert.equal(only?.outcome, outcome, output);
  }
});

test("a pretty-printed rollout, and one without heads or times of today's kind, are read", () => {
  const pretty = [meta(child), ...own(tokens(700, 0, 20), tokens(700, 0, 20), 1)].map((each): string =>
    JSON.stringify(JSON.parse(each), null, 4),
  );
  assert.deepEqual(callKeys(read(pretty)), ["call_child"]);
  const bare = [
    { id: child, timestamp: "2025-06-01T10:00:00.000Z", instructions: null, git: { branch: "main" } },
    { record_type: "state" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
    { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c1" },
    { type: "function_call_output", call_id: "c1", output: '{"output":"","metadata":{"exit_code":0}}' },
  ].map((each) => JSON.stringify(each));
  const items = read(bare);
  assert.deepEqual(callKeys(items), ["c1"]);
  assert.equal(ofType(items, "session")[0]?.gitBranch, "main");
  assert.equal(ofType(items, "mark")[0]?.note, "hello");
});

test("a usage limit's end is the end of the window that is used up", () => {
  const primary = { used_percent: 100, window_minutes: 300, resets_at: 1_796_080_000 };
  const secondary = { used_percent: 53, window_minutes: 10_080, resets_at: 1_796_990_000 };
  const items = read([
    meta(child),
    context(childTurn),
    event("token_count", { info: null, rate_limits: { primary, secondary } }),
    event("error", {
      message: "You've hit your usage limit. Try again later.",
      codex_error_info: "usage_limit_exceeded",
    }),
  ]);
  const [mark] = ofType(items, "mark");
  assert.deepEqual(
    [mark?.errorClass, mark?.errorKind, mark?.resetAt],
    ["quota", "usage_limit", "2026-11-30T23:06:40.000Z"],
  );
});

test("rule 20 unknown events are counted and kept, with the agent's version", () => {
  const items = read([
    meta(child),
    event("brand_new", { x: 1 }),
    event("brand_new", { x: 2 }),
    line("newer_type", {}),
  ]);
  const novelties = ofType(items, "mark").filter(({ kind }) => kind === "novelty");
  assert.deepEqual(
    novelties.map(({ novelty, count: times }) => [novelty?.name, novelty?.agentVersion, times]),
    [
      ["event_msg/brand_new", "0.142.0", 2],
      ["newer_type", "0.142.0", 1],
    ],
  );
});
