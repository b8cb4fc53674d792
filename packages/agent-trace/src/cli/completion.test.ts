import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

const main = join(import.meta.dirname, "..", "main.ts");
const script = (shell: string): string =>
  execFileSync(process.execPath, ["--conditions=orphus-source", main, "completion", shell], {
    encoding: "utf8",
  });

/** Has bash load the script and call what it registered, as it does when Tab is pressed behind the words. */
const ask = String.raw`
source "$0"
[[ $(complete -p agent-trace) =~ -o\ default.*-F\ ([^ ]+) ]] || exit 9
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"${"${BASH_REMATCH[1]}"}" agent-trace "${"${COMP_WORDS[COMP_CWORD]}"}" "${"${COMP_WORDS[COMP_CWORD-1]}"}"
printf '%s\n' "${"${COMPREPLY[@]}"}"
`;

test("bash completes verbs, options and their values by the script that completion prints", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "completion-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "agent-trace.bash");
  writeFileSync(file, script("bash"));
  const completed = (...words: string[]): string[] =>
    execFileSync("bash", ["--norc", "-c", ask, file, "agent-trace", ...words], { encoding: "utf8", env: {} })
      .split("\n")
      .filter((line) => line !== "");
  assert.deepEqual(completed("s"), ["sessions", "show", "schema"]);
  assert.deepEqual(completed("usage", "--p"), ["--prices"]);
  assert.deepEqual(completed("usage", "--by", ""), ["day", "model", "agent", "project"]);
  assert.deepEqual(completed("usage", "--by", "day", "--agent", "c"), [
    "claude-code",
    "codex",
    "crush",
    "copilot-cli",
  ]);
  assert.deepEqual(completed("export", "3f67", "--to", "a"), ["atif"]);
  assert.deepEqual(completed("completion", ""), ["bash", "zsh", "fish"]);
  assert.deepEqual(completed("redact", "--rules"), ["--rules", "--rules-version"]);
  for (const files of [
    ["show", "3f67", ""],
    ["usage", "--prices", ""],
    ["nothing", "-"],
  ])
    assert.deepEqual(completed(...files), [], "bash offers files by itself");
});

test("zsh loads bash's function; fish has every verb with its description and its values", () => {
  const zsh = script("zsh");
  assert.match(zsh, /bashcompinit\n_agent_trace\(\) \{/);
  const fish = script("fish");
  for (const verb of ["sessions", "normalize", "export", "completion"])
    assert.match(fish, new RegExp(`__fish_use_subcommand -a ${verb} -d '`));
  assert.match(fish, /from usage' -l by -d '[^']+' -x -a 'day model agent project'/);
  assert.match(fish, /where was looked|an agent'\\''s structured stream/);
});
