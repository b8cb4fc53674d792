import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";

const player = join(import.meta.dirname, "claude");
const captures = join(import.meta.dirname, "captures");
const root = mkdtempSync(join(tmpdir(), "player-"));
after(() => rmSync(root, { recursive: true, force: true }));

const command = ["-p", "--verbose", "--output-format", "stream-json", "--model", "m", "Do the work."];

let places = 0;
/** A HOME and a working directory of a test's own. */
const place = (): { home: string; cwd: string } => {
  places += 1;
  const home = join(root, `home-${places}`);
  const cwd = join(root, `work.${places}`);
  mkdirSync(home);
  mkdirSync(cwd);
  return { home, cwd };
};

type Env = Record<string, string>;

const start = ({ home, cwd }: { home: string; cwd: string }, env: Env = {}, argv = command, bin = player) =>
  spawn(bin, argv, {
    cwd,
    env: { PATH: "/usr/bin:/bin", HOME: home, PLAYER_SPEED: "max", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  lines: Record<string, unknown>[];
}

const run = async (...args: Parameters<typeof start>): Promise<Ended> => {
  const child = start(...args);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => out.push(part));
  child.stderr.on("data", (part: Buffer) => err.push(part));
  await once(child, "close");
  const stdout = Buffer.concat(out).toString();
  return { code: child.exitCode, stdout, stderr: Buffer.concat(err).toString(), lines: parse(stdout) };
};

/** The lines that are JSON objects. */
const parse = (text: string): Record<string, unknown>[] =>
  text.split("\n").flatMap((line): Record<string, unknown>[] => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "object" && value !== null ? [{ ...value }] : [];
    } catch {
      return [];
    }
  });

const captured = (name: string): string => readFileSync(join(captures, name, "stdout.jsonl"), "utf8");

