import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { HarnessError } from "../base/errors.ts";
import { openStore, type Store } from "../store/store.ts";
import { openFileSink, type OpenFileSink } from "./file-sink.ts";
import { call, itemLine, result, session } from "./testing/items-agent.ts";
import { createLab } from "./testing/run-lab.ts";

const MIB = 1024 * 1024;

/** A disk with so many bytes left: what goes beyond is written up to there, and then refused. */
const smallDisk = (room: { bytes: number }, reason = "ENOSPC"): OpenFileSink => {
  const refused = Object.assign(new Error(`${reason}: write`), { code: reason });
  return (path) => {
    const sink = openFileSink(path);
    return {
      ...sink,
      write(bytes, at) {
        const growth = Math.max(0, at + bytes.length - sink.size());
        if (growth <= room.bytes) {
          room.bytes -= growth;
          sink.write(bytes, at);
          return;
        }
        sink.write(bytes.subarray(0, bytes.length - growth + room.bytes), at);
        room.bytes = 0;
        throw refused;
      },
      truncate(length) {
        room.bytes += Math.max(0, sink.size() - length);
        sink.truncate(length);
      },
    };
  };
};

test("a disk that fills up leaves whole lines, a note on the run, a marker when it takes something again, and the record", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const other = lab.run("other");
  const room = { bytes: 700 };
  const intake = lab.intake(ref, {}, { openFile: smallDisk(room) });
  const bystander = lab.intake(other);
  const lines = Array.from({ length: 8 }, (_, number) => itemLine(call(number)));
  let at = 0;
  const write = (text: string): void => {
    intake.write("stdout", at, Buffer.from(text));
    at += Buffer.byteLength(text);
    lab.clock.advance(10);
  };
  const commits: number[] = [];
  intake.onCommitted((_, offset) => commits.push(offset));
  for (const line of lines.slice(0, 6)) write(line);
  const full = lab.stream(ref);
  assert.ok(full.length > 0 && full.length <= 700 && full.endsWith("\n"));
  for (const line of full.trimEnd().split("\n")) JSON.parse(line);
  assert.equal(commits.at(-1), at, "the bytes are acknowledged all the same");
  // There is room for the marker and not for a line: it is still one gap.
  room.bytes = 100;
  write(itemLine(call(100)));
  assert.equal(lab.stream(ref), full);
  room.bytes = 10_000;
  for (const line of lines.slice(6)) write(line);
  const end = { code: 0, signal: null, at: lab.clock.now() };
  const fold = await intake.finish(end);
  const kept = lab.stream(ref).trimEnd().split("\n");
  const lost = 6 - full.trimEnd().split("\n").length;
  const bytes = [...lines.slice(6 - lost, 6), itemLine(call(100))].join("").length;
  assert.equal(
    kept[6 - lost],
    `{"harness":"stream_gap","lines":${lost + 1},"bytes":${bytes},"reason":"ENOSPC"}`,
  );
  assert.deepEqual(
    kept.slice(-2),
    lines.slice(6).map((line) => line.trimEnd()),
  );
  assert.equal(fold.toolCalls, 9);
  const file = lab.paths.stream(ref.harness, ref.runId);
  const note = `${file} cannot be written (ENOSPC); the run goes on, the file has a gap.`;
  assert.deepEqual(lab.store.read.run(ref)?.notes, [note]);
  assert.deepEqual(lab.faults, [{ what: "stream_file", message: note }]);
  const whole = await lab.play(other, bystander, lines.join(""));
  assert.equal(lab.stream(other), lines.join(""));
  assert.deepEqual([whole.record.notes, whole.fold.toolCalls], [[], 8]);
});

test("a stream file that can never be written costs the file alone", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  // The folder's name is taken by a file.
  const blocked = join(lab.paths.dir, "blocked");
  writeFileSync(blocked, "");
  const files = { stream: join(blocked, "1.stream.jsonl"), runLog: join(blocked, "1.log") };
  const intake = lab.intake(ref, {}, { files });
  intake.write("stderr", 0, Buffer.from("lost\n"));
  const { record, fold } = await lab.play(ref, intake, itemLine(session(), call(1), result("r")));
  assert.equal(record.outcome, "success");
  assert.equal(fold.raw, undefined);
  assert.deepEqual(
    lab.faults.map((fault) => fault.what),
    ["stream_file", "run_log"],
  );
  assert.match(record.notes.join("\n"), /1\.stream\.jsonl cannot be written \((EEXIST|ENOTDIR)\)/);
});

