import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { HarnessDefinition } from "../config/definition.ts";
import { supervisorLab, type Daemon, type SupervisorLab } from "./testing/supervisor-lab.ts";

const LIMITS = { timeout: 120_000 };

/** Long waits are the test's to end. */
const DELAY_MS = 60_000;

const resident = (lab: SupervisorLab, more: Partial<HarnessDefinition> = {}): HarnessDefinition => {
  const { prompt: _, ...definition } = lab.definition({
    restart: "always",
    restartDelayMs: DELAY_MS,
    ...more,
  });
  return definition;
};

const boot = async (lab: SupervisorLab, definition: HarnessDefinition): Promise<Daemon> => {
  const daemon = lab.boot();
  await daemon.supervisor.adopt(new Map([[definition.name, definition]]));
  return daemon;
};

const stateOf = ({ supervisor }: Daemon) => supervisor.status("nightly").state;

const appears = async (dir: string, name: string): Promise<void> => {
  const watcher = watch(dir);
  while (!existsSync(join(dir, name))) await once(watcher, "change");
  watcher.close();
};

test(
  "a resident that fails at once waits longer each time, is degraded from the third, and given up at the sixth",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent("exit 3");
    const definition = resident(lab);
    const daemon = await boot(lab, definition);
    const states: string[] = [];
    await (
      await daemon.supervisor.start(definition, { trigger: "manual" })
    ).ended;
    for (const backoff of [1000, 2000, 4000, 8000, 16_000]) {
      states.push(stateOf(daemon));
      await daemon.clock.due(DELAY_MS + backoff);
      await daemon.supervisor.idle("nightly");
    }
    assert.deepEqual(states, ["restarting", "restarting", "degraded", "degraded", "degraded"]);
    const { state, failed, restarts, looping } = daemon.supervisor.status("nightly");
    assert.deepEqual([state, restarts, looping], ["failed", 5, true]);
    assert.equal(failed, "given up after 6 failures in a row; the last: exit 3");
    const runs = daemon.store.read.runs({ limit: 10 });
    assert.deepEqual(
      runs.map(({ trigger, outcome }) => `${trigger} ${outcome}`),
      [...Array.from({ length: 5 }, () => "restart failed"), "manual failed"],
    );
    await daemon.close("end");
    // Given up stays given up with the next daemon, until somebody starts it.
    const next = await boot(lab, definition);
    assert.deepEqual(await next.supervisor.startDue("autostart"), []);
    assert.equal(stateOf(next), "failed");
    lab.agent("exec sleep 60");
    await next.supervisor.restart(definition);
    assert.equal(stateOf(next), "running");
    assert.equal(next.supervisor.status("nightly").failed, undefined);
  },
);

test(
  "restart = no and on-failure: an end that is not answered clears the intent, and the state says how it was",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent("exit 0");
    const daemon = await boot(lab, resident(lab, { restart: "on-failure" }));
    const start = async (more: Partial<HarnessDefinition>): Promise<string> => {
      const definition = resident(lab, more);
      daemon.supervisor.configure(new Map([[definition.name, definition]]));
      await (
        await daemon.supervisor.start(definition, { trigger: "manual" })
      ).ended;
      const { state, enabled } = daemon.supervisor.status("nightly");
      return `${state} ${enabled ? "enabled" : "not enabled"}`;
    };
    assert.equal(await start({ restart: "on-failure" }), "stopped not enabled");
    assert.equal(await start({ restart: "no" }), "stopped not enabled");
    assert.equal(await start({ restart: "always" }), "restarting enabled");
    lab.agent("exit 1");
    assert.equal(await start({ restart: "no" }), "stopped not enabled");
    assert.equal(await start({ restart: "on-failure" }), "restarting enabled");
    assert.equal(await start({ restart: "no", workdir: "/no/such/folder" }), "failed not enabled");
  },
);

test(
  "enabled starts a resident with the daemon; the operator's stop outlives the daemon and the operator's start undoes it",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent("exec sleep 600");
    const definition = resident(lab, { enabled: true });
    const first = await boot(lab, definition);
    assert.deepEqual(await first.supervisor.startDue("autostart"), ["nightly"]);
    assert.equal(stateOf(first), "running");
    await first.supervisor.stop("nightly");
    assert.deepEqual([stateOf(first), first.supervisor.status("nightly").enabled], ["stopped", false]);
    await first.close("end");
    const second = await boot(lab, definition);
    assert.deepEqual(await second.supervisor.startDue("autostart"), []);
    await second.supervisor.start(definition, { trigger: "manual" });
    await second.close("end");
    // Stopped with the daemon is not stopped by the operator.
    const third = await boot(lab, definition);
    assert.deepEqual(await third.supervisor.startDue("autostart"), ["nightly"]);
  },
);

test("a stop ends the wait for a restart, and so does another start", LIMITS, async (t) => {
  const lab = supervisorLab(t);
  lab.agent("exit 1");
  const definition = resident(lab);
  const daemon = await boot(lab, definition);
  await (
    await daemon.supervisor.start(definition, { trigger: "manual" })
  ).ended;
  assert.equal(stateOf(daemon), "restarting");
  await daemon.supervisor.stop("nightly");
  assert.equal(stateOf(daemon), "stopped");
  await (
    await daemon.supervisor.start(definition, { trigger: "manual" })
  ).ended;
  assert.equal(stateOf(daemon), "restarting");
  lab.agent("touch up; exec sleep 600");
  await daemon.supervisor.start(definition, { trigger: "manual" });
  await appears(lab.workdir, "up");
  assert.equal(stateOf(daemon), "running");
  assert.equal(daemon.supervisor.status("nightly").nextStart, undefined);
});

test(
  "what runs and is changed says so until it is restarted; what is removed runs on and is not restarted",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent("exec sleep 600");
    const definition = resident(lab);
    const daemon = await boot(lab, definition);
    await daemon.supervisor.start(definition, { trigger: "manual" });
    const { pid } = daemon.supervisor.status("nightly");
    assert.ok(pid !== undefined);
    const harmless = resident(lab, { restart: "on-failure", description: "words", keepRuns: 1 });
    daemon.supervisor.configure(new Map([[definition.name, harmless]]));
    assert.equal(daemon.supervisor.status("nightly").changed, false);
    const changed = resident(lab, { model: "other" });
    daemon.supervisor.configure(new Map([[definition.name, changed]]));
    assert.deepEqual(
      [daemon.supervisor.status("nightly").changed, daemon.supervisor.status("nightly").pid],
      [true, pid],
    );
    await daemon.supervisor.restart(changed);
    assert.equal(daemon.supervisor.status("nightly").changed, false);
    const { pid: later } = daemon.supervisor.status("nightly");
    assert.ok(later !== undefined && later !== pid);
    daemon.supervisor.configure(new Map());
    assert.deepEqual(daemon.supervisor.live, ["nightly"]);
    process.kill(-later, "SIGKILL");
    await daemon.supervisor.idle("nightly");
    assert.equal(stateOf(daemon), "stopped");
  },
);
