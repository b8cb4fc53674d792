import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { HarnessError } from "../base/errors.ts";
import { closeRun } from "../record/close-run.ts";
import { call, itemLine, result, session } from "../record/testing/items-agent.ts";
import { createLab, type Lab } from "../record/testing/run-lab.ts";
import type { RunRef } from "../store/read.ts";
import { openStoreReader } from "../store/read.ts";
import { logPage } from "./log-page.ts";
import type { Sources } from "./run-row.ts";
import { lastRun, runs } from "./runs.ts";
import { why } from "./why.ts";

/** Reads as a program does that has no daemon: by its own read-only connection. */
const offline = (t: TestContext, lab: Lab): Sources => {
  const store = openStoreReader(lab.paths.store);
  assert.ok(store);
  t.after(() => store.close());
  return { store, paths: lab.paths };
};

const failedCall = call(2, {
  outcome: "error",
  errorClass: "other",
  errorKind: "exit_nonzero",
  at: "2026-11-30T12:00:02.000Z",
});

const playFailure = async (lab: Lab): Promise<RunRef> => {
  const ref = lab.run();
  const intake = lab.intake(ref);
  intake.write("stdout", 0, Buffer.from(itemLine(session(), call(1))));
  lab.clock.advance(1000);
  intake.write("stderr", 0, Buffer.from("first\nsecond\n"));
  lab.clock.advance(1000);
  const before = Buffer.byteLength(itemLine(session(), call(1)));
  const error = { errorClass: "auth" as const, errorKind: "unauthorized" as const };
  intake.write(
    "stdout",
    before,
    Buffer.from(`${itemLine(failedCall)}garbage\n${itemLine(result("r1", { isError: true, ...error }))}`),
  );
  const end = { code: 1, signal: null, at: lab.clock.now() };
  const fold = await intake.finish(end);
  closeRun(lab, ref, end, fold);
  return ref;
};

test("H-93 H-94 a finished run's page has its items and the lines of stderr in between, without a daemon", async (t) => {
  const lab = createLab(t);
  const ref = await playFailure(lab);
  lab.down();
  const page = logPage(offline(t, lab), { name: ref.harness });
  lab.up();
  assert.equal(page.complete, true);
  assert.deepEqual(
    page.entries.map((entry) => (entry.type === "item" ? entry.item.type : `${entry.type} ${entry.text}`)),
    ["session", "tool_call", "stderr first", "stderr second", "tool_call", "result", "unread garbage"],
  );
  assert.equal(page.entries[2]?.at, "2026-11-30T12:00:01.000Z");
  assert.equal(page.run.outcome, "failed");
  const first = logPage({ store: lab.store.read, paths: lab.paths }, { name: ref.harness, limit: 5 });
  assert.deepEqual([first.entries.length, first.complete], [6, false]);
  const rest = logPage({ store: lab.store.read, paths: lab.paths }, { name: ref.harness, after: first.next });
  assert.deepEqual([rest.entries, rest.complete], [page.entries.slice(6), true]);
  assert.equal(page.run.reason, "exit 1; the agent reported an error: auth (unauthorized)");
  assert.deepEqual(page.notices, ["Lines of output that were no records: 1; they are in the run log."]);
});

test("pages follow each other, and a revised item comes again", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const sources: Sources = { store: lab.store.read, paths: lab.paths };
  const intake = lab.intake(ref);
  intake.write("stdout", 0, Buffer.from(itemLine(session(), call(1), call(2))));
  lab.clock.advance(10);
  const first = logPage(sources, { name: ref.harness, limit: 2 });
  assert.deepEqual([first.entries.length, first.complete], [2, false]);
  const second = logPage(sources, { name: ref.harness, after: first.next });
  assert.deepEqual([second.entries.length, second.complete], [1, false]);
  const empty = logPage(sources, { name: ref.harness, after: second.next });
  assert.deepEqual([empty.entries, empty.next], [[], second.next]);
  const late = itemLine(call(1, { rev: 1, summary: "late" }));
  intake.write("stdout", itemLine(session(), call(1), call(2)).length, Buffer.from(late));
  lab.clock.advance(10);
  const [entry] = logPage(sources, { name: ref.harness, after: second.next }).entries;
  assert.ok(entry?.type === "item" && entry.item.type === "tool_call");
  assert.equal(entry.item.summary, "late");
  intake.release();
});

