import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { testFolder, writtenDatabase } from "../agents/testing/databases.ts";
import { collector } from "../testing/collect.ts";
import { filesOf, locateSessions } from "./find.ts";
import { readPath } from "./read-path.ts";

const fixtures = join(import.meta.dirname, "..", "agents");
const capture = join(fixtures, "pi/fixtures/basic/stdout.jsonl");
const callsOf = ({ items }: ReturnType<typeof collector>): number =>
  new Set(items.filter(({ type }) => type === "tool_call").map(({ key }) => key)).size;

/** The capture, and the same with bytes put behind its n-th line: both must give the same calls. */
const withBytes = (context: TestContext, after: number, bytes: string | Buffer): string => {
  const path = join(testFolder(context), "run.jsonl");
  const lines = readFileSync(capture, "utf8").trimEnd().split("\n");
  writeFileSync(path, `${lines.slice(0, after).join("\n")}\n`);
  appendFileSync(path, bytes);
  appendFileSync(path, `\n${lines.slice(after).join("\n")}\n`);
  return path;
};

const whole = collector();
readPath(capture, whole);

test("a line over 16 MiB in a file is skipped and reported as a mark; the lines around it are read", (context) => {
  const path = withBytes(context, 4, `{"type":"message","x":"${"x".repeat(16 * 1024 * 1024)}"}`);
  const found = collector();
  assert.equal(readPath(path, found).outcome, "read");
  const faults = found.items.flatMap((item) =>
    item.type === "mark" && item.fault !== undefined ? [item.fault] : [],
  );
  assert.deepEqual(faults, ["oversize"]);
  assert.equal(callsOf(found), callsOf(whole));
  assert.ok(callsOf(whole) > 2);
});

test("bytes that are no UTF-8, NUL, and nesting of any depth cost a line at most, and each is reported", (context) => {
  const deep = `{"type":"message_end","message":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  for (const bytes of [
    Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]),
    "\u0000\u0000",
    deep,
    `{"a":${"[".repeat(200_000)}`,
  ]) {
    const found = collector();
    assert.equal(readPath(withBytes(context, 5, bytes), found).outcome, "read");
    assert.equal(callsOf(found), callsOf(whole));
    const novelties = found.items.filter((item) => item.type === "mark" && item.kind === "novelty");
    assert.equal(found.unreads.length + novelties.length, 1, bytes.toString().slice(0, 40));
  }
});

test("links in a circle, to folders above, or to nothing end the search and hide no file", (context) => {
  const folder = testFolder(context);
  mkdirSync(join(folder, "a"));
  copyFileSync(capture, join(folder, "a", "run.jsonl"));
  symlinkSync("../a", join(folder, "a", "up"));
  symlinkSync("circle.jsonl", join(folder, "a", "circle.jsonl"));
  symlinkSync("/nowhere/at/all", join(folder, "a", "dangling.jsonl"));
  assert.deepEqual(
    filesOf([folder]).map(({ path }) => path),
    [join(folder, "a", "run.jsonl")],
  );
  assert.deepEqual(filesOf([join(folder, "a", "circle.jsonl"), join(folder, "a", "dangling.jsonl")]), []);
  assert.equal(readPath(join(folder, "a", "circle.jsonl"), collector()).outcome, "unreadable");
});

test("a place that is a circle of links is no place: the other agents' sessions are found", (context) => {
  const home = testFolder(context);
  mkdirSync(join(home, ".claude"));
  symlinkSync("projects", join(home, ".claude", "projects"));
  const sessions = join(home, ".pi", "agent", "sessions", "--proj--");
  mkdirSync(sessions, { recursive: true });
  const name = "2026-11-30T21-17-52-227Z_01a22e52-40e3-7555-bf6f-a85e4c71fa62.jsonl";
  writeFileSync(join(sessions, name), "");
  const found = locateSessions({ home, env: {}, cwd: home, read: () => undefined });
  assert.deepEqual(
    found.map(({ path }) => path),
    [join(sessions, name)],
  );
});

test("a file that vanishes between search and reading is reported", (context) => {
  const path = withBytes(context, 1, "");
  const [found] = filesOf([path]);
  rmSync(path);
  const report = readPath(found?.path ?? "", collector());
  assert.equal(report.outcome, "unreadable");
  assert.match(report.error, /ENOENT/);
});

test("a database is read while its agent writes it, reported while it is locked, and read when it is free", (context) => {
  const path = join(testFolder(context), "opencode.db");
  const writer = writtenDatabase(
    context,
    path,
    readFileSync(join(fixtures, "opencode/fixtures/schema.sql"), "utf8"),
  );
  writer.exec("BEGIN IMMEDIATE");
  assert.equal(readPath(path, collector()).outcome, "read");
  writer.exec("COMMIT; PRAGMA journal_mode = DELETE");
  const locker = new DatabaseSync(path);
  context.after(() => locker.close());
  locker.exec("BEGIN EXCLUSIVE");
  const report = readPath(path, collector(), { lockWaitMs: 1 });
  assert.equal(report.outcome, "unreadable");
  assert.match(report.error, /locked/);
  locker.exec("COMMIT");
  assert.equal(readPath(path, collector()).outcome, "read");
});

test("a database that is cut or overwritten is reported", (context) => {
  const path = join(testFolder(context), "crush.db");
  const writer = new DatabaseSync(path);
  writer.exec(readFileSync(join(fixtures, "crush/fixtures/schema.sql"), "utf8"));
  writer.close();
  const bytes = readFileSync(path);
  assert.equal(readPath(path, collector()).outcome, "read");
  writeFileSync(path, bytes.fill(0x41, 100, 3000));
  assert.equal(readPath(path, collector()).outcome, "unreadable");
  writeFileSync(path, bytes.subarray(0, 512));
  assert.equal(readPath(path, collector()).outcome, "unreadable");
});
