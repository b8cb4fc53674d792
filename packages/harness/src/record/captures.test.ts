import assert from "node:assert/strict";
import { readFileSync, rmSync, unlinkSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { createNormalizer } from "@orphus/agent-trace";
import type { TraceItem } from "@orphus/agent-trace/item";
import { logPage } from "../query/log-page.ts";
import type { RunRef } from "../store/read.ts";
import { streamAgent } from "./stream-agent.ts";
import { createLab, type Lab } from "./testing/run-lab.ts";

const capture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "fixtures", "claude-code", `${name}.jsonl`), "utf8");

const claude = { streamAgent: streamAgent("claude-code") };

const play = async (lab: Lab, stdout: string, code = 0, harness = "nightly") => {
  const ref = lab.run(harness);
  return { ref, ...(await lab.play(ref, lab.intake(ref, {}, claude), stdout, { code })) };
};

const itemsOf = (lab: Lab, ref: RunRef): TraceItem[] => lab.items(ref).map(({ item }) => item);

/** The last revision of each item, in the order in which they were given out. */
const normalized = (stream: string): TraceItem[] => {
  const items = new Map<string, TraceItem>();
  const sink = {
    item(item: TraceItem) {
      const identity = JSON.stringify([item.sessionId, item.type, item.key]);
      items.delete(identity);
      items.set(identity, item);
    },
  };
  const normalizer = createNormalizer({ agent: "claude-code", cwd: "/srv/project" });
  normalizer.push(Buffer.from(stream), sink);
  normalizer.end(sink);
  return [...items.values()];
};

const names = [
  "basic",
  "subagent",
  "parallel",
  "error-401",
  "killed-sigint",
  "killed-sigterm",
  "resume-1",
  "retry-overload",
];

for (const name of names) {
  test(`H-37 ${name}: the stored record is what agent-trace gives for the stream file, in the same order`, async (t) => {
    const lab = createLab(t);
    const { ref } = await play(lab, capture(name));
    const expected = normalized(lab.stream(ref));
    assert.ok(expected.length > 2);
    assert.deepEqual(itemsOf(lab, ref), expected);
  });
}

test("H-110 H-111 H-112 H-117 a run has one session, of its own init line, with one event per call, in order", async (t) => {
  const lab = createLab(t);
  const [one, two] = [
    await play(lab, capture("basic"), 0, "one"),
    await play(lab, capture("parallel"), 0, "two"),
  ];
  for (const [{ ref, record }, name] of [
    [one, "basic"],
    [two, "parallel"],
  ] as const) {
    const first = capture(name)
      .split("\n")
      .find((line) => line.includes('"subtype":"init"'));
    const announced = /"session_id":"([^"]+)"/.exec(first ?? "")?.[1];
    const sessions = lab.items(ref).filter(({ item }) => item.type === "session");
    assert.deepEqual(
      sessions.map((stored) => [stored.item.sessionId, stored.source]),
      [[announced, "stream"]],
    );
    assert.deepEqual(record.totals.sessions, [{ id: announced, agent: "claude-code" }]);
    const calls = itemsOf(lab, ref).filter((item) => item.type === "tool_call");
    const written = [...capture(name).matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map((match) => match[1]);
    assert.ok(calls.length > 1);
    // Results may come in another order than the calls began in; `seq` is the order of starts.
    assert.deepEqual(
      calls.toSorted((a, b) => a.seq - b.seq).map((call) => call.key),
      written,
    );
  }
});

test("H-113 H-114 the run's cost and tokens are the stream's own totals", async (t) => {
  const lab = createLab(t);
  const { record } = await play(lab, capture("basic"));
  const total = /"total_cost_usd":([\d.]+)/.exec(capture("basic"))?.[1];
  assert.equal(record.totals.costNanoUsd, Math.round(Number(total) * 1e9));
  assert.equal(record.totals.costSource, "recorded");
  assert.equal(record.outcome, "success");
  const background = await play(lab, capture("subagent"));
  assert.equal(background.record.totals.costNanoUsd, 8_220_000);
  assert.deepEqual(background.record.totals.tokens, {
    input: 1545,
    output: 144,
    cacheRead: 1000,
    cacheWrite: 300,
  });
});

test("a resumed run costs what was added since, in money and in tokens", async (t) => {
  const lab = createLab(t);
  const first = await play(lab, capture("resume-1"));
  const second = await play(lab, capture("resume-2"));
  assert.deepEqual(first.record.totals.sessions, second.record.totals.sessions);
  assert.equal(first.record.totals.costNanoUsd, 1_200_000);
  assert.equal(second.record.totals.costNanoUsd, 1_200_000);
  assert.deepEqual([second.record.totals.tokens.input, second.record.totals.tokens.output], [200, 40]);
});

