import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  createAgentSession,
  createDefaultCapabilities,
  createFakeCapabilities,
  createFakeClock,
  createFakeCredentials,
  createFakeFileSystem,
  createFakeProcesses,
  createFakeTerminalTransport,
} from "../index.ts";

const NAMES = ["browser", "clock", "credentials", "fs", "process", "terminal", "transcription"];

const kinds = (capabilities: object): Record<string, string> =>
  Object.fromEntries(Object.entries(capabilities).map(([name, { kind }]) => [name, kind]));

test("O-01 the world is exactly seven capabilities, real and fake", () => {
  assert.deepEqual(Object.keys(createDefaultCapabilities()).sort(), NAMES);
  assert.deepEqual(Object.keys(createFakeCapabilities()).sort(), NAMES);
});

test("O-03 a session works on the capabilities it is given", async () => {
  const capabilities = createFakeCapabilities();
  const { session } = await createAgentSession({ capabilities });
  assert.equal(session.capabilities, capabilities);
  assert.equal(session.header.cwd, capabilities.process.cwd);
  assert.ok(
    [...capabilities.fs.files.keys()].some((path) => path === session.path),
    "its file is in the fake fs",
  );
});

test("O-04 createFakeCapabilities replaces any subset, the rest stay fake", () => {
  const clock = { ...createFakeClock(), kind: "mine" };
  assert.deepEqual(kinds(createFakeCapabilities({ clock })), {
    ...Object.fromEntries(NAMES.map((name) => [name, "fake"])),
    clock: "mine",
  });
});

test("O-05 createAgentSession and createFakeCapabilities come from the package's root", async () => {
  const root = await import("../index.ts");
  assert.equal(typeof root.createAgentSession, "function");
  assert.equal(typeof root.createFakeCapabilities, "function");
});

test("O-06 O-07 O-09 every capability names its implementation", () => {
  assert.deepEqual(kinds(createDefaultCapabilities()), {
    clock: "system",
    fs: "node-fs",
    process: "node-child-process",
    credentials: "empty",
    browser: "unavailable",
    transcription: "unavailable",
    terminal: "stdio",
  });
  assert.deepEqual(new Set(Object.values(kinds(createFakeCapabilities()))), new Set(["fake"]));
});

test("O-08 without a keychain credentials are denied, whatever else is around", async (t) => {
  const value = ["not", "a", "real", "key"].join("-");
  process.env["ANTHROPIC_API_KEY"] = value;
  t.after(() => delete process.env["ANTHROPIC_API_KEY"]);
  const { credentials } = createDefaultCapabilities();
  assert.deepEqual(await credentials.list(), []);
  assert.equal(await credentials.reveal("ANTHROPIC_API_KEY"), undefined);
});

test("O-10 a sleep ends when its time is over, and rejects with the signal's reason", async () => {
  for (const clock of [createDefaultCapabilities().clock, createFakeClock()]) {
    const stop = new AbortController();
    const sleeping = clock.sleep(60_000, stop.signal);
    const reason = new Error("enough");
    stop.abort(reason);
    await assert.rejects(sleeping, reason);
    await assert.rejects(clock.sleep(1, stop.signal), reason);
    await clock.sleep(0);
  }
});

test("O-11 fake time stands still until it is advanced, which settles the sleeps that are due", async () => {
  const clock = createFakeClock();
  const woken: string[] = [];
  const late = clock.sleep(20).then(() => woken.push("late"));
  const early = clock.sleep(10).then(() => woken.push("early"));
  assert.deepEqual([clock.now(), clock.monotonicNow()], [1_700_000_000_000, 0]);
  clock.advance(10);
  await early;
  assert.deepEqual([woken.join(), clock.sleeping], ["early", 1]);
  clock.advance(10);
  await late;
  assert.deepEqual([clock.now(), clock.monotonicNow(), clock.sleeping], [1_700_000_000_020, 20, 0]);
  const both = [20, 10].map((ms) => clock.sleep(ms).then(() => woken.push(`after ${ms}`)));
  clock.advance(30);
  await Promise.all(both);
  assert.deepEqual(woken, ["early", "late", "after 10", "after 20"]);
});

