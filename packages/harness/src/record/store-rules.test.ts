import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import type { ResultItem } from "@orphus/agent-trace/item";
import { call, itemLine, result, session, usage } from "./testing/items-agent.ts";
import { createLab, type Lab } from "./testing/run-lab.ts";

/** Asks the public views, as anyone with the file may. */
const ask = (lab: Lab, sql: string): Record<string, unknown>[] => {
  const database = new DatabaseSync(lab.paths.store, { readOnly: true });
  try {
    // Rows of SQLite have no prototype, which a comparison would mind.
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.fromEntries(Object.entries(row)));
  } finally {
    database.close();
  }
};

const claim = (costNanoUsd: number): ResultItem["claims"] => [
  { since: "session", subagents: "in", costNanoUsd },
  { since: "turn", subagents: "out", usage: { input: 1, output: 1 } },
];

test("an equal or lower revision changes nothing; a higher one replaces the item and names the previous", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const published: string[] = [];
  const subscription = lab.bus.subscribe();
  const reading = (async () => {
    for await (const event of subscription) {
      if (event.type === "item" && event.item.type === "tool_call") {
        const before = event.previous?.type === "tool_call" ? event.previous.summary : "-";
        published.push(`${before} > ${event.item.summary}`);
      }
    }
  })();
  const lines = [
    call(1, { rev: 1, summary: "one" }),
    call(1, { rev: 1, summary: "repeat" }),
    call(1, { rev: 0, summary: "older" }),
    call(1, { rev: 3, summary: "three" }),
  ];
  await lab.play(ref, lab.intake(ref), lines.map((item) => itemLine(item)).join(""));
  subscription.close();
  await reading;
  assert.deepEqual(published, ["- > one", "one > three"]);
  assert.deepEqual(ask(lab, "SELECT key, rev, summary FROM events"), [
    { key: "call-1", rev: 3, summary: "three" },
  ]);
});

test("one key may stand under several types and in several sessions", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const items = [call(1, { key: "k" }), usage("k"), result("k"), call(1, { key: "k", sessionId: "s2" })];
  await lab.play(ref, lab.intake(ref), itemLine(...items));
  assert.equal(ask(lab, "SELECT * FROM events").length, 4);
});

test("a response counts once on this machine; its second sight is stored and adds nothing", async (t) => {
  const lab = createLab(t);
  const first = lab.run();
  await lab.play(first, lab.intake(first), itemLine(usage("msg-1"), usage("msg-2", { seq: 1 })));
  const second = lab.run();
  const copies = itemLine(
    usage("msg-1", { sessionId: "fork" }),
    usage("msg-3", { sessionId: "fork", seq: 1, output: 7 }),
  );
  const { record } = await lab.play(second, lab.intake(second), copies);
  assert.deepEqual(record.totals.tokens, { input: 100, output: 7 });
  assert.deepEqual(ask(lab, "SELECT run_id, key, duplicate FROM events ORDER BY change"), [
    { run_id: 1, key: "msg-1", duplicate: 0 },
    { run_id: 1, key: "msg-2", duplicate: 0 },
    { run_id: 2, key: "msg-1", duplicate: 1 },
    { run_id: 2, key: "msg-3", duplicate: 0 },
  ]);
});

test("a turn's own amount is taken only where no response of the turn is exact", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const turn = { covers: "turn" as const, costSource: "recorded" as const };
  const items = [
    usage("a", { exact: false, output: 1 }),
    usage("turn:1", { ...turn, output: 500, seq: 1 }),
    usage("b", { turn: 2, output: 20, seq: 2 }),
    usage("turn:2", { ...turn, turn: 2, output: 9999, seq: 3 }),
  ];
  const { record } = await lab.play(ref, lab.intake(ref), itemLine(...items));
  assert.deepEqual(record.totals.tokens, { input: 200, output: 520 });
});

test("a sum with a placeholder in it is not shown as if it were true", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const { record } = await lab.play(ref, lab.intake(ref), itemLine(usage("a", { exact: false, output: 1 })));
  assert.deepEqual(record.totals.tokens, {});
  assert.equal(record.totals.costNanoUsd, undefined);
});

