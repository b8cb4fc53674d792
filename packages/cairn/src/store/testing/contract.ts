import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { limits, type Output, type Run } from "../../run/run.ts";
import { StoreError, type TraceStore } from "../store.ts";

const now = new Date("2026-11-30T12:00:00.000Z");
const later = new Date("2026-12-07T12:00:00.000Z");

const output = (bytes: Uint8Array, truncated = false): Required<Output> => ({
  sha256: createHash("sha256").update(bytes).digest("hex"),
  size: bytes.length,
  truncated,
  bytes,
});

const small = output(Buffer.from("two lines\nof text\n"));
const large = output(Buffer.alloc(limits.inlineOutputBytes + 1, 0xff), true);

/** Every field is set somewhere, and left out somewhere. */
const fullRun = (id: string): Run => ({
  id,
  status: "closed",
  title: "Größe ≠ 0 🪨",
  prompt: "line one\nline two",
  model: "a-model",
  tokenCount: Number.MAX_SAFE_INTEGER,
  provenance: {
    actor: "token",
    onBehalfOf: "nightly",
    channel: "api",
    capturedAt: "2026-11-30T11:59:59.123Z",
  },
  startedAt: "2026-11-30T11:00:00.000Z",
  endedAt: "2026-11-30T11:00:09.000Z",
  expiresAt: later.toISOString(),
  spans: [
    { spanId: "child", parentSpanId: "root", seq: 0, category: "exec", tool: "Bash", output: small },
    { spanId: "root", seq: 1, category: "tool", name: "a sub-agent", startOffsetMs: 0, durationMs: 9000 },
    {
      spanId: "args",
      seq: 2,
      category: "write",
      args: { deep: [1, 2.5, null, true, { "'; drop table run; --": "\\ \" '" }] },
      output: large,
      producedArtifactId: "art",
    },
    { spanId: "null", seq: 3, category: "x", args: null, output: { ...small } },
  ],
});

const bareRun = (id: string): Run => ({
  id,
  status: "open",
  provenance: { actor: "loopback", channel: "api", capturedAt: "2026-11-30T11:59:59.123Z" },
  startedAt: "2026-11-30T11:00:00.000Z",
  expiresAt: later.toISOString(),
  spans: [],
});

/**
 * What every store has to do, whatever database it lies on.
 * @param open an empty store for one test; the suite closes it.
 */
export const traceStoreContract = (name: string, open: (t: TestContext) => Promise<TraceStore>): void => {
  const scenario = (title: string, run: (store: TraceStore) => Promise<void>): void => {
    test(`${name}: ${title}`, async (t) => {
      const store = await open(t);
      t.after(() => store.close());
      await run(store);
    });
  };

  scenario("a run comes back as it was stored, large outputs without their bytes", async (store) => {
    await store.createRun(fullRun("one"));
    await store.createRun(bareRun("two"));
    const { bytes: _, ...ref } = large;
    const expected = fullRun("one");
    expected.spans = expected.spans.map((span) => (span.spanId === "args" ? { ...span, output: ref } : span));
    const stored = await store.run("one", now);
    assert.deepEqual(plain(stored), plain(expected));
    assert.deepEqual(await store.run("two", now), bareRun("two"));
    assert.equal(await store.run("three", now), undefined);
  });

  scenario("an output is fetched by itself, whole", async (store) => {
    await store.createRun(fullRun("one"));
    assert.deepEqual(plain(await store.output("one", "args", now)), plain(large));
    assert.deepEqual(plain(await store.output("one", "child", now)), plain(small));
    assert.equal(await store.output("one", "root", now), undefined);
    assert.equal(await store.output("one", "nothing", now), undefined);
    assert.equal(await store.output("other", "args", now), undefined);
    assert.equal(await store.output("one", "args", later), undefined);
  });

  scenario("a run that fails half-way leaves nothing of itself", async (store) => {
    const broken = fullRun("broken");
    const [first] = broken.spans;
    assert.ok(first !== undefined);
    broken.spans.push({ ...first, seq: 9 });
    await assert.rejects(store.createRun(broken), StoreError);
    assert.equal(await store.run("broken", now), undefined);
    // The id is free, which it would not be had the first rows stayed.
    await store.createRun(fullRun("broken"));
    assert.equal((await store.run("broken", now))?.spans.length, 4);
  });

  scenario("an id is taken once", async (store) => {
    await store.createRun(bareRun("one"));
    await assert.rejects(store.createRun(fullRun("one")), StoreError);
    assert.deepEqual(await store.run("one", now), bareRun("one"));
  });

  scenario("what has expired is gone, from one moment to the next", async (store) => {
    await store.createRun(fullRun("old"));
    await store.createRun({ ...fullRun("young"), expiresAt: "2026-12-07T12:00:00.001Z" });
    assert.notEqual(await store.run("old", new Date(later.getTime() - 1)), undefined);
    assert.equal(await store.run("old", later), undefined);
    assert.equal(await store.deleteExpired(new Date(later.getTime() - 1)), 0);
    assert.equal(await store.deleteExpired(later), 1);
    assert.equal(await store.run("old", now), undefined);
    assert.equal((await store.run("young", later))?.spans.length, 4);
  });

  scenario("a closed store says so, and can be closed again", async (store) => {
    await store.createRun(bareRun("one"));
    await store.close();
    await store.close();
    for (const attempt of [
      store.createRun(bareRun("two")),
      store.run("one", now),
      store.output("one", "s", now),
      store.deleteExpired(now),
    ]) {
      await assert.rejects(attempt, (error) => error instanceof StoreError && error.reason === "unavailable");
    }
  });
};

/** Without the difference between a Buffer and a Uint8Array, which means nothing here. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) => {
      if (part instanceof Uint8Array) return Buffer.from(part).toString("hex");
      const isBuffer = typeof part === "object" && part !== null && "type" in part && part.type === "Buffer";
      return isBuffer && "data" in part && Array.isArray(part.data)
        ? Buffer.from(part.data.map(Number)).toString("hex")
        : part;
    }) ?? "null",
  );
