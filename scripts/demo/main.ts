/**
 * The main job, for real, in a folder of its own: a daemon runs three one-shots, and then the operator looks at them as
 * on the next morning. Nothing is prepared but the agents' words: orphus runs on a scripted provider, and `claude` is a
 * player of a stream that the real program once wrote.
 */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createShell } from "./shell.ts";
import { harnessToml, type DemoFolders } from "./config.ts";

const repository = resolve(import.meta.dirname, "..", "..");

const prepare = (): DemoFolders => {
  const dir = mkdtempSync(join(tmpdir(), "harness-demo-"));
  const folders: DemoFolders = {
    dir,
    home: join(dir, "home"),
    bin: join(dir, "bin"),
    state: join(dir, "state"),
    config: join(dir, "harness.toml"),
    shop: join(dir, "shop"),
    api: join(dir, "api"),
    docs: join(dir, "docs"),
    script: join(dir, "triage.json"),
  };
  for (const folder of [folders.home, folders.bin, folders.api, folders.docs]) mkdirSync(folder);
  cpSync(join(import.meta.dirname, "shop"), folders.shop, { recursive: true });
  cpSync(join(import.meta.dirname, "triage.json"), folders.script);
  symlinkSync(join(repository, "packages", "coding-agent", "bin", "orphus"), join(folders.bin, "orphus"));
  symlinkSync(join(repository, "tests", "player", "claude"), join(folders.bin, "claude"));
  writeFileSync(join(folders.api, ".player.json"), JSON.stringify({ capture: "claude/basic", speed: 4 }));
  writeFileSync(
    join(folders.docs, ".player.json"),
    JSON.stringify({ capture: "claude/error-429", speed: 4 }),
  );
  writeFileSync(folders.config, harnessToml(folders), { mode: 0o600 });
  return folders;
};

const folders = prepare();
const shell = createShell({
  programs: join(repository, "node_modules", ".bin"),
  cwd: folders.dir,
  env: {
    HOME: folders.home,
    PATH: [folders.bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    LANG: "C.UTF-8",
    TERM: process.env["TERM"] ?? "dumb",
    ...(process.env["NO_COLOR"] === undefined ? {} : { NO_COLOR: process.env["NO_COLOR"] }),
    ...(process.env["TZ"] === undefined ? {} : { TZ: process.env["TZ"] }),
  },
});
const harness = (...args: string[]): Promise<number> =>
  shell.run("harness", ["--state-dir", folders.state, "--config", folders.config, ...args], {
    show: ["harness", ...args],
  });

shell.say(`Everything of this demo lies in ${folders.dir}\n`);
let failed = false;
try {
  shell.say("At night: a daemon, three one-shots.");
  failed = (await harness("daemon", "--detach")) !== 0;
  await Promise.all(
    ["nightly-triage", "api-fixer", "docs-writer"].map((name) => harness("trigger", name, "--wait")),
  );

  shell.say("\nNext morning: what ran, how did it go, what did it cost?");
  failed ||= (await harness("runs", "--wide")) !== 0;
  shell.say("\nWhat exactly did the triage do?");
  failed ||= (await harness("logs", "nightly-triage", "--run", "1")) !== 0;
  shell.say("\nWhy did docs-writer fail?");
  failed ||= (await harness("logs", "docs-writer", "--run", "1")) !== 0;
} finally {
  shell.say("");
  await harness("daemon", "stop");
}

const again = `npx harness --state-dir ${folders.state} --config ${folders.config}`;
shell.say(`
Where everything lies
  configuration   ${folders.config}
  record          ${join(folders.state, "harness.db")}
  masked streams  ${join(folders.state, "jobs")}/<name>/<run>.stream.jsonl
  what was done   ${join(folders.shop, "TRIAGE.md")}

Try next (the record is readable with the daemon down)
  ${again} logs api-fixer --run 1
  ${again} runs --json
  PATH="${folders.bin}:$PATH" ${again} daemon --detach
  ${again} trigger api-fixer --wait
  ${again} daemon stop
  npx agent-trace normalize < ${join(folders.state, "jobs", "api-fixer", "1.stream.jsonl")}

When the daemon is stopped, the folder may be deleted.
`);
process.exitCode = failed ? 1 : 0;