test("H-113 H-114 the run's cost is the agent's last total, on the result, the session and the ledger row", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const items = [
    session(),
    usage("a", { costNanoUsd: 5, costSource: "priced" }),
    result("r1", { claims: claim(1_000) }),
    result("r2", { seq: 2_000_000, claims: claim(13_317_000) }),
  ];
  const { record } = await lab.play(ref, lab.intake(ref), itemLine(...items));
  assert.equal(record.totals.costNanoUsd, 13_317_000);
  assert.equal(record.totals.costSource, "recorded");
  assert.deepEqual(record.totals.sessions, [{ id: "s1", agent: "claude-code" }]);
  for (const view of ["runs", "sessions", "results"]) {
    assert.deepEqual(ask(lab, `SELECT cost_nano_usd, cost_usd FROM ${view}`), [
      { cost_nano_usd: 13_317_000, cost_usd: 0.013317 },
    ]);
  }
});

test("a resumed session's cost is its total less what it had reached in the earlier run", async (t) => {
  const lab = createLab(t);
  const first = lab.run();
  await lab.play(first, lab.intake(first), itemLine(session(), result("r1", { claims: claim(1_000) })));
  const second = lab.run();
  const played = await lab.play(
    second,
    lab.intake(second),
    itemLine(session(), result("r2", { claims: claim(1_750) })),
  );
  assert.equal(played.record.totals.costNanoUsd, 750);
  const third = lab.run();
  const again = await lab.play(
    third,
    lab.intake(third),
    itemLine(session(), result("r3", { claims: claim(2_000) })),
  );
  assert.equal(again.record.totals.costNanoUsd, 250);
});

test("a total that covers sub-agents is not added to what their sessions cost", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const child = { sessionId: "s1/agent", parentSessionId: "s1" };
  const items = [
    session(),
    session({ ...child, seq: 1 }),
    usage("a", { seq: 2 }),
    usage("b", { sessionId: "s1/agent", costNanoUsd: 400, costSource: "priced" }),
    result("r1", { claims: claim(1_000) }),
  ];
  const { record } = await lab.play(ref, lab.intake(ref), itemLine(...items));
  assert.equal(record.totals.costNanoUsd, 1_000);
  assert.deepEqual(record.totals.tokens, { input: 200, output: 20 });
  assert.equal(record.totals.sessions.length, 2);
});

test("where the usage items hold placeholders, the agent's own total gives the tokens, sub-agents included", async (t) => {
  const lab = createLab(t);
  const total = (input: number, output: number): ResultItem["claims"] => [
    { since: "session", subagents: "in", costNanoUsd: input, usage: { input, output } },
  ];
  const items = (output: number, claims: ResultItem["claims"]): string =>
    itemLine(
      session(),
      session({ sessionId: "s1/agent", parentSessionId: "s1", seq: 1 }),
      usage(`a${output}`, { covers: "turn" }),
      usage(`b${output}`, { sessionId: "s1/agent", exact: false, output: 1 }),
      result("r1", { claims }),
    );
  const first = lab.run();
  const one = await lab.play(first, lab.intake(first), items(1, total(900, 90)));
  assert.deepEqual(one.record.totals.tokens, { input: 900, output: 90 });
  const second = lab.run();
  const two = await lab.play(second, lab.intake(second), items(2, total(1_000, 95)));
  assert.deepEqual(two.record.totals.tokens, { input: 100, output: 5 });
});

