import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isThere } from "../base/process-identity.ts";
import { CHANNEL_LIMIT } from "../protocol/keeper.ts";
import type { Channel, Intake } from "../record/intake.ts";
import { GRACE_MS } from "./ending.ts";
import { ended, GOOD_RUN, supervisorLab } from "./testing/supervisor-lab.ts";

const LIMITS = { timeout: 60_000 };

/** Resolves when a file is there; its folder is watched before it is looked at. */
const appears = async (dir: string, name: string): Promise<string> => {
  const watcher = watch(dir);
  try {
    while (!existsSync(join(dir, name))) await once(watcher, "change");
  } finally {
    watcher.close();
  }
  return readFileSync(join(dir, name), "utf8").trim();
};

/** Says that it is up, and then does as told. */
const upThen = (script: string): string => `echo $$ > up.tmp; mv up.tmp up; ${script}`;
const IGNORES_TERM = `trap '' TERM; ${upThen("while :; do sleep 0.05; done")}`;

test(
  "a run is recorded from its open row to its end, and the keeper is left with nothing",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent(`echo "a word aside" >&2; ${GOOD_RUN}`);
    const daemon = lab.boot();
    const record = await lab.run(daemon);
    assert.equal(record.outcome, "success", record.reason);
    assert.equal(record.exitCode, 0);
    assert.equal(typeof record.pid, "number");
    assert.equal(typeof record.pidStart, "number");
    assert.match(record.keeper ?? "", /^2-[0-9a-f]{8}$/);
    assert.equal(lab.stream(record).split("\n").length, 3);
    assert.match(lab.runLog(record), /a word aside/);
    assert.equal(daemon.supervisor.status("nightly").state, "stopped");
    assert.equal(daemon.supervisor.running, 0);
  },
);

test("a run that cannot start has an outcome that says why, and the harness is failed", LIMITS, async (t) => {
  const lab = supervisorLab(t);
  const daemon = lab.boot();
  const missing = await lab.run(daemon);
  assert.equal(missing.outcome, "failed");
  assert.equal(missing.reason, "spawn: claude is not on the run's PATH");
  assert.equal(missing.pid, undefined);
  assert.equal(daemon.supervisor.status("nightly").state, "failed");
  lab.agent(GOOD_RUN);
  const gone = await lab.run(daemon, { workdir: join(lab.dir, "gone") });
  assert.match(gone.reason ?? "", /^spawn: the working directory .*gone does not exist$/);
  const unread = await lab.run(daemon, { prompt: { file: join(lab.dir, "no-prompt") } });
  assert.match(unread.reason ?? "", /^spawn: The prompt file .*no-prompt cannot be read/);
  const long = join(lab.dir, "long-prompt");
  writeFileSync(long, "x".repeat(200_000));
  const tooLong = await lab.run(daemon, { prompt: { file: long } });
  assert.equal(tooLong.pid, undefined);
  assert.match(
    tooLong.reason ?? "",
    /^spawn: The prompt is 200000 bytes; the system passes at most 131071 in one/,
  );
  const bare = await lab.run(daemon, { envFiles: [join(lab.dir, "no-env")] });
  assert.match(bare.reason ?? "", /^spawn: env_file .*no-env does not exist/);
  assert.equal((await lab.run(daemon)).outcome, "success");
  assert.equal(daemon.supervisor.status("nightly").state, "stopped");
});

