import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { isLoopback } from "../guard.ts";
import { testFolder } from "../testing/server.ts";

const bin = join(import.meta.dirname, "..", "..", "bin", "cairn");
type Program = ChildProcessByStdio<null, Readable, Readable>;

/** The program as a user starts it, in an environment with nothing in it; it ends with the test. */
const cairn = (t: TestContext, home: string, args: string[], env: Record<string, string> = {}): Program => {
  const child = spawn(bin, ["serve", ...args], {
    env: { PATH: "/usr/bin:/bin", HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
};

const finish = async (child: Program): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
};

const firstLine = async (child: Program): Promise<string> => {
  const [line]: unknown[] = await once(createInterface(child.stdout), "line");
  return String(line);
};

const startedAt = async (child: Program): Promise<{ url: string; db: string; token: boolean }> => {
  const said: unknown = JSON.parse(await firstLine(child));
  assert.ok(typeof said === "object" && said !== null && "url" in said && "db" in said && "token" in said);
  return { url: String(said.url), db: String(said.db), token: said.token === true };
};

const post = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ title: "from a test", spans: [] }),
  });

test("cairn serve prints its URL, takes a run, and ends cleanly on SIGTERM with nothing lost", async (t) => {
  const home = testFolder(t);
  const child = cairn(t, home, ["--port", "0", "--json"]);
  const { url, db, token } = await startedAt(child);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(db, join(home, ".local", "state", "cairn", "cairn.db"));
  assert.equal(token, false);
  const created: unknown = await (await post(url)).json();
  assert.ok(typeof created === "object" && created !== null && "url" in created);
  assert.equal(statSync(db).mode & 0o777, 0o600);
  child.kill("SIGTERM");
  const [code]: unknown[] = await once(child, "exit");
  assert.equal(code, 0);
  // The log has been folded into the database.
  assert.throws(() => statSync(`${db}-wal`), /ENOENT/);

  const again = cairn(t, home, ["--port", new URL(url).port]);
  assert.match(await firstLine(again), new RegExp(`^Cairn listens on ${url}$`));
  assert.match(await (await fetch(String(created.url))).text(), /from a test/);
});

test("a connection that stays open does not keep the program from ending", async (t) => {
  const child = cairn(t, testFolder(t), ["--port", "0", "--json"]);
  const { url } = await startedAt(child);
  const idle = connect(Number(new URL(url).port), "127.0.0.1");
  await once(idle, "connect");
  t.after(() => idle.destroy());
  assert.equal((await post(url)).status, 201);
  child.kill("SIGINT");
  const [code]: unknown[] = await once(child, "exit");
  assert.equal(code, 0);
});

test("a token from a file or a variable is needed to write", async (t) => {
  const home = testFolder(t);
  const token = ["a", "token", "of", "a", "test"].join("-");
  const file = join(home, "token");
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  for (const [args, env] of [
    [["--token-file", file], {}],
    [["--token-env", "WRITER"], { WRITER: token }],
  ] as const) {
    const child = cairn(
      t,
      home,
      ["--port", "0", "--json", "--db", join(home, `${args[0]}.db`), ...args],
      env,
    );
    const started = await startedAt(child);
    assert.equal(started.token, true);
    assert.equal((await post(started.url)).status, 401);
    assert.equal((await post(started.url, { authorization: `Bearer ${token}` })).status, 201);
  }
});

test("what it cannot do it says, with what to do next, and starts nothing", async (t) => {
  const home = testFolder(t);
  const open = join(home, "open-token");
  writeFileSync(open, "x".repeat(30), { mode: 0o644 });
  const short = join(home, "short-token");
  writeFileSync(short, "x".repeat(15), { mode: 0o600 });
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  for (const [args, message] of [
    [["--host", "0.0.0.0"], /can be reached from other machines.*\n.*--token-file/],
    [["--host", "::"], /can be reached from other machines/],
    [["--token-file", open], /can be read by others.*\n.*chmod 600/],
    [["--token-file", short], /at least 16 visible ASCII characters/],
    [["--token-file", join(home, "none")], /cannot be read: ENOENT/],
    [["--token-env", "NOT_SET"], /NOT_SET is not set/],
    [["--token-env", "HOME", "--token-file", open], /both given/],
    [["--port", port], /EADDRINUSE.*\n.*another --port/],
    [["--db", home], /cannot open .*\n.*--db/],
  ] as const) {
    const ended = await finish(cairn(t, home, ["--port", "0", ...args]));
    assert.equal(ended.code, 1, args.join(" "));
    assert.match(ended.stderr, message);
    assert.equal(ended.stdout, "");
  }
  for (const [args, message] of [
    [["--port", "70000"], /whole number from 0 to 65535/],
    [["--base-url", "ftp://x"], /http:\/\/ or https:\/\//],
    [["--nothing"], /unknown option/],
  ] as const) {
    const ended = await finish(cairn(t, home, [...args]));
    assert.deepEqual([ended.code, ended.stdout], [2, ""], args.join(" "));
    assert.match(ended.stderr, message);
  }
  const json = await finish(cairn(t, home, ["--json", "--host", "0.0.0.0"]));
  assert.equal(json.code, 1);
  assert.partialDeepStrictEqual(JSON.parse(json.stdout), { error: { code: "refused" } });
});

test("only this machine's own addresses count as loopback", () => {
  for (const host of ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
    assert.equal(isLoopback(host), true, host);
  for (const host of [
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "127.evil.example",
    "localhost.example",
    "128.0.0.1",
    "",
  ]) {
    assert.equal(isLoopback(host), false, host);
  }
});
