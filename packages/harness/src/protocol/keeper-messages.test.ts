import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameReader, KeeperProtocolError, MAX_FRAME_BYTES } from "./keeper-frames.ts";
import { decodeFromKeeper, decodeToKeeper, encodeFromKeeper, encodeToKeeper } from "./keeper-messages.ts";
import { decodeReply } from "./keeper-replies.ts";
import { KEEPER_CHANNELS, REFUSAL_CODES, type FromKeeper, type HeldRun, type ToKeeper } from "./keeper.ts";

/** Records as a parser makes them, with the usual prototype. */
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }): fc.Arbitrary<Model> =>
  fc.record(model, { noNullPrototype: true });

const count = fc.maxSafeNat();
const channel = fc.constantFrom(...KEEPER_CHANNELS);
const text = fc.string({ unit: "grapheme" });
const spec = record({
  file: text,
  args: fc.array(text),
  cwd: text,
  // `__proto__` is a name like any other to `Object.fromEntries`, but not to the literal that is compared with.
  env: fc.dictionary(
    text.filter((name) => name !== "__proto__"),
    text,
    { noNullPrototype: true },
  ),
  umask: fc.nat(0o777),
});

const size = record({ cols: fc.nat(0xffff), rows: fc.nat(0xffff) });
const bytes = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some));

const toKeeper: fc.Arbitrary<ToKeeper> = fc.oneof(
  record({ type: fc.constant("hello" as const), id: count, protocol: count, epoch: count }),
  record({ type: fc.constantFrom("list" as const, "quit" as const), id: count }),
  record({ type: fc.constant("spawn" as const), id: count, run: text, spec }),
  record({
    type: fc.constant("spawn" as const),
    id: count,
    run: text,
    spec: fc.tuple(spec, size).map(([pipes, terminal]) => ({ ...pipes, terminal })),
  }),
  record({ type: fc.constant("write" as const), run: text, bytes }),
  record({ type: fc.constant("resize" as const), run: text, size }),
  record({ type: fc.constant("read" as const), id: count, run: text, channel, from: count }),
  record({ type: fc.constant("ack" as const), run: text, channel, offset: count }),
  record({
    type: fc.constant("signal" as const),
    id: count,
    run: text,
    signal: text,
    group: fc.boolean(),
  }),
  record({ type: fc.constant("forget" as const), id: count, run: text }),
);

const exit = record({ code: fc.option(fc.nat(255)), signal: fc.option(text), at: count });
const fromKeeper: fc.Arbitrary<FromKeeper> = fc.oneof(
  record({ type: fc.constant("reply" as const), id: count, result: record({ pid: count }) }),
  record({
    type: fc.constant("refusal" as const),
    id: count,
    code: fc.constantFrom(...REFUSAL_CODES),
    message: text,
  }),
  record({
    type: fc.constant("data" as const),
    run: text,
    channel,
    from: count,
    bytes,
  }),
  record({ type: fc.constant("exit" as const), run: text, exit }),
  record({ type: fc.constant("eof" as const), run: text, channel, length: count }),
  record({ type: fc.constant("group_gone" as const), run: text }),
  record({ type: fc.constant("displaced" as const), epoch: count }),
);

/** The bytes in pieces, cut where the numbers say. */
const cutUp = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
};

test("messages in both directions survive any cutting of the connection's bytes", () => {
  fc.assert(
    fc.property(fc.array(toKeeper), fc.array(count), (messages, cuts) => {
      const reader = new FrameReader();
      const pieces = cutUp(Buffer.concat(messages.map(encodeToKeeper)), cuts);
      const heard = pieces.flatMap((piece) => reader.push(piece)).map(decodeToKeeper);
      assert.deepEqual(heard, messages);
    }),
  );
  fc.assert(
    fc.property(fc.array(fromKeeper), fc.array(count), (messages, cuts) => {
      const reader = new FrameReader();
      const pieces = cutUp(Buffer.concat(messages.map(encodeFromKeeper)), cuts);
      const heard = pieces.flatMap((piece) => reader.push(piece)).map(decodeFromKeeper);
      assert.deepEqual(heard, messages);
    }),
  );
});

test("a held run is read back as it was sent", () => {
  const state = record({ tail: count, acked: count, head: count, eof: fc.boolean() });
  const child = fc.record({ pid: count, startTime: count }, { requiredKeys: ["pid"], noNullPrototype: true });
  const held: fc.Arbitrary<HeldRun> = fc.record(
    {
      run: text,
      child,
      channels: fc.oneof(record({ stdout: state, stderr: state }), record({ pty: state })),
      terminal: size,
      exit,
      groupGone: fc.boolean(),
    },
    { requiredKeys: ["run", "child", "channels", "groupGone"], noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(held), (runs) => {
      const sent: unknown = JSON.parse(JSON.stringify({ runs }));
      assert.deepEqual(decodeReply("list", sent), { runs });
    }),
  );
});

test("bytes that are no message are refused as such, never misread and never a crash", () => {
  const isProtocolError = (error: unknown): boolean => error instanceof KeeperProtocolError;
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(255), (payload, type) => {
      for (const decode of [decodeToKeeper, decodeFromKeeper]) {
        try {
          decode({ type, payload: Buffer.from(payload) });
        } catch (error) {
          assert.ok(isProtocolError(error), String(error));
        }
      }
    }),
  );
  const length = Buffer.alloc(5);
  assert.throws(() => new FrameReader().push(length), isProtocolError);
  length.writeUInt32BE(MAX_FRAME_BYTES + 1);
  assert.throws(() => new FrameReader().push(length), isProtocolError);
  assert.throws(
    () => decodeToKeeper({ type: 3, payload: Buffer.from(`{"id":1,"run":"a"}`) }),
    isProtocolError,
  );
  assert.throws(() => decodeReply("quit", { quitting: "no" }), isProtocolError);
});

test("a message beyond the limit is refused by its sender", () => {
  const oversize: ToKeeper = { type: "forget", id: 1, run: "x".repeat(MAX_FRAME_BYTES) };
  assert.throws(() => encodeToKeeper(oversize), KeeperProtocolError);
});
