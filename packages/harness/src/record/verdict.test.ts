import assert from "node:assert/strict";
import { test } from "node:test";
import type { Evidence } from "../store/evidence.ts";
import type { ProcessEnd } from "./intake.ts";
import { interruptRun } from "./recover.ts";
import { call, itemLine, result, session } from "./testing/items-agent.ts";
import { createLab } from "./testing/run-lab.ts";
import { judge, ledgerOutcome } from "./verdict.ts";

const ended = (fields: Partial<ProcessEnd>): ProcessEnd => ({ code: 0, signal: null, at: 0, ...fields });
const fine: Evidence = {
  traceMissing: false,
  interrupted: false,
  unanswered: 0,
  openSubagents: 0,
  result: { isError: false },
};
const failed: Evidence = {
  ...fine,
  result: { isError: true, errorClass: "auth", errorKind: "unauthorized" },
};
const { result: _, ...silent } = fine;

const cases: [string, Partial<ProcessEnd>, Evidence, string, string][] = [
  ["all is well", {}, fine, "succeeded", "exit 0, and the agent reported success"],
  [
    "the agent reports an error and exits 1",
    { code: 1 },
    failed,
    "failed",
    "exit 1; the agent reported an error: auth (unauthorized)",
  ],
  [
    "the agent reports an error and exits 0",
    {},
    failed,
    "failed",
    "exit 0, but the agent reported an error: auth (unauthorized)",
  ],
  [
    "success is reported, the exit says no",
    { code: 1 },
    fine,
    "claimed_success",
    "exit 1 after the agent reported success",
  ],
  [
    "calls are open",
    {},
    { ...fine, unanswered: 2 },
    "claimed_success",
    "the agent reported success, but 2 calls have no result",
  ],
  [
    "a sub-agent is open",
    {},
    { ...fine, openSubagents: 1 },
    "claimed_success",
    "the agent reported success, but 1 sub-agent did not end",
  ],
  ["no result at exit 0", {}, silent, "claimed_success", "exit 0, but the agent gave no result"],
  [
    "an interruption at exit 0",
    {},
    { ...silent, interrupted: true },
    "interrupted",
    "exit 0, but the agent was interrupted",
  ],
  [
    "an interruption at exit 130",
    { code: 130 },
    { ...silent, interrupted: true },
    "interrupted",
    "exit 130: the agent was interrupted",
  ],
  [
    "an interruption that is its result",
    {},
    { ...fine, interrupted: true, result: { isError: true, errorClass: "other", errorKind: "interrupted" } },
    "interrupted",
    "exit 0, but the agent was interrupted",
  ],
  [
    "an interruption it went on from",
    {},
    { ...fine, interrupted: true },
    "succeeded",
    "exit 0, and the agent reported success",
  ],
  ["no result at exit 3", { code: 3 }, silent, "failed", "exit 3, and the agent gave no result"],
  [
    "no result, but an error before",
    { code: 1 },
    { ...silent, lastError: { errorClass: "quota" } },
    "failed",
    "exit 1; the agent reported an error: quota",
  ],
  [
    "no session at exit 0",
    {},
    { ...silent, traceMissing: true },
    "claimed_success",
    "exit 0, but no session was announced: there is no trace of any work",
  ],
  [
    "no session at exit 2",
    { code: 2 },
    { ...silent, traceMissing: true },
    "failed",
    "exit 2 before any session was announced",
  ],
  [
    "a signal of somebody else",
    { code: null, signal: "SIGKILL" },
    fine,
    "failed",
    "ended by SIGKILL, which was not sent by the daemon",
  ],
  ["nobody saw the exit", { code: null }, fine, "interrupted", "the exit status is not known"],
  [
    "a time limit",
    { code: null, signal: "SIGTERM", stoppedBy: "timeout" },
    fine,
    "timed_out",
    "stopped at its time limit",
  ],
  ["the operator", { code: 143, stoppedBy: "operator" }, fine, "cancelled", "stopped by the operator"],
];

for (const [name, end, evidence, outcome, reason] of cases) {
  test(`verdict: ${name}`, () => {
    assert.deepEqual(judge(ended(end), evidence), { outcome, reason });
  });
}

test("a success that was only claimed is a failure in the ledger", () => {
  assert.equal(ledgerOutcome({ outcome: "claimed_success", reason: "" }), "failed");
  assert.equal(ledgerOutcome({ outcome: "succeeded", reason: "" }), "success");
});

test("the verdict of a run takes its last result, and the calls it left open", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const items = [
    session(),
    call(1, { outcome: "unanswered", errorClass: "other", errorKind: "unanswered" }),
    result("r1", { isError: true, errorClass: "quota" }),
    result("r2", { seq: 2_000_000 }),
  ];
  const { record } = await lab.play(ref, lab.intake(ref), itemLine(...items));
  assert.equal(record.outcome, "failed");
  assert.equal(record.reason, "the agent reported success, but 1 call has no result");
});

test("an open run that nothing holds is closed as interrupted, with what the store has of it", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const intake = lab.intake(ref);
  intake.write("stdout", 0, Buffer.from(itemLine(session(), call(1))));
  intake.release();
  lab.down();
  lab.up();
  const record = await interruptRun(lab.store, ref, "keeper_gone", lab.clock.now());
  assert.equal(record.outcome, "interrupted");
  assert.match(record.reason ?? "", /^keeper_gone: /);
  assert.equal(record.totals.toolCalls, 1);
  assert.equal(lab.store.cursor("run:nightly/1:stdout"), undefined);
});
