import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { HarnessError } from "../base/errors.ts";
import type { RunRef } from "../store/read.ts";
import type { Channel, Intake } from "./intake.ts";
import { streamAgent, type StreamAgent } from "./stream-agent.ts";
import { call, itemLine, itemsAgent, session, usage } from "./testing/items-agent.ts";
import { createLab, manualClock, type Lab } from "./testing/run-lab.ts";

type Bytes = Readonly<Record<Channel, Buffer>>;

/** What happens to a run, one step after the other. */
type Step =
  | { do: "write"; channel: Channel; size: number }
  /** Time passes: what waits is committed. */
  | { do: "tick" }
  /** The daemon ends by itself and the next one goes on. */
  | { do: "release" }
  /** The daemon is killed with bytes and items in memory. */
  | { do: "kill" }
  /** The daemon is killed after the files were written and before the store had it. */
  | { do: "kill_in_commit" };

/** What is left of a run: equal for equal bytes, whatever happened to them on the way. */
interface Left {
  items: unknown[];
  stream: string;
  stderr: string;
  unread: string;
  totals: unknown;
}

const left = (lab: Lab, ref: RunRef): Left => {
  const log = Buffer.from(lab.log(ref));
  const text = { stdout: "", stderr: "" };
  for (const entry of lab.store.read.changes(ref, 0, 1_000_000).entries) {
    if (entry.type !== "output") continue;
    text[entry.segment.channel] += log.toString("utf8", entry.segment.from, entry.segment.to);
  }
  return {
    items: lab.items(ref).map(({ item, duplicate }) => ({ item, duplicate })),
    stream: lab.stream(ref),
    stderr: text.stderr,
    unread: text.stdout,
    totals: lab.store.read.run(ref)?.totals,
  };
};

/** Holds a run's bytes as a keeper does: it gives them again from where they are acknowledged. */
const playSteps = async (
  lab: Lab,
  ref: RunRef,
  bytes: Bytes,
  steps: readonly Step[],
  agent: StreamAgent = itemsAgent,
): Promise<void> => {
  let clock = manualClock();
  let broken = false;
  const store = {
    ...lab.store,
    commit: (batch: Parameters<Lab["store"]["commit"]>[0]) => {
      if (broken) throw new HarnessError("store_failed", "killed");
      return lab.store.commit(batch);
    },
  };
  const acked = { stdout: 0, stderr: 0 };
  const open = (): Intake => {
    clock = manualClock();
    const intake = lab.intake(ref, {}, { clock, store, streamAgent: agent });
    assert.deepEqual(intake.position, acked, "what is acknowledged is where the next one goes on");
    intake.onCommitted((channel, offset) => {
      assert.ok(offset >= acked[channel]);
      acked[channel] = offset;
    });
    return intake;
  };
  let intake = open();
  let sent = { stdout: 0, stderr: 0 };
  const restart = (): void => {
    intake = open();
    sent = { ...acked };
  };
  for (const step of steps) {
    if (step.do === "write") {
      const from = sent[step.channel];
      const chunk = bytes[step.channel].subarray(from, from + step.size);
      intake.write(step.channel, from, chunk);
      sent[step.channel] += chunk.length;
    } else if (step.do === "tick") {
      clock.advance(10);
    } else {
      if (step.do === "release") intake.release();
      if (step.do === "kill_in_commit") {
        broken = true;
        clock.advance(10);
        broken = false;
      }
      restart();
    }
  }
  for (const channel of ["stdout", "stderr"] as const) {
    intake.write(channel, sent[channel], bytes[channel].subarray(sent[channel]));
  }
  await lab.play(ref, intake, "");
};

const pem = ["-----BEGIN", " PRIVATE KEY-----"].join("");
const stdoutLine = fc.oneof(
  fc.nat(5).map((number) => itemLine(call(number))),
  fc.nat(5).map((number) => itemLine(call(number, { rev: 1, summary: "again" }), usage(`u${number}`))),
  fc.string({ unit: "grapheme" }).map((title) => itemLine(session({ title, rev: title.length }))),
  fc.string().map((text) => `${text.replaceAll("\n", "")}\n`),
  fc.constant(`${pem}\n`),
  fc.constant(itemLine(call(9, { summary: "Authorization: token abc123" }))),
);
const stderrLine = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => `${text.replaceAll("\n", "")}\n`),
  fc.constant("Authorization: token abc123\n"),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      channel: fc.constantFrom<Channel>("stdout", "stderr"),
      size: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ do: "tick" }) },
  fc.constantFrom<Step>({ do: "release" }, { do: "kill" }, { do: "kill_in_commit" }),
);