test("a page says what is missing: the run log, events over the cap, a trace", async (t) => {
  const lab = createLab(t);
  const ref = await playFailure(lab);
  rmSync(lab.paths.runLog(ref.harness, ref.runId));
  const page = logPage({ store: lab.store.read, paths: lab.paths }, { name: ref.harness });
  assert.ok(page.notices.includes("The run log is gone; its lines are missing here."));
  const silent = lab.run("silent");
  await lab.play(silent, lab.intake(silent), "");
  const none = logPage({ store: lab.store.read, paths: lab.paths }, { name: "silent" });
  assert.deepEqual(none.notices, ["No session was announced: there is no trace of what this run did."]);
});

test("why a run failed: its reason, the failed call, the last words of stderr", async (t) => {
  const lab = createLab(t);
  const ref = await playFailure(lab);
  const answer = why({ store: lab.store.read, paths: lab.paths }, ref);
  assert.equal(answer.reason, "exit 1; the agent reported an error: auth (unauthorized)");
  assert.deepEqual(answer.failedCalls, [failedCall]);
  assert.deepEqual(answer.stderr, ["first", "second"]);
});

test("H-114 the runs of all harnesses, newest first, with what each came to", async (t) => {
  const lab = createLab(t);
  const first = await playFailure(lab);
  lab.clock.advance(1000);
  const second = lab.run("other");
  const intake = lab.intake(second);
  intake.write("stdout", 0, Buffer.from(itemLine(session({ sessionId: "s9" }))));
  lab.clock.advance(10);
  const sources: Sources = { store: lab.store.read, paths: lab.paths };
  const rows = runs(sources, {});
  assert.deepEqual(
    rows.map((row) => [row.harness, row.outcome, row.sessions]),
    [
      ["other", "running", [{ id: "s9", agent: "claude-code" }]],
      ["nightly", "failed", [{ id: "s1", agent: "claude-code" }]],
    ],
  );
  assert.equal(rows[1]?.stream, lab.paths.stream(first.harness, first.runId));
  assert.deepEqual(runs(sources, { names: ["nightly"] }).length, 1);
  assert.deepEqual(runs(sources, { since: "2026-11-30T12:00:02.500Z" }).length, 1);
  assert.equal(lastRun(sources, "nightly")?.runId, 1);
  assert.equal(lastRun(sources, "never"), undefined);
  intake.release();
});

test("the log of a harness is that of its latest run that did something, not of a firing that was skipped", async (t) => {
  const lab = createLab(t);
  const ref = await playFailure(lab);
  const firing = {
    harness: ref.harness,
    kind: "oneshot",
    agent: "claude-code",
    trigger: "schedule",
  } as const;
  const skipped = lab.store.ledger.decided(
    { ...firing, recordTrace: true, startedAt: lab.clock.now() },
    { outcome: "skipped", endedAt: lab.clock.now() },
  );
  const sources = { store: lab.store.read, paths: lab.paths };
  assert.equal(logPage(sources, { name: ref.harness }).run.runId, ref.runId);
  assert.equal(logPage(sources, { name: ref.harness, runId: skipped }).run.outcome, "skipped");
});

test("what cannot be answered is refused with what to do", (t) => {
  const lab = createLab(t);
  const sources: Sources = { store: lab.store.read, paths: lab.paths };
  const refused = (work: () => unknown, code: string): void =>
    assert.throws(work, (error) => error instanceof HarnessError && error.code === code);
  refused(() => logPage(sources, { name: "never" }), "unknown_run");
  refused(() => logPage(sources, { name: "never", limit: 0 }), "bad_request");
  refused(() => why(sources, { harness: "never", runId: 1 }), "unknown_run");
  refused(() => runs(sources, { since: "yesterday" }), "bad_request");
  refused(() => runs(sources, { limit: 1001 }), "bad_request");
});

test("a store that is not there yet is no error; one that is no store is", (t) => {
  const lab = createLab(t);
  assert.equal(openStoreReader(`${lab.paths.dir}/none.db`), undefined);
  writeFileSync(`${lab.paths.dir}/bad.db`, "this is no database, however long it may be".repeat(50));
  assert.throws(
    () => openStoreReader(`${lab.paths.dir}/bad.db`),
    (error) => error instanceof HarnessError && error.code === "store_failed",
  );
});