test("H-98 H-99 H-101 H-103 H-108 a session, its events and its result are keyed (harness, run_id, session_id)", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const items = [
    session({
      startedAt: "2026-11-30T12:00:00.000Z",
      endedAt: "2026-11-30T12:00:09.000Z",
      cwd: "/srv/project",
      gitBranch: "main",
      models: [{ model: "m1", provider: "p1" }],
    }),
    session({ sessionId: "s1/agent", parentSessionId: "s1" }),
    usage("a", { cacheRead: 3, cacheWrite5m: 4, cacheWrite1h: 5 }),
    result("r1", { subtype: "success", turns: 6, durationMs: 1234, text: "done", claims: claim(1_000) }),
  ];
  await lab.play(ref, lab.intake(ref), itemLine(...items));
  const joined = ask(
    lab,
    `SELECT s.*, r.outcome, x.subtype, x.is_error, x.turns, x.duration_ms, x.text
     FROM sessions s JOIN runs r USING (harness, run_id) LEFT JOIN results x USING (harness, run_id, session_id)
     ORDER BY s.session_id`,
  );
  const [main, child] = joined;
  assert.deepEqual(
    { ...main, pointer_bytes: undefined, pointer_sha256: undefined },
    {
      harness: "nightly",
      run_id: 1,
      session_id: "s1",
      adapter: "claude-code",
      source: "stream",
      parent_session_id: null,
      started_at: "2026-11-30T12:00:00.000Z",
      ended_at: "2026-11-30T12:00:09.000Z",
      cwd: "/srv/project",
      git_branch: "main",
      title: null,
      served: '[{"model":"m1","provider":"p1"}]',
      input_tokens: 100,
      output_tokens: 10,
      cache_read_tokens: 3,
      cache_write_tokens: 9,
      cost_nano_usd: 1_000,
      cost_usd: 0.000001,
      cost_source: "recorded",
      trace_id: null,
      pointer_path: lab.paths.stream(ref.harness, ref.runId),
      pointer_bytes: undefined,
      pointer_sha256: undefined,
      events_complete: 1,
      events_dropped: 0,
      cairn_url: null,
      outcome: "success",
      subtype: "success",
      is_error: 0,
      turns: 6,
      duration_ms: 1234,
      text: "done",
    },
  );
  assert.equal(child?.["parent_session_id"], "s1");
});

test("H-102 an event has its place, kind, tool, action, targets, error, size, summary, model and tokens", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const items = [
    call(3, {
      at: "2026-11-30T12:00:01.000Z",
      targets: [{ path: "a.ts", touch: "edit" }],
      outcome: "error",
      errorClass: "timeout",
      resultBytes: 77,
      model: "m1",
      provider: "p1",
    }),
    usage("u", { seq: 4, model: "m1" }),
    {
      v: 1 as const,
      type: "mark" as const,
      kind: "api_error" as const,
      key: "e1",
      sessionId: "s1",
      rev: 0,
      seq: 5,
      errorClass: "quota" as const,
    },
    {
      v: 1 as const,
      type: "mark" as const,
      kind: "user_message" as const,
      key: "m1",
      sessionId: "s1",
      rev: 0,
      seq: 6,
    },
    result("r"),
  ];
  await lab.play(ref, lab.intake(ref), itemLine(...items));
  const events = ask(
    lab,
    `SELECT seq, kind, tool, action, targets, is_error, error_class, result_bytes, summary, model, provider,
       input_tokens, output_tokens FROM events ORDER BY seq`,
  );
  assert.deepEqual(
    events.map((event) => event["kind"]),
    ["tool_call", "usage", "error", "mark", "result"],
  );
  assert.deepEqual(events[0], {
    seq: 3,
    kind: "tool_call",
    tool: "Bash",
    action: "exec",
    targets: '[{"path":"a.ts","touch":"edit"}]',
    is_error: 1,
    error_class: "timeout",
    result_bytes: 77,
    summary: "step 3",
    model: "m1",
    provider: "p1",
    input_tokens: null,
    output_tokens: null,
  });
  assert.deepEqual([events[1]?.["input_tokens"], events[1]?.["output_tokens"]], [100, 10]);
  assert.deepEqual([events[2]?.["is_error"], events[2]?.["error_class"]], [1, "quota"]);
  assert.equal(ask(lab, "SELECT at FROM events WHERE seq = 3")[0]?.["at"], "2026-11-30T12:00:01.000Z");
});

test("H-100 the ledger row has counts and ids, and nothing that was said", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const said = "a-word-that-was-said";
  const items = [session({ title: said }), call(1, { summary: said }), result("r", { text: said })];
  await lab.play(ref, lab.intake(ref), itemLine(...items));
  assert.equal(JSON.stringify(ask(lab, "SELECT * FROM runs")).includes(said), false);
  assert.equal(JSON.stringify(ask(lab, "SELECT * FROM events")).includes(said), true);
});