test("O-12 O-13 files behave the same on the disk and in memory", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "orphus-fs-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [fs, dir] of [
    [createDefaultCapabilities().fs, root],
    [createFakeFileSystem(), "/memory"],
  ] as const) {
    const file = join(dir, "a", "b.txt");
    await fs.mkdir(join(dir, "a"), { recursive: true, mode: 0o700 });
    assert.equal((await fs.stat(join(dir, "a")))?.mode, 0o700);
    assert.equal(await fs.stat(file), undefined);
    await assert.rejects(fs.readFile(file), { code: "ENOENT" });
    await fs.writeFile(file, "one", { mode: 0o600, flag: "wx" });
    await assert.rejects(fs.writeFile(file, "two", { flag: "wx" }), { code: "EEXIST" });
    await fs.appendFile(file, "|two", { sync: true });
    assert.equal(await fs.readFile(file), "one|two");
    const { modifiedMs: _, ...stat } = (await fs.stat(file)) ?? { modifiedMs: 0 };
    assert.deepEqual(stat, { size: 7, mode: 0o600, isDirectory: false });
    let pieces = "";
    for await (const piece of fs.readPieces(file)) pieces += piece;
    assert.equal(pieces, "one|two");
    await fs.rename(file, `${file}.moved`);
    assert.equal(await fs.stat(file), undefined);
    await fs.rename(`${file}.moved`, file);
    assert.equal(await fs.readFile(file), "one|two");
    await assert.rejects(fs.rename(join(dir, "gone"), file), { code: "ENOENT" });
    assert.deepEqual(await fs.readdir(join(dir, "a")), ["b.txt"]);
    await assert.rejects(fs.readFile(join(dir, "a")), { code: "EISDIR" });
    await fs.remove(join(dir, "a"));
    await fs.remove(join(dir, "a"));
    assert.equal(await fs.stat(file), undefined);
  }
});

test("O-13 a fault of the fake file system strikes once", async () => {
  const fs = createFakeFileSystem();
  fs.failWrites("b.txt", Object.assign(new Error("no space"), { code: "ENOSPC" }));
  await fs.writeFile("/a.txt", "fine");
  await assert.rejects(fs.appendFile("/b.txt", "x"), { code: "ENOSPC" });
  await fs.appendFile("/b.txt", "x");
  assert.deepEqual(fs.files.get("/b.txt"), { data: "x", mode: 0o600 });
});

test("O-14 exec waits for what a grandchild writes after the child is gone", async () => {
  const { process } = createDefaultCapabilities();
  const result = await process.exec("/bin/sh", ["-c", "(sleep 0.08; echo late) & echo early"]);
  assert.deepEqual(result, { code: 0, stdout: "early\nlate\n", stderr: "" });
});

test("O-15 a missing program is a result, not a crash", async () => {
  const { process } = createDefaultCapabilities();
  const { code, stderr } = await process.exec("/nowhere/at-all", []);
  assert.equal(code, null);
  assert.match(stderr, /ENOENT/u);
  assert.deepEqual(await process.spawn("/nowhere/at-all", []).exited, { code: null, signal: null });
});

test("O-16 a process ends once, however often it is killed", async () => {
  const processes = createFakeProcesses();
  const handle = processes.spawn("server", []);
  assert.equal(processes.alive, 1);
  handle.kill();
  handle.kill("SIGKILL");
  assert.deepEqual(await handle.exited, { code: null, signal: "SIGTERM" });
  assert.equal(processes.alive, 0);
});

test("O-16 an abort ends the whole group of a real command", async () => {
  const { process } = createDefaultCapabilities();
  const stop = new AbortController();
  const result = await process.exec("/bin/sh", ["-c", "sleep 60 & echo up; wait"], {
    signal: stop.signal,
    onOutput: () => stop.abort(),
  });
  assert.deepEqual([result.code, result.stdout], [null, "up\n"]);
});

test("O-17 a character whose bytes come apart arrives whole", async () => {
  const { process } = createDefaultCapabilities();
  const pieces: string[] = [];
  const script = String.raw`printf '\342\202'; sleep 0.05; printf '\254'`;
  const { stdout } = await process.exec("/bin/sh", ["-c", script], { onOutput: (text) => pieces.push(text) });
  assert.deepEqual([stdout, pieces.join("")], ["€", "€"]);
});

test("O-18 a list of credentials holds no secret", async () => {
  const secret = ["s3", "cr3t"].join("");
  const credentials = createFakeCredentials([{ label: "mail", origin: "https://mail.example", secret }]);
  assert.deepEqual(await credentials.list(), [{ label: "mail", origin: "https://mail.example" }]);
  assert.equal(await credentials.reveal("mail"), secret);
  assert.equal(await credentials.reveal("bank"), undefined);
});

test("O-19 a fake terminal remembers what was written and can be typed into and resized", () => {
  const terminal = createFakeTerminalTransport({ columns: 100, isTTY: true });
  const heard: string[] = [];
  const stopData = terminal.onData((data) => heard.push(data));
  const stopResize = terminal.onResize(() => heard.push(`${terminal.columns()}x${terminal.rows()}`));
  terminal.write("a");
  terminal.write("b");
  terminal.setRawMode(true);
  terminal.send("x");
  terminal.resize(40, 10);
  stopData();
  stopResize();
  terminal.send("y");
  terminal.resize(1, 1);
  assert.deepEqual([terminal.output(), heard, terminal.rawModeChanges], ["ab", ["x", "40x10"], [true]]);
});

test("many worlds in one process look after its output once", () => {
  const before = process.stdout.listenerCount("error");
  for (let made = 0; made < 20; made += 1) createDefaultCapabilities();
  assert.ok(process.stdout.listenerCount("error") - before <= 1);
});