test("the same bytes leave the same record and files, in any chunks and with any restarts", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(stdoutLine, { maxLength: 12 }),
      fc.array(stderrLine, { maxLength: 6 }),
      fc.boolean(),
      fc.array(step, { maxLength: 25 }),
      async (stdout, stderr, cutShort, steps) => {
        const whole = stdout.join("");
        const bytes = {
          stdout: Buffer.from(cutShort ? whole.slice(0, -2) : whole),
          stderr: Buffer.from(stderr.join("")),
        };
        // The second run is in a store of its own: a response counts once per machine.
        const plain = createLab(t);
        const two = createLab(t);
        const first = plain.run();
        await playSteps(plain, first, bytes, []);
        const second = two.run();
        await playSteps(two, second, bytes, steps);
        assert.deepEqual(left(two, second), left(plain, first));
        assert.equal(left(two, second).stream.includes("abc123"), false);
      },
    ),
    { numRuns: 60 },
  );
});

const captures = ["basic", "subagent", "parallel", "error-401", "killed-sigint", "retry-overload"].map(
  (name) => readFileSync(join(import.meta.dirname, "fixtures", "claude-code", `${name}.jsonl`)),
);

test("a real stream leaves the same record, whatever reader, mask and files had to begin anew in the middle", async (t) => {
  const claude = streamAgent("claude-code");
  const longStep = step.map((each) => (each.do === "write" ? { ...each, size: each.size * 10 } : each));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...captures),
      fc.array(longStep, { maxLength: 25 }),
      async (stdout, steps) => {
        const bytes = { stdout, stderr: Buffer.from("a warning\n") };
        const [plain, other] = [createLab(t), createLab(t)];
        const [first, second] = [plain.run(), other.run()];
        await playSteps(plain, first, bytes, [], claude);
        await playSteps(other, second, bytes, steps, claude);
        assert.ok(left(plain, first).items.length > 1);
        assert.deepEqual(left(other, second), left(plain, first));
      },
    ),
    { numRuns: 40 },
  );
});

test("an unfinished line that is longer than its sender holds is let go of, and is marked when a restart loses it", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const long = Buffer.from(itemLine(call(1, { summary: "x".repeat(600_000) })));
  const all = Buffer.concat([Buffer.from(itemLine(session())), long, Buffer.from(itemLine(call(2)))]);
  const bytes = { stdout: all, stderr: Buffer.alloc(0) };
  const steps: Step[] = [{ do: "write", channel: "stdout", size: 500_000 }, { do: "tick" }, { do: "kill" }];
  await playSteps(lab, ref, bytes, steps);
  assert.deepEqual(
    lab.items(ref).map((stored) => stored.item.type),
    ["session", "tool_call"],
  );
  const [, marker, last] = lab.stream(ref).split("\n");
  assert.equal(marker, `{"harness":"line_cut","stream":"stdout","bytes":${long.length - 1}}`);
  assert.equal(`${last}\n`, itemLine(call(2)));
  assert.equal(lab.store.read.run(ref)?.totals.unreadLines, 1);
  // Without the restart nothing is lost.
  const other = lab.run();
  await playSteps(lab, other, bytes, steps.slice(0, 2));
  assert.equal(lab.items(other).length, 3);
});

test("a batch that is full in the middle of a chunk is committed up to that line", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const stdout = Buffer.from(Array.from({ length: 600 }, (_, number) => itemLine(call(number))).join(""));
  const bytes = { stdout, stderr: Buffer.alloc(0) };
  await playSteps(lab, ref, bytes, [
    { do: "write", channel: "stdout", size: stdout.length - 10 },
    { do: "kill" },
  ]);
  assert.equal(lab.stream(ref), stdout.toString());
  assert.equal(lab.items(ref).length, 601);
});

test("what a file holds beyond the last commit is cut off; what it lacks is told", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const line = itemLine(call(1));
  const intake = lab.intake(ref);
  intake.write("stdout", 0, Buffer.from(line));
  intake.release();
  appendFileSync(lab.paths.stream(ref.harness, ref.runId), `{"not":"${"committed".repeat(100)}"}\n{"torn`);
  const next = lab.intake(ref);
  next.write("stdout", next.position.stdout, Buffer.from(itemLine(call(2))));
  next.release();
  assert.equal(lab.stream(ref), line + itemLine(call(2)));
  assert.deepEqual(lab.faults, []);
});
