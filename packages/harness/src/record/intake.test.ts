import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { call, itemLine, result, session } from "./testing/items-agent.ts";
import { createLab } from "./testing/run-lab.ts";

const MIB = 1024 * 1024;

test("H-50 H-57 H-66 the stream is kept, ends in a newline, and parses line by line", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const lines = [
    itemLine(session()),
    itemLine(call(1)),
    "not json at all\n",
    "\n",
    itemLine(call(2)).trimEnd(),
  ];
  await lab.play(ref, lab.intake(ref), lines.join(""));
  const kept = lab.stream(ref).split("\n");
  assert.equal(kept.pop(), "");
  assert.deepEqual(kept, [
    lines[0]?.trimEnd(),
    lines[1]?.trimEnd(),
    '{"harness":"not_json","stream":"stdout","text":"not json at all"}',
    lines[4],
  ]);
  for (const line of kept) JSON.parse(line);
  const file = lab.paths.stream(ref.harness, ref.runId);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
});

test("H-41 H-42 H-43 a line that is no record is counted, masked into the run log, and ends nothing", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const bad = "warning: Authorization: token abc123 is \u001b[31mdeprecated\u001b[0m\n";
  const { fold, record } = await lab.play(
    ref,
    lab.intake(ref),
    itemLine(session(), call(1)) + bad + itemLine(call(2), result("r1")),
  );
  assert.equal(fold.unreadLines, 1);
  assert.equal(record.totals.unreadLines, 1);
  assert.equal(record.outcome, "success");
  assert.equal(fold.toolCalls, 2);
  assert.equal(lab.log(ref), "warning: Authorization: token [REDACTED] is deprecated\n");
});

test("H-59 H-118 a line is masked before it is in the file, in the store, or on the bus", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const value = ["hunter", "2", "hunter"].join("");
  const seen: string[] = [];
  const subscription = lab.bus.subscribe();
  const reading = (async () => {
    for await (const event of subscription) seen.push(JSON.stringify(event));
  })();
  const intake = lab.intake(ref, { secrets: [value] });
  intake.write("stderr", 0, Buffer.from(`login with ${value}\n`));
  await lab.play(ref, intake, itemLine(session({ title: value }), call(1, { summary: `echo ${value}` })));
  subscription.close();
  await reading;
  const everything = [lab.stream(ref), lab.log(ref), JSON.stringify(lab.items(ref)), ...seen].join("\n");
  assert.equal(everything.includes(value), false);
  assert.equal(everything.match(/echo \[REDACTED\]/g)?.length, 3);
  assert.equal(lab.log(ref), "login with [REDACTED]\n");
});

test("H-64 a line of just under 16 MiB is read", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const long = itemLine(call(1, { summary: "x".repeat(16 * MIB - 400) }));
  assert.ok(long.length > 16 * MIB - 300 && long.length <= 16 * MIB);
  const { fold } = await lab.play(ref, lab.intake(ref), long);
  assert.equal(fold.toolCalls, 1);
  assert.equal(fold.unreadLines, 0);
});

test("H-65 a longer line is dropped, with a marker in its place, and what follows is read", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const long = `[${"1,".repeat(10 * MIB)}1]`;
  const { fold } = await lab.play(ref, lab.intake(ref), `${long}\n${itemLine(call(1))}`);
  const [marker, next] = lab.stream(ref).split("\n");
  assert.equal(
    marker,
    `{"harness":"line_dropped","stream":"stdout","bytes":${long.length},"limit":${16 * MIB}}`,
  );
  assert.equal(next, itemLine(call(1)).trimEnd());
  assert.equal(fold.unreadLines, 1);
  assert.equal(fold.toolCalls, 1);
});

test("H-67 H-68 stderr is stripped, masked, and in the run log alone", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const intake = lab.intake(ref);
  // The colours stand in the middle of the secret, and of what tells that it is one.
  intake.write(
    "stderr",
    0,
    Buffer.from("\u001b[1mAuthor\u001b[2mization: token abc\u001b[0m123\n\u0007beep\r\nno newline"),
  );
  await lab.play(ref, intake, itemLine(session(), call(1)));
  assert.equal(lab.log(ref), "Authorization: token [REDACTED]\nbeep\nno newline\n");
  assert.equal(lab.stream(ref), itemLine(session(), call(1)));
  const outputs = lab.store.read.changes(ref, 0, 100).entries.filter((entry) => entry.type === "output");
  assert.deepEqual(
    outputs.map((entry) => entry.segment.channel),
    ["stderr"],
  );
});

test("H-129 the stream file is cut at its limit with a marker line, and the record goes on", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const intake = lab.intake(ref, {}, { maxFileBytes: 1000 });
  const lines = Array.from({ length: 20 }, (_, number) => itemLine(call(number)));
  const { fold } = await lab.play(ref, intake, lines.join(""));
  const kept = lab.stream(ref).trimEnd().split("\n");
  assert.equal(kept.pop(), '{"harness":"stream_truncated","limit":1000}');
  assert.deepEqual(
    kept,
    lines.slice(0, kept.length).map((line) => line.trimEnd()),
  );
  assert.ok(kept.join("\n").length > 800 && kept.join("\n").length <= 1000);
  assert.equal(fold.toolCalls, 20);
});

test("H-13 a run that announced no session has trace_missing on its ledger row", async (t) => {
  const lab = createLab(t);
  const silent = lab.run();
  const { record } = await lab.play(silent, lab.intake(silent), "");
  assert.equal(record.totals.traceMissing, true);
  assert.equal(lab.store.read.run(silent)?.totals.traceMissing, true);
  const speaking = lab.run();
  const other = await lab.play(speaking, lab.intake(speaking), itemLine(session()));
  assert.equal(other.record.totals.traceMissing, false);
});
