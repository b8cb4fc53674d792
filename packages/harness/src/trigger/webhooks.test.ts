import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { systemClock } from "../base/clock.ts";
import { HarnessError } from "../base/errors.ts";
import { streamLog } from "../base/log.ts";
import type { HarnessDefinition, WebhookDefinition } from "../config/definition.ts";
import type { RunRecord } from "../store/read.ts";
import { job } from "../schedule/testing/lab.ts";
import type { Firing } from "../supervise/firing.ts";
import { hmacHex, hook, secret } from "./testing/hook.ts";
import { Webhooks, type Reply } from "./webhooks.ts";

interface Lab {
  webhooks: Webhooks;
  firings: (Firing & { harness: string })[];
  now: number;
  /** What becomes of a start. */
  start: (harness: string) => Partial<RunRecord>;
  /** Delivers to `github`. */
  send(body: string, headers?: Record<string, string>): Promise<Reply>;
  /** What has a run on record. */
  recorded: Set<string>;
  /** What the operator has stopped, and what is recorded of its firings. */
  paused: Set<string>;
  records: string[];
  configure(): void;
  secretFile: string;
}

const bound = (name: string, webhooks: string[]): HarnessDefinition => ({ ...job("@daily"), name, webhooks });

const lab = (
  t: TestContext,
  more: Partial<WebhookDefinition> = {},
  harnesses = [bound("triage", ["github"])],
): Lab => {
  const folder = mkdtempSync(join(tmpdir(), "hook-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const secretFile = join(folder, "secrets.env");
  writeFileSync(secretFile, `SECRET=${secret}\n`, { mode: 0o600 });
  const definition = hook({ secret: { file: secretFile, name: "SECRET" }, ...more });
  const rows = new Map<number, Partial<RunRecord>>();
  const state: Lab = {
    firings: [],
    now: Date.UTC(2026, 10, 30),
    start: () => ({ outcome: "running", pid: 7 }),
    recorded: new Set(),
    paused: new Set(),
    records: [],
    secretFile,
    webhooks: new Webhooks({
      clock: { ...systemClock, now: () => state.now },
      log: streamLog({ clock: systemClock, mask: (text) => text }, { write: () => true }),
      start: async ({ name }, firing) => {
        const row = state.start(name);
        state.firings.push({ ...firing, harness: name });
        rows.set(state.firings.length, row);
        return { ref: { harness: name, runId: state.firings.length } };
      },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only outcome and pid are looked at
      run: ({ runId }) => rows.get(runId) as RunRecord | undefined,
      paused: (name) => state.paused.has(name),
      record: ({ name }, firing, { outcome, reason }) => {
        state.records.push(`${name} ${firing.eventId ?? ""} ${outcome} ${reason}`);
        return { harness: name, runId: 0 };
      },
      hasEvent: (source, id) => state.recorded.has(`${source} ${id}`),
      mask: (line) => line.replaceAll("hunter2", "[REDACTED]"),
    }),
    configure: () => {
      state.webhooks.configure({
        webhooks: new Map([[definition.name, definition]]),
        harnesses: new Map(harnesses.map((harness) => [harness.name, harness])),
      });
    },
    send: (body, headers = {}) =>
      state.webhooks.deliver("github", {
        headers: { "x-hub-signature-256": `sha256=${hmacHex(Buffer.from(body))}`, ...headers },
        body: Buffer.from(body),
      }),
  };
  state.configure();
  return state;
};

test("an event starts every harness that names its webhook, each told of by its fate", async (t) => {
  const fates: Record<string, Partial<RunRecord>> = {
    on: { outcome: "running", pid: 7 },
    waiting: { outcome: "running" },
    busy: { outcome: "skipped" },
    broken: { outcome: "failed" },
  };
  const hub = lab(t, {}, [...Object.keys(fates).map((name) => bound(name, ["github"])), bound("other", [])]);
  hub.start = (name) => fates[name] ?? assert.fail();
  const reply = await hub.send('{"action":"opened","pass":"hunter2"}', {
    "x-github-event": "issues",
    "x-github-delivery": "d-1",
  });
  assert.deepEqual(reply, {
    status: 202,
    body: {
      decision: "fired",
      harnesses: { on: "started", waiting: "queued", busy: "skipped", broken: "error" },
    },
  });
  const [first] = hub.firings;
  assert.deepEqual([first?.trigger, first?.source, first?.eventId], ["webhook", "webhook.github", "d-1"]);
  assert.deepEqual(JSON.parse(first?.event ?? ""), {
    v: 1,
    source: "webhook.github",
    event: "issues",
    id: "d-1",
    receivedAt: "2026-11-30T00:00:00.000Z",
    body: { action: "opened", pass: "[REDACTED]" },
  });
});

test("an event starts nothing that the operator has stopped; it is recorded and told to the sender", async (t) => {
  const hub = lab(t, {}, [bound("one", ["github"]), bound("two", ["github"])]);
  hub.paused.add("one");
  const some = await hub.send("{}", { "x-github-delivery": "d-1" });
  assert.deepEqual(some.body, { decision: "fired", harnesses: { one: "paused", two: "started" } });
  hub.paused.add("two");
  const none = await hub.send("{}", { "x-github-delivery": "d-2" });
  assert.deepEqual(none, {
    status: 202,
    body: { decision: "paused", harnesses: { one: "paused", two: "paused" } },
  });
  assert.equal(hub.firings.length, 1);
  const why = "skipped paused: the operator stopped it";
  assert.deepEqual(hub.records, [`one d-1 ${why}`, `one d-2 ${why}`, `two d-2 ${why}`]);
});

test("the same delivery starts nothing a second time, also when only the ledger remembers it", async (t) => {
  const hub = lab(t);
  const id = { "x-github-delivery": "d-1" };
  await hub.send("{}", id);
  const duplicate = { status: 202, body: { decision: "duplicate" } };
  assert.deepEqual(await hub.send("{}", id), duplicate);
  hub.recorded.add("webhook.github d-2");
  assert.deepEqual(await hub.send("{}", { "x-github-delivery": "d-2" }), duplicate);
  const together = await Promise.all([1, 2, 3].map(() => hub.send("{}", { "x-github-delivery": "d-3" })));
  assert.equal(
    together.filter(({ body }) => JSON.stringify(body) === JSON.stringify(duplicate.body)).length,
    2,
  );
  assert.equal(hub.firings.length, 2);
  hub.now += 25 * 3_600_000;
  await hub.send("{}", id);
  assert.equal(hub.firings.length, 3);
});

test("a delivery of which nothing came may come again; one without an id always counts", async (t) => {
  const hub = lab(t);
  hub.start = () => {
    throw new HarnessError("store_failed", "the disk is full");
  };
  const id = { "x-github-delivery": "d-1" };
  assert.deepEqual((await hub.send("{}", id)).body, { decision: "fired", harnesses: { triage: "error" } });
  hub.start = () => ({ outcome: "running", pid: 1 });
  assert.deepEqual((await hub.send("{}", id)).body, { decision: "fired", harnesses: { triage: "started" } });
  await hub.send("{}");
  await hub.send("{}");
  assert.equal(hub.firings.length, 3);
});

test("events that were not asked for are ignored", async (t) => {
  const hub = lab(t, { events: ["push"] });
  assert.deepEqual((await hub.send("{}", { "x-github-event": "issues" })).body, { decision: "ignored" });
  assert.deepEqual((await hub.send("{}")).body, { decision: "ignored" });
  await hub.send("{}", { "x-github-event": "push" });
  assert.equal(hub.firings.length, 1);
});

test("a sender that is too fast is told when to come back; who has no secret takes no place from it", async (t) => {
  const hub = lab(t, { rate: { count: 2, perMs: 60_000 } });
  for (let count = 0; count < 5; count += 1)
    assert.equal((await hub.send("{}", { "x-hub-signature-256": "sha256=00" })).status, 401);
  assert.equal((await hub.send("{}")).status, 202);
  hub.now += 20_000;
  assert.equal((await hub.send("{}")).status, 202);
  const late = await hub.send("{}");
  assert.deepEqual([late.status, late.retryAfter], [429, 40]);
  hub.now += 40_000;
  assert.equal((await hub.send("{}")).status, 202);
});

test("a secret that is changed in its file counts at once, and one that is gone lets nobody in", async (t) => {
  const hub = lab(t);
  const other = `${secret}-new`;
  writeFileSync(hub.secretFile, `SECRET=${other}\n`);
  assert.equal((await hub.send("{}")).status, 401);
  const body = Buffer.from("{}");
  assert.equal(
    (await hub.send("{}", { "x-hub-signature-256": `sha256=${hmacHex(body, other)}` })).status,
    202,
  );
  rmSync(hub.secretFile);
  assert.equal((await hub.send("{}")).status, 500);
});

test("a hook that is unknown, off or bound to nothing is the same nothing", async (t) => {
  const off = lab(t, { enabled: false });
  const unbound = lab(t, {}, [bound("triage", [])]);
  for (const hub of [off, unbound]) {
    assert.equal(hub.webhooks.any, false);
    assert.equal(hub.webhooks.limitOf("github"), undefined);
    assert.deepEqual(
      await hub.send("{}"),
      await hub.webhooks.deliver("nope", { headers: {}, body: Buffer.alloc(0) }),
    );
  }
});
