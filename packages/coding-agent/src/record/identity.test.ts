import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeCapabilities } from "../index.ts";
import { createSessionLog } from "../session/log.ts";
import { requestRecords, responseRecords } from "./entries.ts";
import { createProviderRecorder } from "./recorder.ts";

const recording = async () => {
  const { clock, fs, process } = createFakeCapabilities();
  const log = await createSessionLog(
    { clock, fs, random: process.randomBytes, keepBodies: true },
    {
      type: "session",
      version: 3,
      id: "x",
      timestamp: "2023-11-14T22:13:20.000Z",
      cwd: "/",
      agent: { name: "orphus", version: "0" },
    },
    undefined,
  );
  let made = 0;
  const recorder = createProviderRecorder({
    log,
    clock,
    fs,
    newRequestId: () => `request-${(made += 1)}`,
    mask: (text) => text,
    enabled: true,
  });
  const begin = () =>
    recorder.begin({ body: Buffer.from("{}"), provider: "p", model: "m", api: "anthropic-messages" });
  return { log, recorder, begin };
};

test("O-64 a response that belongs to no request moves neither turn nor attempt", async () => {
  const { log, recorder, begin } = await recording();
  const dispatch = await begin();
  await recorder.settle({ ...dispatch, requestId: "nobody" }, { finishReason: "stop" });
  assert.deepEqual(recorder.next(), { turn: 0, attempt: 1 }, "the request is still without its response");
  await recorder.settle(dispatch, { finishReason: "stop" });
  assert.deepEqual(recorder.next(), { turn: 1, attempt: 0 });
  assert.equal(responseRecords(log.entries).length, 2);
});

test("O-51 X-05 requests that overlap each keep their own turn, attempt and response", async () => {
  const { log, recorder, begin } = await recording();
  const [first, second] = [await begin(), await begin()];
  await recorder.settle(second, { finishReason: "stop", status: 200 });
  await recorder.settle(first, { finishReason: "error", status: 529 });
  assert.deepEqual(
    responseRecords(log.entries).map(({ requestId, turn, attempt, status }) => [
      requestId,
      turn,
      attempt,
      status,
    ]),
    [
      ["request-2", 0, 1, 200],
      ["request-1", 0, 0, 529],
    ],
  );
  assert.equal(new Set(requestRecords(log.entries).map(({ requestId }) => requestId)).size, 2);
});

test("X-05 another branch goes on from its own records", async () => {
  const { log, recorder, begin } = await recording();
  await recorder.settle(await begin(), { finishReason: "stop" });
  const fork = log.leafId;
  await recorder.settle(await begin(), { finishReason: "stop" });
  assert.deepEqual(recorder.next(), { turn: 2, attempt: 0 });
  log.moveTo(fork);
  assert.deepEqual(recorder.next(), { turn: 1, attempt: 0 });
  await begin();
  assert.deepEqual(recorder.next(), { turn: 1, attempt: 1 });
});