test(
  "a run has the few inherited variables, its env files and its marks, and nothing overrides these",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent(`env > seen; umask >> seen; ${GOOD_RUN}`);
    const files = ["first.env", "second.env"].map((name) => join(lab.dir, name));
    const [first = "", second = ""] = files;
    writeFileSync(first, "TOKEN=one\nOTHER=1\nHARNESS_RUN_ID=99\n");
    writeFileSync(second, "TOKEN=two\n");
    for (const file of files) chmodSync(file, 0o600);
    const env = {
      PATH: join(lab.dir, "bin") + ":/usr/bin:/bin",
      LANG: "C",
      LC_TIME: "C",
      API_KEY: "daemon's",
      XDG_A: "x",
    };
    const record = await lab.run(lab.boot({ env }), { envFiles: files });
    assert.equal(record.outcome, "success", record.reason);
    const seen = readFileSync(join(lab.workdir, "seen"), "utf8").trim().split("\n").sort();
    const expected = { ...env, TOKEN: "two", OTHER: "1", HARNESS_RUN_ID: "1", HARNESS_NAME: "nightly" };
    const lines = Object.entries({
      ...expected,
      HARNESS_RUN_TRIGGER: "manual",
      HARNESS_STATE_DIR: lab.paths.dir,
    })
      .filter(([name]) => name !== "API_KEY")
      .map(([name, value]) => `${name}=${value}`);
    assert.deepEqual(
      seen.filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=/.test(line)),
      [...lines, "0022"].sort(),
    );
  },
);

test(
  "H-55 a run that exceeds its time limit is asked to end, its whole group, and then made to",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent(
      `sh -c "trap '' TERM HUP; echo \\$\\$ > m.tmp; mv m.tmp member; while :; do sleep 0.05; done" & ${IGNORES_TERM}`,
    );
    const daemon = lab.boot();
    const started = await daemon.supervisor.start(lab.definition({ timeoutMs: 3_600_000 }), {
      trigger: "manual",
    });
    const member = Number(await appears(lab.workdir, "member"));
    await appears(lab.workdir, "up");
    assert.equal(daemon.supervisor.status("nightly").state, "running");
    await daemon.clock.due(3_600_000);
    assert.equal(daemon.supervisor.status("nightly").state, "stopping");
    assert.equal(isThere({ pid: member }), true);
    await daemon.clock.due(GRACE_MS);
    const record = await ended(daemon, started);
    assert.equal(record.outcome, "timed_out");
    assert.equal(record.signal, "SIGKILL");
    assert.equal(isThere({ pid: member }), false);
  },
);

test(
  "H-55 stop ends what the harness runs; one that heeds SIGTERM is not waited for longer",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent(`trap 'echo bye >&2; exit 3' TERM; ${upThen("while :; do sleep 0.05; done")}`);
    const daemon = lab.boot();
    const started = await daemon.supervisor.start(lab.definition(), { trigger: "manual" });
    await appears(lab.workdir, "up");
    await daemon.supervisor.stop("nightly");
    const record = await ended(daemon, started);
    assert.equal(record.outcome, "cancelled");
    assert.equal(record.exitCode, 3);
    assert.match(lab.runLog(record), /bye/);
    await daemon.supervisor.stop("nightly");
    await daemon.supervisor.stop("never heard of");
  },
);

test(
  "H-78 a process that outlives the run and keeps its output open does not keep the run open",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    // Out of the group, so that no hang-up reaches it.
    lab.agent(
      `setsid sh -c 'echo $$ > stray.tmp; mv stray.tmp stray; exec sleep 300' &\nwhile [ ! -f stray ]; do :; done; ${GOOD_RUN}`,
    );
    const daemon = lab.boot();
    const record = await lab.run(daemon);
    assert.equal(record.outcome, "success", record.reason);
    assert.match(record.notes.join(), /outlived the run/);
    const stray = Number(await appears(lab.workdir, "stray"));
    assert.equal(isThere({ pid: stray }), true);
    process.kill(stray, "SIGKILL");
  },
);

test("on_overlap: skip records the firing and starts nothing", LIMITS, async (t) => {
  const lab = supervisorLab(t);
  lab.agent(upThen("exec sleep 300"));
  const daemon = lab.boot();
  const first = await daemon.supervisor.start(lab.definition(), { trigger: "manual" });
  const second = await lab.run(daemon);
  assert.equal(second.outcome, "skipped");
  assert.match(second.reason ?? "", /^overlap/);
  assert.equal(daemon.store.ledger.get(first.ref)?.outcome, "running");
});