for (const info of globSync("*/*/run.json", { cwd: captures }).sort()) {
  const name = info.replace("/run.json", "");
  if (name === "claude/killed-sigterm" || name === "claude/resume-continued") continue;
  test(`plays ${name} as captured: lines, exit code, transcript`, async () => {
    const at = place();
    const ended = await run(at, { PLAYER_CAPTURE: name, PLAYER_IDS: "captured", PLAYER_CLOCK: "captured" });
    const wanted: unknown = JSON.parse(readFileSync(join(captures, info), "utf8"));
    assert.partialDeepStrictEqual(wanted, { exitCode: ended.code });
    const moved = captured(name)
      .replaceAll("/home/dev/lab/home", at.home)
      .replaceAll("/home/dev/lab/proj", at.cwd)
      .replaceAll("-home-dev-lab-proj", at.cwd.replaceAll(/[^A-Za-z0-9]/g, "-"));
    assert.deepEqual(
      ended.stdout.replaceAll("Do the work.", "P").split("\n"),
      moved.replaceAll(/Lab task: [^"\\]*/g, "P").split("\n"),
    );
    const sizes = (dir: string): string[] =>
      globSync("**/*.{jsonl,json}", { cwd: dir })
        .map(
          (file) =>
            `${file.replace(/^[^/]*/, "")} ${readFileSync(join(dir, file), "utf8").split("\n").filter(Boolean).length}`,
        )
        .sort();
    const written = join(at.home, ".claude", "projects");
    assert.deepEqual(sizes(written), sizes(join(captures, name, "projects")));
    assert.deepEqual(globSync("*", { cwd: written }), [at.cwd.replaceAll(/[^A-Za-z0-9]/g, "-")]);
  });
}

test("H-117 two runs in one working directory have sessions, messages and calls of their own", async () => {
  const at = place();
  const [one, two] = await Promise.all([run(at), run(at)]);
  const ids = (text: string): Set<string> =>
    new Set(text.match(/"(?:session_id|uuid|id|tool_use_id|request_id)":"[^"]+"/g));
  assert.equal(one.lines.length, two.lines.length);
  assert.equal(ids(one.stdout).size, ids(captured("claude/basic")).size);
  assert.deepEqual(
    [...ids(one.stdout)].filter((id) => ids(two.stdout).has(id)),
    [],
  );
  const sessions = globSync(".claude/projects/*/*.jsonl", { cwd: at.home }).map((file) =>
    file.replace(/^.*\/|\.jsonl$/g, ""),
  );
  assert.deepEqual(new Set(sessions), new Set([one, two].map(({ lines }) => lines[0]?.["session_id"])));
});

test("a transcript agrees with its stream, and is dated now", async () => {
  const at = place();
  const before = Date.now();
  const { lines } = await run(at, { PLAYER_CAPTURE: "claude/subagent" });
  const files = globSync(".claude/projects/**/*.jsonl", { cwd: at.home });
  const transcript = files.map((file) => readFileSync(join(at.home, file), "utf8")).join("");
  const calls = JSON.stringify(lines).match(/toolu_\w+/g) ?? [];
  assert.notEqual(calls.length, 0);
  for (const id of calls) assert.ok(transcript.includes(id), id);
  for (const line of parse(transcript)) {
    const at = line["timestamp"];
    if (typeof at === "string") assert.ok(Date.parse(at) >= before && Date.parse(at) <= Date.now(), at);
  }
});

test("--continue goes on in the same session, and fails without one", async () => {
  const at = place();
  const env = { PLAYER_CAPTURE: "claude/resume" };
  const again = [...command.slice(0, -1), "--continue", "And more."];
  const lost = await run(at, env, again);
  assert.equal(lost.code, 1);
  assert.match(lost.stderr, /No conversation found to continue/);
  const first = await run(at, env);
  const second = await run(at, env, again);
  assert.equal(second.code, 0);
  assert.equal(second.lines[0]?.["session_id"], first.lines[0]?.["session_id"]);
  assert.equal(globSync(".claude/projects/*/*.jsonl", { cwd: at.home }).length, 1);
  assert.notDeepEqual(second.lines, first.lines);
});

test("a .player.json beside the link chooses, one in the working directory wins, the environment wins over both", async () => {
  const at = place();
  symlinkSync(player, join(at.home, "claude"));
  const bin = join(at.home, "claude");
  writeFileSync(join(at.home, ".player.json"), JSON.stringify({ capture: "claude/error-400" }));
  assert.equal((await run(at, {}, command, bin)).code, 1);
  writeFileSync(
    join(at.cwd, ".player.json"),
    JSON.stringify({ capture: "claude/basic", faults: ["exit=7"] }),
  );
  assert.equal((await run(at, {}, command, bin)).code, 7);
  assert.equal((await run(at, { PLAYER_FAULTS: "exit=9" }, command, bin)).code, 9);
});

test("refuses a command line that the real CLI refuses, and plays nothing", async () => {
  for (const [argv, message] of [
    [["Do it."], /print mode/],
    [["-p", "Do it."], /stream-json is played, not text/],
    [["-p", "--output-format", "stream-json", "Do it."], /requires --verbose/],
    [[...command, "--no-such-option"], /unknown option '--no-such-option'/],
    [[...command.slice(0, -1), "--allowedTools", "Read", "Do it."], /Input must be provided/],
    [[...command.slice(0, -3), "--model"], /argument missing/],
  ] as const) {
    const at = place();
    const ended = await run(at, {}, [...argv]);
    assert.equal(ended.code, 1, argv.join(" "));
    assert.match(ended.stderr, message);
    assert.equal(ended.stdout, "");
    assert.deepEqual(globSync(".claude/**", { cwd: at.home }), []);
  }
  const wrong = await run(place(), { PLAYER_CAPTURE: "claude/none" });
  assert.match(wrong.stderr, /no capture claude\/none; there are claude\/basic, /);
});

test("SIGTERM in the middle of a stream ends it with 143 and no result line; the transcript is closed as captured", async () => {
  const at = place();
  const child = start(at, { PLAYER_CAPTURE: "claude/killed-sigterm" });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on("line", (line) => {
    lines.push(line);
    if (lines.length === 4) child.kill("SIGTERM");
  });
  await once(child, "close");
  assert.equal(child.exitCode, 143);
  assert.deepEqual(
    lines.map((line) => parse(line)[0]?.["type"]),
    ["system", "assistant", "assistant", "user"],
  );
  const [file = ""] = globSync(".claude/projects/*/*.jsonl", { cwd: at.home });
  const transcript = parse(readFileSync(join(at.home, file), "utf8"));
  assert.equal(transcript.at(-1)?.["type"], "cost-state");
});

test("faults: a stream that is cut, a huge line, lines that are no records", async () => {
  const whole = Buffer.byteLength((await run(place(), { PLAYER_IDS: "captured" })).stdout);
  const cut = await run(place(), { PLAYER_IDS: "captured", PLAYER_FAULTS: "cut=5000" });
  assert.equal(Buffer.byteLength(cut.stdout), 5000);
  assert.ok(whole > 5000 && !cut.stdout.endsWith("\n"));

  const huge = await run(place(), { PLAYER_FAULTS: "huge-line" });
  assert.equal(Math.max(...huge.stdout.split("\n").map((line) => line.length)), 20 * 1024 * 1024);
  assert.equal(huge.lines.at(-1)?.["type"], "result");

  const noisy = await run(place(), { PLAYER_FAULTS: "noise" });
  const count = noisy.stdout.split("\n").slice(0, -1).length;
  assert.equal(count, captured("claude/basic").split("\n").slice(0, -1).length + 6);
  assert.equal(noisy.lines.at(-1)?.["type"], "result");
});

test("faults: a secret stands in a call's command, in stream and transcript", async () => {
  const at = place();
  const secret = ["tok", "en-", "5f2a"].join("");
  const plain = await run(at);
  assert.ok(!plain.stdout.includes(secret));
  const ended = await run(at, { PLAYER_FAULTS: "secret", PLAYER_SECRET: secret });
  assert.equal(ended.lines.length, plain.lines.length);
  assert.equal(ended.stdout.split(secret).length, 3);
  const texts = globSync(".claude/projects/*/*.jsonl", { cwd: at.home }).map((file) =>
    readFileSync(join(at.home, file), "utf8"),
  );
  assert.equal(texts.filter((text) => text.includes(secret)).length, 1);
});

test("faults: /dev/stdout can be opened on a real pipe; where it cannot, the run says so", async () => {
  const at = place();
  // Through a shell's pipe, because a Node parent hands out a socket pair.
  const piped = await run(
    at,
    { PLAYER_FAULTS: "dev-stdout", PLAYER: player },
    ["-c", `"$PLAYER" "$@" | cat`, "sh", ...command],
    "/bin/sh",
  );
  assert.equal(piped.lines.at(-1)?.["type"], "result");
  const socket = await run(at, { PLAYER_FAULTS: "dev-stdout" });
  assert.equal(socket.code, 1);
  assert.match(socket.stderr, /cannot write to stdout: ENXIO/);
});

for (const [kind, survivesHangup] of [
  ["holds-pipe", false],
  ["ignores-hup", true],
] as const) {
  test(`faults: grandchild=${kind} keeps the pipe open behind the run`, async () => {
    const at = place();
    const child = start(at, { PLAYER_FAULTS: `grandchild=${kind}` });
    let closed = false;
    child.stdout.resume().once("close", () => (closed = true));
    await once(child, "exit");
    const pid = Number(readFileSync(join(at.cwd, ".player-grandchild.pid"), "utf8"));
    assert.equal(closed, false);
    process.kill(pid, "SIGHUP");
    if (survivesHangup) {
      // Still there for the next signal, which ends it.
      process.kill(pid, 0);
      process.kill(pid, "SIGKILL");
    }
    if (!closed) await once(child.stdout, "close");
  });
}
