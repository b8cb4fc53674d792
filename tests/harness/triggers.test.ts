import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { createConnection } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import type { DaemonStatus } from "@orphus/harness/client";
import { modeOf } from "../support/facts.ts";
import { claudeHarness, runsOf } from "../support/runs.ts";
import { createSandbox, repository, type Sandbox } from "../support/sandbox.ts";

const secret = ["0123456789abcdef", "0123456789abcdef"].join("");
const capture = join(repository, "tests", "player", "captures", "claude", "basic", "stdout.jsonl");

/** An agent that notes what it was given, argv and environment, and where its event lies. */
const curious = `#!/bin/sh
printf '%s\\n' "$@" > argv
env | grep ^HARNESS_ | sort > env
[ -n "$HARNESS_EVENT_FILE" ] && cp "$HARNESS_EVENT_FILE" event
cat ${capture}
`;

interface Hub {
  sandbox: Sandbox;
  workdir: string;
  /** Sends to the daemon; resolves to status, headers and the body's JSON. */
  send(path: string, options?: Sent): Promise<{ status: number | undefined; headers: object; body: unknown }>;
  statusOf(): Promise<DaemonStatus>;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

const hub = async (t: TestContext, more = ""): Promise<Hub> => {
  const sandbox = createSandbox(t);
  const workdir = sandbox.workdir("work");
  sandbox.agent("claude", { script: curious });
  writeFileSync(join(sandbox.dir, "hook.env"), `HOOK=${secret}\n`, { mode: 0o600 });
  sandbox.config(`[server]
listen = "127.0.0.1:0"
[webhook.github]
verify = "github"
env_file = "hook.env"
secret = "\${HOOK}"
events = ["issues"]
max_body = "4KiB"
${claudeHarness("job", workdir, 'triggers = ["webhook.github"]\n')}${more}`);
  await sandbox.startDaemon();
  const statusOf = async (): Promise<DaemonStatus> => {
    const { stdout } = await sandbox.harness("daemon", "status", "--json");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
    return JSON.parse(stdout) as DaemonStatus;
  };
  return {
    sandbox,
    workdir,
    statusOf,
    send: async (path, { method = "POST", headers = {}, body = "" } = {}) => {
      const { http = assert.fail() } = await statusOf();
      const sent = request(`${http}${path}`, { method, headers, agent: false });
      const response = new Promise<IncomingMessage>((resolve, reject) =>
        sent.once("response", resolve).once("error", reject),
      );
      sent.end(body);
      const got = await response;
      const said = await text(got);
      const value: unknown = said.startsWith("{") ? JSON.parse(said) : said;
      return { status: got.statusCode, headers: got.headers, body: value };
    },
  };
};

const github = (body: string, id: string, event = "issues"): Sent => ({
  body,
  headers: {
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    "x-github-event": event,
    "x-github-delivery": id,
  },
});

/** Waits for the end of the latest run. */
const settled = async (sandbox: Sandbox, count: number): Promise<void> => {
  for (;;) {
    const runs = await runsOf(sandbox);
    if (runs.length === count && runs.every((run) => run.outcome !== "running")) return;
  }
};

test("an event reaches its run as a file of the owner alone and by the environment, and in no other way", async (t) => {
  const { sandbox, workdir, send } = await hub(t);
  const body = JSON.stringify({ action: "opened", title: "$(touch pwned); --dangerous", n: 1 });
  const fired = await send("/hooks/github", github(body, "d-1"));
  assert.deepEqual([fired.status, fired.body], [202, { decision: "fired", harnesses: { job: "started" } }]);
  await settled(sandbox, 1);
  const [run] = await runsOf(sandbox);
  assert.deepEqual(
    [run?.trigger, run?.source, run?.eventId, run?.outcome],
    ["webhook", "webhook.github", "d-1", "success"],
  );
  const file = join(sandbox.state, "jobs", "job", "1.event.json");
  assert.equal(modeOf(file), 0o600);
  assert.equal(readFileSync(join(workdir, "event"), "utf8"), readFileSync(file, "utf8"));
  const event = readFileSync(file, "utf8").replace(/"receivedAt":"[^"]+"/, '"receivedAt":"then"');
  assert.deepEqual(JSON.parse(event), {
    v: 1,
    source: "webhook.github",
    event: "issues",
    id: "d-1",
    receivedAt: "then",
    body: JSON.parse(body),
  });
  assert.deepEqual(readFileSync(join(workdir, "env"), "utf8").trimEnd().split("\n"), [
    `HARNESS_EVENT_FILE=${file}`,
    "HARNESS_NAME=job",
    "HARNESS_RUN_ID=1",
    "HARNESS_RUN_SOURCE=webhook.github",
    "HARNESS_RUN_TRIGGER=webhook",
    `HARNESS_STATE_DIR=${sandbox.state}`,
  ]);
  assert.doesNotMatch(readFileSync(join(workdir, "argv"), "utf8"), /opened|pwned/);
  assert.equal(existsSync(join(workdir, "pwned")), false);

  // The same delivery again, also to the next daemon, starts nothing.
  const again = { decision: "duplicate" };
  assert.deepEqual((await send("/hooks/github", github(body, "d-1"))).body, again);
  await sandbox.harness("daemon", "stop");
  await sandbox.startDaemon();
  assert.deepEqual((await send("/hooks/github", github(body, "d-1"))).body, again);

  // By hand the event comes again; what is no event becomes the body of one.
  assert.equal((await sandbox.harness("trigger", "job", "--wait", "--event", file)).code, 0);
  assert.equal(readFileSync(join(workdir, "event"), "utf8"), readFileSync(file, "utf8"));
  writeFileSync(join(sandbox.dir, "note.txt"), "look at this");
  assert.equal((await sandbox.harness("trigger", "job", "--wait", "--event", "note.txt")).code, 0);
  assert.match(readFileSync(join(workdir, "event"), "utf8"), /"source":"manual".*"body":"look at this"/);
  const [last, replayed] = await runsOf(sandbox);
  assert.deepEqual([last?.trigger, last?.source], ["manual", undefined]);
  assert.deepEqual(
    [replayed?.trigger, replayed?.source, replayed?.eventId],
    ["manual", "webhook.github", "d-1"],
  );
  for (const [path, why] of [
    ["gone.json", /gone\.json cannot be read/],
    [".", /is not a regular file/],
  ] as const) {
    const refused = await sandbox.harness("trigger", "job", "--event", path);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, why);
  }
  assert.equal((await runsOf(sandbox)).length, 3);
});