test("on_overlap: queue holds one, which starts when the first has ended", LIMITS, async (t) => {
  const lab = supervisorLab(t);
  lab.agent(`while [ ! -f go-$HARNESS_RUN_ID ]; do sleep 0.02; done; ${GOOD_RUN}`);
  const daemon = lab.boot();
  const queued = { onOverlap: "queue" as const };
  const first = await daemon.supervisor.start(lab.definition(queued), { trigger: "manual" });
  const second = await daemon.supervisor.start(lab.definition(queued), { trigger: "manual" });
  const third = await lab.run(daemon, queued);
  assert.equal(third.outcome, "skipped");
  assert.equal(daemon.store.ledger.get(second.ref)?.pid, undefined);
  writeFileSync(join(lab.workdir, "go-1"), "");
  assert.equal((await ended(daemon, first)).outcome, "success");
  writeFileSync(join(lab.workdir, "go-2"), "");
  assert.equal((await ended(daemon, second)).outcome, "success");
});

test("on_overlap: replace ends the first, and only then starts the next", LIMITS, async (t) => {
  const lab = supervisorLab(t);
  lab.agent(`[ -f up ] && { ${GOOD_RUN} exit; }; ${upThen("exec sleep 300")}`);
  const daemon = lab.boot();
  const first = await daemon.supervisor.start(lab.definition(), { trigger: "manual" });
  await appears(lab.workdir, "up");
  const second = await lab.run(daemon, { onOverlap: "replace" });
  assert.equal(second.outcome, "success", second.reason);
  const replaced = daemon.store.ledger.get(first.ref);
  assert.equal(replaced?.outcome, "replaced");
  assert.ok((replaced?.endedAt ?? Infinity) <= (second.endedAt ?? 0));
});

test(
  "a shutdown that ends its runs records them as interrupted, those that wait as well",
  LIMITS,
  async (t) => {
    const lab = supervisorLab(t);
    lab.agent(upThen("exec sleep 300"));
    const daemon = lab.boot();
    const queued = { onOverlap: "queue" as const };
    const first = await daemon.supervisor.start(lab.definition(queued), { trigger: "manual" });
    const second = await daemon.supervisor.start(lab.definition(queued), { trigger: "manual" });
    await daemon.supervisor.close("end");
    assert.equal((await ended(daemon, first)).outcome, "interrupted");
    assert.equal((await ended(daemon, second)).outcome, "interrupted");
    await assert.rejects(daemon.supervisor.start(lab.definition(), { trigger: "manual" }), {
      code: "daemon_not_running",
    });
  },
);

test(
  "H-83 what a run prints is never held beyond its credit, however slow its record is",
  { timeout: 120_000 },
  async (t) => {
    const lab = supervisorLab(t);
    const bytes = 220 * 1024 * 1024;
    lab.agent(`exec head -c ${bytes} /dev/zero`);
    let mostHeld = 0;
    const slow = (): Intake => {
      const position: Record<Channel, number> = { stdout: 0, stderr: 0 };
      const committed = { ...position };
      let tell: (channel: Channel, offset: number) => void = () => undefined;
      return {
        position,
        write(channel, from, chunk) {
          assert.equal(from, position[channel]);
          position[channel] += chunk.length;
          mostHeld = Math.max(mostHeld, position[channel] - committed[channel]);
          // Commits only when the keeper has no credit left, and a while later.
          if (position[channel] - committed[channel] < CHANNEL_LIMIT - 64 * 1024 && position[channel] < bytes)
            return;
          setTimeout(() => {
            committed[channel] = position[channel];
            tell(channel, committed[channel]);
          }, 1);
        },
        onCommitted: (listener) => {
          tell = listener;
        },
        eof: () => undefined,
        release: () => undefined,
        finish: async () => {
          assert.equal(position.stdout, bytes);
          return {
            sessions: [],
            models: [],
            tokens: {},
            costSource: "unknown",
            toolCalls: 0,
            toolErrors: 0,
            errors: {},
            unreadLines: 0,
            traceMissing: true,
            verdict: { outcome: "succeeded", reason: "counted" },
          };
        },
      };
    };
    const record = await lab.run(lab.boot({ openIntake: slow }));
    assert.equal(record.outcome, "success", record.reason);
    assert.ok(mostHeld > CHANNEL_LIMIT / 2 && mostHeld <= CHANNEL_LIMIT, `${mostHeld} bytes were held`);
  },
);