test("how captured runs ended", async (t) => {
  const lab = createLab(t);
  const outcome = async (name: string, code: number) => {
    const { record } = await play(lab, capture(name), code);
    return [record.outcome, record.reason];
  };
  assert.deepEqual(await outcome("basic", 0), ["success", "exit 0, and the agent reported success"]);
  assert.deepEqual(await outcome("error-401", 1), [
    "failed",
    "exit 1; the agent reported an error: auth (unauthorized)",
  ]);
  assert.deepEqual(await outcome("killed-sigint", 0), [
    "interrupted",
    "exit 0, but the agent was interrupted",
  ]);
  assert.deepEqual(await outcome("killed-sigterm", 143), [
    "failed",
    "exit 143, and the agent gave no result",
  ]);
  assert.deepEqual(await outcome("basic", 1), ["failed", "exit 1 after the agent reported success"]);
});

/** Everything in the store's files, as bytes and as SQL text. */
const storeText = (lab: Lab): string => {
  const database = new DatabaseSync(lab.paths.store, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables.map(({ name }) =>
    JSON.stringify(database.prepare(`SELECT * FROM ${String(name)}`).all()),
  );
  database.close();
  return [
    readFileSync(lab.paths.store, "latin1"),
    readFileSync(`${lab.paths.store}-wal`, "latin1"),
    ...rows,
  ].join("\n");
};

test("H-104 H-105 neither arguments nor results of a call are in the store", async (t) => {
  const lab = createLab(t);
  const argument = "an-argument-that-no-summary-shows";
  const stdout = capture("basic").replace('"description":', `"unseen":"${argument}","description":`);
  assert.ok(stdout.includes(argument));
  const { ref } = await play(lab, stdout);
  const text = storeText(lab);
  for (const unstored of [argument, "File created successfully at"]) {
    assert.equal(text.includes(unstored), false, unstored);
    assert.ok(lab.stream(ref).includes(unstored), "the search can find it");
  }
  const write = itemsOf(lab, ref).find((item) => item.type === "tool_call" && item.tool === "Write");
  assert.ok(write?.type === "tool_call" && (write.resultBytes ?? 0) > 0);
});

test("H-106 H-107 the pointer is the stream file as it was closed, and the events do not need it", async (t) => {
  const lab = createLab(t);
  const { ref, fold } = await play(lab, capture("basic"));
  const path = lab.paths.stream(ref.harness, ref.runId);
  const bytes = readFileSync(path);
  assert.deepEqual(fold.raw, {
    path,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  const before = itemsOf(lab, ref);
  unlinkSync(path);
  rmSync(lab.paths.runLog(ref.harness, ref.runId));
  assert.deepEqual(itemsOf(lab, ref), before);
  const page = logPage({ store: lab.store.read, paths: lab.paths }, { name: ref.harness });
  assert.equal(page.entries.length, before.length);
  assert.equal(page.run.stream, undefined);
});

test("H-123 H-124 a credential in a command is masked in the record, and nowhere in store or stream file", async (t) => {
  const lab = createLab(t);
  const secret = ["abc", "123"].join("");
  const command = `curl -H 'Authorization: token ${secret}' http://127.0.0.1/`;
  const stdout = capture("basic").replace(/"command":"[^"]*"/, `"command":${JSON.stringify(command)}`);
  assert.ok(stdout.includes(secret));
  const { ref } = await play(lab, stdout);
  const call = itemsOf(lab, ref).find((item) => item.type === "tool_call");
  assert.ok(call?.type === "tool_call");
  assert.match(call.summary, /Authorization: token \[REDACTED\]/);
  assert.equal(storeText(lab).includes(secret), false);
  assert.equal(lab.stream(ref).includes(secret), false);
  assert.ok(storeText(lab).includes("Authorization: token [REDACTED]"), "the search can find");
});

test("a dropped line is a mark in the record as well", async (t) => {
  const lab = createLab(t);
  const [init = "", ...rest] = capture("basic").split("\n");
  const { ref } = await play(lab, [init, "x".repeat(17 * 1024 * 1024), ...rest].join("\n"));
  const mark = itemsOf(lab, ref).find((item) => item.type === "mark" && item.kind === "source_fault");
  assert.ok(mark?.type === "mark" && mark.fault === "oversize");
});