test("a device that is full takes nothing and hurts nothing", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const files = { stream: "/dev/full", runLog: lab.paths.runLog(ref.harness, ref.runId) };
  const { record } = await lab.play(
    ref,
    lab.intake(ref, {}, { files }),
    itemLine(session(), call(1), result("r")),
  );
  assert.equal(record.outcome, "success");
  assert.deepEqual(record.notes, [
    "/dev/full cannot be written (ENOSPC); the run goes on, the file has a gap.",
  ]);
});

/** A file system of its own, `bytes` large; the test is skipped where that takes rights it does not have. */
const tinyFileSystem = (t: TestContext, bytes: number): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "tiny-"));
  let mounted = false;
  t.after(() => {
    if (mounted) execFileSync("/bin/umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "tmpfs", folder], {
      stdio: "pipe",
    });
  } catch {
    t.skip("mounting a tmpfs takes rights that this user does not have");
    return undefined;
  }
  mounted = true;
  return folder;
};

test("a file system that is really full: whole lines stay, the marker comes when there is room", async (t) => {
  const folder = tinyFileSystem(t, 64 * 1024);
  if (folder === undefined) return;
  const lab = createLab(t);
  const ref = lab.run();
  const file = join(folder, "1.stream.jsonl");
  const filler = join(folder, "filler");
  writeFileSync(filler, Buffer.alloc(48 * 1024));
  const intake = lab.intake(
    ref,
    {},
    { files: { stream: file, runLog: lab.paths.runLog(ref.harness, ref.runId) } },
  );
  const line = itemLine(call(1, { summary: "x".repeat(900) }));
  const burst = line.repeat(30);
  intake.write("stdout", 0, Buffer.from(burst));
  lab.clock.advance(10);
  assert.equal(statSync(file).size, 0);
  rmSync(filler);
  intake.write("stdout", burst.length, Buffer.from(itemLine(call(2))));
  const fold = await intake.finish({ code: 0, signal: null, at: lab.clock.now() });
  assert.equal(
    readFileSync(file, "utf8"),
    `{"harness":"stream_gap","lines":30,"bytes":${burst.length},"reason":"ENOSPC"}\n${itemLine(call(2))}`,
  );
  assert.equal(fold.toolCalls, 2);
});

test("while the store takes nothing, nothing is acknowledged and nothing is lost; the trouble is told", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  let working = false;
  const store: Store = {
    ...lab.store,
    commit(batch) {
      if (working) return lab.store.commit(batch);
      throw new HarnessError("store_failed", "The store cannot be used: database or disk is full.");
    },
  };
  const intake = lab.intake(ref, {}, { store });
  const commits: number[] = [];
  intake.onCommitted((_, offset) => commits.push(offset));
  const first = itemLine(session(), call(1));
  intake.write("stdout", 0, Buffer.from(first));
  lab.clock.advance(10);
  intake.write("stdout", first.length, Buffer.from(itemLine(call(2))));
  lab.clock.advance(10);
  assert.deepEqual([commits, lab.items(ref)], [[], []]);
  assert.deepEqual(lab.faults, [
    {
      what: "store",
      message: "The store cannot be used: database or disk is full. The run's record waits in memory.",
    },
  ]);
  working = true;
  lab.clock.advance(100);
  assert.deepEqual(commits, [first.length + itemLine(call(2)).length]);
  assert.equal(lab.items(ref).length, 3);
  const { fold } = await lab.play(ref, intake, "");
  assert.equal(fold.toolCalls, 2);
});

test("a store on a full file system refuses with what to do, and takes the same batch when there is room", (t) => {
  const folder = tinyFileSystem(t, 2 * MIB);
  if (folder === undefined) return;
  const store = openStore(join(folder, "state", "harness.db"));
  const ref = {
    harness: "nightly",
    runId: store.ledger.open({
      harness: "nightly",
      kind: "oneshot",
      agent: "claude-code",
      trigger: "manual",
      recordTrace: true,
      startedAt: 0,
    }),
  };
  const filler = join(folder, "filler");
  for (let free = 2 * MIB; free >= 4096; free = Math.floor(free / 2)) {
    try {
      writeFileSync(filler, Buffer.alloc(free), { flag: "a" });
    } catch {
      // No room for a piece of this size: the next is half of it.
    }
  }
  const batch: Parameters<typeof store.commit>[0] = {
    run: ref,
    agent: "claude-code",
    source: "stream",
    at: 0,
    keepContent: true,
    items: Array.from({ length: 200 }, (_, number) => call(number, { summary: "x".repeat(1000) })),
    cursors: [],
    output: [],
  };
  assert.throws(
    () => store.commit(batch),
    (error) =>
      error instanceof HarnessError &&
      error.code === "store_failed" &&
      /disk is full/.test(error.message) &&
      error.hint !== undefined,
  );
  rmSync(filler);
  assert.equal(store.commit(batch).items.length, 201);
  store.close();
});