test("H-119 H-125 H-126 strings are free of control characters and within their caps, at a code point's edge", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const items = [
    call(1, { summary: `\u001b[31mred\u001b[0m\u0000\u0007 ${"é😀".repeat(400)}` }),
    result("r", { text: "😀".repeat(2000) }),
  ];
  await lab.play(ref, lab.intake(ref), itemLine(...items));
  const [summary, text] = ask(lab, "SELECT summary FROM events ORDER BY seq").map((row) =>
    String(row["summary"]),
  );
  assert.match(summary ?? "", /^red {1,2}é😀.*…$/u);
  assert.ok(Buffer.byteLength(summary ?? "") <= 1024 && Buffer.byteLength(summary ?? "") > 1000);
  assert.match(text ?? "", /^😀+…$/u);
  assert.ok(Buffer.byteLength(text ?? "") <= 4096 && Buffer.byteLength(text ?? "") > 4080);
});

test("H-127 H-128 of 10,001 events 10,000 are stored, the session is incomplete, and every one is counted", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const calls = Array.from({ length: 10_000 }, (_, number) => itemLine(call(number)));
  const { record } = await lab.play(
    ref,
    lab.intake(ref),
    calls.join("") + itemLine(result("last", { text: "end" })),
  );
  assert.deepEqual(ask(lab, "SELECT count(*) AS n FROM events"), [{ n: 10_000 }]);
  assert.deepEqual(ask(lab, "SELECT events_complete, events_dropped FROM sessions"), [
    { events_complete: 0, events_dropped: 1 },
  ]);
  assert.equal(record.totals.toolCalls, 10_000);
  assert.deepEqual(ask(lab, "SELECT text FROM results"), [{ text: "end" }]);
  const complete = lab.run();
  await lab.play(complete, lab.intake(complete), calls.join(""));
  assert.deepEqual(ask(lab, "SELECT events_complete FROM sessions WHERE run_id = 2"), [
    { events_complete: 1 },
  ]);
});

test("H-135 H-136 without record_trace the bus has everything, the store no event, the ledger its counts", async (t) => {
  const lab = createLab(t);
  const ref = lab.run("private", { recordTrace: false });
  const subscription = lab.bus.subscribe({ run: ref });
  const summaries: string[] = [];
  const reading = (async () => {
    for await (const event of subscription) {
      if (event.type === "item" && event.item.type === "tool_call") summaries.push(event.item.summary);
    }
  })();
  const lines = itemLine(session({ title: "t" }), call(1)) + itemLine(usage("u"), result("r"));
  const intake = lab.intake(ref, { recordTrace: false });
  intake.write("stdout", 0, Buffer.from(lines.slice(0, lines.indexOf("\n") + 1)));
  lab.clock.advance(10);
  const kept = ask(lab, "SELECT body FROM event UNION ALL SELECT body FROM session");
  assert.ok(kept.length === 2 && !JSON.stringify(kept).includes("step 1"), "not even while the run is open");
  // A restart in the middle: what was counted is still known.
  intake.release();
  const again = lab.intake(ref, { recordTrace: false });
  again.write("stdout", again.position.stdout, Buffer.from(lines).subarray(again.position.stdout));
  const { record } = await lab.play(ref, again, "");
  subscription.close();
  await reading;
  assert.deepEqual(summaries, ["step 1"]);
  assert.deepEqual(ask(lab, "SELECT * FROM events"), []);
  assert.deepEqual(ask(lab, "SELECT title, cwd FROM sessions"), [{ title: null, cwd: null }]);
  assert.equal(record.totals.toolCalls, 1);
  assert.deepEqual(record.totals.tokens, { input: 100, output: 10 });
  assert.deepEqual(record.totals.sessions, [{ id: "s1", agent: "claude-code" }]);
});

test("two live runs that announce one session keep their own items, and both say so", async (t) => {
  const lab = createLab(t);
  const [one, two] = [lab.run("one"), lab.run("two")];
  const [first, second] = [lab.intake(one), lab.intake(two)];
  first.write("stdout", 0, Buffer.from(itemLine(session(), call(1))));
  lab.clock.advance(10);
  second.write("stdout", 0, Buffer.from(itemLine(session(), call(1))));
  lab.clock.advance(10);
  assert.deepEqual(
    ask(lab, "SELECT harness, kind, mark FROM events ORDER BY harness, kind"),
    ["one", "two"].flatMap((harness) => [
      { harness, kind: "mark", mark: "ambiguous" },
      { harness, kind: "tool_call", mark: null },
    ]),
  );
  first.release();
  second.release();
});
