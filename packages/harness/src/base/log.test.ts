import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import fc from "fast-check";
import { systemClock, type Clock } from "./clock.ts";
import { fileLog, type FileLogOptions } from "./log.ts";

const clock: Clock = { ...systemClock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5) };

const inFolder = (t: TestContext, options: Partial<FileLogOptions> = {}): FileLogOptions => {
  const folder = mkdtempSync(join(tmpdir(), "log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return { path: join(folder, "d.log"), maxBytes: 1024, backups: 2, clock, mask: (text) => text, ...options };
};

test("a line has time and level, is masked, and is one line for a terminal", (t) => {
  const options = inFolder(t, { mask: (text) => text.replaceAll("hunter2", "[REDACTED]") });
  const log = fileLog(options);
  log.warn("first\n  second \u001b[31mred hunter2\n");
  log.close();
  assert.equal(
    readFileSync(options.path, "utf8"),
    "2026-01-02T03:04:05.000Z warn  first | second [31mred [REDACTED]\n",
  );
  assert.equal(statSync(options.path).mode & 0o777, 0o600);
});

test("a file is full to the byte before it rotates, and old ones go", (t) => {
  // 31 bytes stand before the message and one behind it.
  const options = inFolder(t, { maxBytes: 400, backups: 2 });
  const log = fileLog(options);
  for (const letter of ["a", "b", "c", "d"]) {
    for (let line = 0; line < 4; line += 1) log.info(letter.repeat(100 - 32));
  }
  log.info("e");
  log.close();
  const sizes = ["", ".1", ".2"].map((suffix) => statSync(options.path + suffix).size);
  assert.deepEqual(sizes, [33, 400, 400]);
  assert.equal(readdirSync(join(options.path, "..")).length, 3);
  assert.match(readFileSync(`${options.path}.1`, "utf8"), /dddd\n$/);
});

test("a reopened log goes on where it was", (t) => {
  const options = inFolder(t, { maxBytes: 256 });
  for (let run = 0; run < 3; run += 1) {
    const log = fileLog(options);
    log.info("x".repeat(100 - 32));
    log.close();
  }
  assert.deepEqual([statSync(options.path).size, statSync(`${options.path}.1`).size], [100, 200]);
});

test("no file ever exceeds the limit, whatever is said", (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 600 }), { maxLength: 20 }),
      fc.integer({ min: 256, max: 700 }),
      (messages, maxBytes) => {
        const options = inFolder(t, { maxBytes });
        const log = fileLog(options);
        for (const message of messages) log.error(message);
        log.close();
        for (const name of readdirSync(join(options.path, ".."))) {
          const file = join(options.path, "..", name);
          assert.ok(statSync(file).size <= maxBytes);
          assert.ok(!readFileSync(file, "utf8").includes("\ufffd") || messages.join("").includes("\ufffd"));
        }
      },
    ),
    { numRuns: 50 },
  );
});
