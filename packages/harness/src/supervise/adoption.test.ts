import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isThere } from "../base/process-identity.ts";
import { KeeperConnection } from "./keeper-connection.ts";
import { keeperGeneration, keeperSocket } from "./keeper-program.ts";
import { ended, GOOD_RUN, supervisorLab, type SupervisorLab } from "./testing/supervisor-lab.ts";

const LIMITS = { timeout: 60_000 };

const appears = async (dir: string, name: string): Promise<string> => {
  const watcher = watch(dir);
  try {
    while (!existsSync(join(dir, name))) await once(watcher, "change");
  } finally {
    watcher.close();
  }
  return readFileSync(join(dir, name), "utf8").trim();
};

const definitions = (lab: SupervisorLab) => new Map([["nightly", lab.definition()]]);

/** Prints until it is told to stop, and then says how often it did. */
const COUNTS = `echo $$ > up.tmp; mv up.tmp up
n=0; while [ ! -f stop ]; do n=$((n+1)); echo "{\\"type\\":\\"count\\",\\"n\\":$n}"; done
echo $n > total; ${GOOD_RUN}`;

test(
  "a run outlives its daemon, and the next one finishes its record without a byte lost or doubled",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent(COUNTS);
    const first = lab.boot();
    const started = await first.supervisor.start(lab.definition(), { trigger: "manual" });
    const pid = Number(await appears(lab.workdir, "up"));
    await first.close("leave");
    assert.equal(isThere({ pid }), true);
    const second = lab.boot();
    assert.equal(await second.supervisor.adopt(definitions(lab)), 1);
    assert.deepEqual(
      [second.supervisor.status("nightly").state, second.supervisor.status("nightly").pid],
      ["running", pid],
    );
    writeFileSync(join(lab.workdir, "stop"), "");
    await second.supervisor.idle("nightly");
    const record = second.store.ledger.get(started.ref);
    assert.equal(record?.outcome, "success", record?.reason);
    const counted = lab
      .stream(started.ref)
      .split("\n")
      .filter((line) => line.includes('"count"'))
      .map((line): unknown => JSON.parse(line));
    const total = Number(readFileSync(join(lab.workdir, "total"), "utf8"));
    assert.deepEqual(
      counted,
      Array.from({ length: total }, (_, index) => ({ type: "count", n: index + 1 })),
    );
  },
);

test("a run that ended while no daemon was there is closed with its own exit", LIMITS, async (t) => {
  const lab = supervisorLab(t);
  lab.agent(COUNTS);
  const first = lab.boot();
  const started = await first.supervisor.start(lab.definition(), { trigger: "manual" });
  const pid = Number(await appears(lab.workdir, "up"));
  await first.close("leave");
  process.kill(-pid, "SIGKILL");
  const second = lab.boot();
  await second.supervisor.adopt(definitions(lab));
  await second.supervisor.idle("nightly");
  const record = second.store.ledger.get(started.ref);
  assert.equal(record?.outcome, "failed");
  assert.equal(record?.signal, "SIGKILL");
});

test(
  "a time limit that passed while no daemon was there is enforced when the next one comes",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent(COUNTS);
    const first = lab.boot();
    const started = await first.supervisor.start(lab.definition(), { trigger: "manual" });
    await appears(lab.workdir, "up");
    await first.close("leave");
    const second = lab.boot();
    await second.supervisor.adopt(new Map([["nightly", lab.definition({ timeoutMs: 1 })]]));
    await second.supervisor.idle("nightly");
    assert.equal(second.store.ledger.get(started.ref)?.outcome, "timed_out");
  },
);

test("a keeper that is killed interrupts its runs and leaves no process of theirs", LIMITS, async (t) => {
  const lab = supervisorLab(t);
  lab.agent("echo $$ > up.tmp; mv up.tmp up; exec sleep 300");
  const daemon = lab.boot();
  const started = await daemon.supervisor.start(lab.definition(), { trigger: "manual" });
  const pid = Number(await appears(lab.workdir, "up"));
  const socket = keeperSocket(lab.paths.dir, keeperGeneration());
  // The keeper is the parent of the run.
  process.kill(Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[3]), "SIGKILL");
  const record = await ended(daemon, started);
  assert.equal(record.outcome, "interrupted");
  assert.match(record.reason ?? "", /keeper_gone/);
  while (isThere({ pid })) await new Promise((resolve) => setImmediate(resolve));
  // The next run has a keeper again.
  lab.agent(GOOD_RUN);
  assert.equal((await lab.run(daemon)).outcome, "success");
  assert.ok(existsSync(socket));
});

test(
  "an open row that nobody holds is interrupted, and a held run without one is ended",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent("echo $$ > up.tmp; mv up.tmp up; exec sleep 300");
    const first = lab.boot();
    const started = await first.supervisor.start(lab.definition(), { trigger: "manual" });
    const pid = Number(await appears(lab.workdir, "up"));
    await first.close("leave");
    const between = lab.boot();
    between.store.ledger.close(started.ref, { outcome: "failed", endedAt: 1 });
    const lost = between.store.ledger.open({
      harness: "nightly",
      kind: "oneshot",
      agent: "claude-code",
      trigger: "manual",
      recordTrace: true,
      startedAt: 1,
    });
    assert.equal(await between.supervisor.adopt(definitions(lab)), 0);
    const record = between.store.ledger.get({ harness: "nightly", runId: lost });
    assert.equal(record?.outcome, "interrupted");
    assert.match(record?.reason ?? "", /daemon_crash/);
    while (isThere({ pid })) await new Promise((resolve) => setImmediate(resolve));
    const keeper = await KeeperConnection.open(keeperSocket(lab.paths.dir, keeperGeneration()), 99);
    assert.deepEqual(await keeper.list(), []);
    await keeper.quit();
    keeper.close();
  },
);

/** Announces itself, begins a call, and says that it is up. */
const CALLS = `
echo '{"type":"system","subtype":"init","session_id":"5e55","cwd":"/w","model":"m","tools":[],"mcp_servers":[]}'
echo '{"type":"assistant","session_id":"5e55","message":{"id":"msg_1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"sleep 9"}}]}}'
echo $$ > up.tmp; mv up.tmp up; exec sleep 300`;

for (const daemonToo of [false, true]) {
  const who = daemonToo ? "the daemon and the keeper" : "the keeper";
  test(`a call that was open when ${who} died is in the record as unanswered`, LIMITS, async (t) => {
    const lab = supervisorLab(t);
    lab.agent(CALLS);
    let daemon = lab.boot();
    const started = await daemon.supervisor.start(lab.definition(), { trigger: "manual" });
    const pid = Number(await appears(lab.workdir, "up"));
    const keeper = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[3]);
    const { store } = daemon;
    // The announcement is committed; the call is open, and only the reader knows of it.
    while (store.read.evidence(started.ref).traceMissing)
      await new Promise((resolve) => setImmediate(resolve));
    if (daemonToo) await daemon.close("leave");
    process.kill(keeper, "SIGKILL");
    if (daemonToo) {
      while (isThere({ pid: keeper })) await new Promise((resolve) => setImmediate(resolve));
      daemon = lab.boot();
      await daemon.supervisor.adopt(definitions(lab));
    } else {
      await started.ended;
    }
    const record = daemon.store.ledger.get(started.ref);
    assert.deepEqual([record?.outcome, record?.totals.toolCalls], ["interrupted", 1]);
    assert.match(record?.reason ?? "", /^keeper_gone/);
    assert.equal(daemon.store.read.evidence(started.ref).unanswered, 1);
  });
}
