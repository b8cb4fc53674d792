import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { closeRun } from "../record/close-run.ts";
import { call, itemLine, session } from "../record/testing/items-agent.ts";
import { createLab } from "../record/testing/run-lab.ts";
import { patientPage } from "./patient-page.ts";

const live = (t: TestContext) => {
  const lab = createLab(t);
  const ref = lab.run();
  const intake = lab.intake(ref);
  const deps = { sources: { store: lab.store.read, paths: lab.paths }, bus: lab.bus, clock: lab.clock };
  const never = new AbortController().signal;
  let written = 0;
  return {
    ...lab,
    write: (text: string) => {
      intake.write("stdout", written, Buffer.from(text));
      written += Buffer.byteLength(text);
      lab.clock.advance(1000);
    },
    end: async () => {
      const end = { code: 0, signal: null, at: lab.clock.now() };
      closeRun(lab, ref, end, await intake.finish(end));
    },
    page: (after: number, waitMs?: number, gone: AbortSignal = never) =>
      patientPage(deps, { name: ref.harness, after, ...(waitMs !== undefined && { waitMs }) }, gone),
  };
};

test("what is there already is answered at once, and an empty page too when nobody is patient", async (t) => {
  const { write, page } = live(t);
  assert.deepEqual((await page(0)).entries, []);
  write(itemLine(session(), call(1)));
  assert.equal((await page(0, 60_000)).entries.length, 2);
});

test("a held answer comes with the next commit, and with the end", async (t) => {
  const { write, page, end } = live(t);
  write(itemLine(session()));
  const first = await page(0);
  const held = page(first.next, 60_000);
  write(itemLine(call(1)));
  const second = await held;
  assert.deepEqual([second.entries.length, second.complete], [1, false]);
  const last = page(second.next, 60_000);
  await end();
  assert.deepEqual([(await last).entries, (await last).complete], [[], true]);
});

test("a held answer is let go when its time is up or its caller is gone", async (t) => {
  const { write, page, clock } = live(t);
  write(itemLine(session()));
  const { next } = await page(0);
  const timed = page(next, 5000);
  clock.advance(5000);
  assert.deepEqual((await timed).entries, []);
  const caller = new AbortController();
  const left = page(next, 60_000, caller.signal);
  caller.abort();
  assert.deepEqual((await left).entries, []);
});
