/**
 * A daemon's part of a run, to be killed: `writer.ts STATE_DIR BYTES_FILE`. It adopts the open run (or begins it), takes
 * the file in from where the last writer was committed, says `ack <offset>` for each commit, and `done` at the end.
 */
import { readFileSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../../base/clock.ts";
import { statePaths } from "../../base/paths.ts";
import { openStore } from "../../store/store.ts";
import { createBus } from "../bus.ts";
import { closeRun } from "../close-run.ts";
import { openIntake } from "../open-intake.ts";
import { itemsAgent } from "./items-agent.ts";

const CHUNK_BYTES = 700;

const [dir = "", file = ""] = process.argv.slice(2);
const paths = statePaths(dir);
const store = openStore(paths.store);
const bus = createBus();
const ref = store.ledger.openRuns()[0] ?? {
  harness: "nightly",
  runId: store.ledger.open({
    harness: "nightly",
    kind: "oneshot",
    agent: "claude-code",
    trigger: "manual",
    recordTrace: true,
    startedAt: Date.now(),
  }),
};
const intake = openIntake(
  {
    harness: ref.harness,
    runId: ref.runId,
    agent: "claude-code",
    workdir: "/srv",
    secrets: [],
    recordTrace: true,
  },
  {
    store,
    bus,
    clock: systemClock,
    files: { stream: paths.stream(ref.harness, ref.runId), runLog: paths.runLog(ref.harness, ref.runId) },
    maxFileBytes: 64 * 1024 * 1024,
    streamAgent: itemsAgent,
  },
);
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};
say(`from ${intake.position.stdout}`);
intake.onCommitted((channel, offset) => say(`ack ${channel} ${offset}`));
const bytes = readFileSync(file);
for (let at = intake.position.stdout; at < bytes.length; at += CHUNK_BYTES) {
  intake.write("stdout", at, bytes.subarray(at, at + CHUNK_BYTES));
  await setImmediate();
}
const end = { code: 0, signal: null, at: Date.now() };
closeRun({ store, bus }, ref, end, await intake.finish(end));
store.close();
say("done");
