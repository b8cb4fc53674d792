import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { launchdPlist, systemdUnit } from "./units.ts";

const plan = {
  program: process.execPath,
  args: ["--state-dir", '/home/me/my "state" 100% $HOME', "daemon"],
  env: { PATH: "/opt/100%/bin:/usr/bin" },
};

test("a stop of the service leaves the keeper, and words of the operator reach the daemon as they are", () => {
  const unit = systemdUnit(plan);
  assert.match(unit, /^KillMode=process$/m);
  assert.match(
    unit,
    /^ExecStart="[^"]+" "--state-dir" "\/home\/me\/my \\"state\\" 100%% \$\$HOME" "daemon"$/m,
  );
  assert.match(unit, /^Environment="PATH=\/opt\/100%%\/bin:\/usr\/bin"$/m);
  const plist = launchdPlist("dev.harness.daemon", { ...plan, args: ["<a> & b"] });
  assert.match(plist, /<key>AbandonProcessGroup<\/key>\s*<true\/>/);
  assert.match(plist, /<string>&lt;a&gt; &amp; b<\/string>/);
});

const analyze = spawnSync("systemd-analyze", ["--version"]);

test(
  "systemd finds nothing wrong with the unit",
  { skip: analyze.status !== 0 && "systemd-analyze is not here" },
  (t) => {
    const folder = mkdtempSync(join(tmpdir(), "unit-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "harness.service");
    writeFileSync(file, systemdUnit(plan));
    const { status, stderr } = spawnSync("systemd-analyze", ["--user", "verify", file], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", HOME: folder, XDG_RUNTIME_DIR: folder },
    });
    assert.equal(status, 0, stderr);
  },
);