test("what is not for it the listener refuses, and the daemon goes on", async (t) => {
  const { sandbox, send, statusOf } = await hub(t);
  const forged = github("{}", "d-1");
  const nothing = { error: "there is nothing here" };
  const cases: [string, Sent, number, unknown][] = [
    [
      "/hooks/github",
      { ...forged, body: '{"a":1}' },
      401,
      { error: "the delivery does not prove its sender" },
    ],
    ["/hooks/github", { body: "{}" }, 401, { error: "the delivery does not prove its sender" }],
    ["/hooks/gitlab", forged, 404, nothing],
    ["/hooks/github/../../etc/passwd", forged, 404, nothing],
    ["/", { method: "GET" }, 404, nothing],
    ["/hooks/github", { method: "GET" }, 405, { error: "this takes POST" }],
    ["/hooks/github", { body: "x".repeat(4097) }, 413, { error: "a delivery is at most 4096 bytes" }],
    ["/hooks/github", github("{}", "d-2", "push"), 202, { decision: "ignored" }],
    ["/healthz", { method: "GET" }, 200, "ok\n"],
  ];
  for (const [path, sent, status, body] of cases) {
    const got = await send(path, sent);
    assert.deepEqual([got.status, got.body], [status, body], path);
  }
  const { http = assert.fail(), pid } = await statusOf();
  const { port, hostname } = new URL(http);
  assert.equal(hostname, "127.0.0.1");
  for (const bytes of [
    "\0\0\0",
    "POST /hooks/github HTTP/1.1\r\nContent-Length: 99\r\n\r\nhalf",
    "x".repeat(100_000),
  ]) {
    const socket = createConnection(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve).end(bytes));
  }
  assert.equal((await statusOf()).pid, pid);
  assert.deepEqual(await runsOf(sandbox), []);
  const { stdout } = await sandbox.harness("jobs");
  assert.match(stdout, /^job +↯ armed +on event .*webhook\.github$/m);

  const stopped = await sandbox.harness("stop", "job");
  assert.match(stopped.stdout, /job → paused; events start nothing until: harness start job/);
  await sandbox.harness("daemon", "stop");
  assert.match((await sandbox.harness("jobs")).stdout, /^job +‖ paused +never +webhook\.github$/m);
  await sandbox.startDaemon();
  const held = await send("/hooks/github", github("{}", "d-3"));
  assert.deepEqual(held.body, { decision: "paused", harnesses: { job: "paused" } });
  assert.deepEqual(
    (await runsOf(sandbox)).map(({ outcome }) => outcome),
    ["skipped"],
  );
  assert.equal((await sandbox.harness("start", "job")).stdout, "↯ job → armed\n");
  const fired = await send("/hooks/github", github("{}", "d-4"));
  assert.deepEqual(fired.body, { decision: "fired", harnesses: { job: "started" } });
  await settled(sandbox, 2);
  await sandbox.harness("daemon", "stop");
  assert.match((await sandbox.harness("jobs")).stdout, /^job +○ stopped /m);
});

test("a port that is taken keeps the daemon from nothing else", async (t) => {
  const first = await hub(t);
  const { http = assert.fail() } = await first.statusOf();
  const sandbox = createSandbox(t);
  writeFileSync(join(sandbox.dir, "hook.env"), `HOOK=${secret}\n`, { mode: 0o600 });
  sandbox.config(`[server]
listen = "${new URL(http).host}"
[webhook.github]
verify = "gitlab"
env_file = "hook.env"
secret = "\${HOOK}"
${claudeHarness("job", sandbox.workdir("work"), 'triggers = ["webhook.github"]\n')}`);
  await sandbox.startDaemon();
  const status = await sandbox.harness("daemon", "status");
  assert.match(status.stdout, /^http +Nothing listens on 127\.0\.0\.1:\d+: .*EADDRINUSE/m);
});
