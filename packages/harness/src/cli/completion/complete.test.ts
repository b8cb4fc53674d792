import assert from "node:assert/strict";
import test from "node:test";
import { Argument, Command, Option } from "commander";
import fc from "fast-check";
import { complete } from "./complete.ts";

const program = new Command("p").option("--config <file>", "a file").option("--json", "as JSON");
const daemon = program.command("daemon").description("the daemon").option("--detach", "in the background");
daemon.command("stop").description("stops it");
program
  .command("trigger")
  .description("starts a run")
  .argument("<name>")
  .option("--wait", "waits")
  .addOption(new Option("--level <level>", "how loud").choices(["low", "high"]))
  .addOption(new Option("--secret", "not shown").hideHelp());
program.command("runs").description("lists runs").alias("ls").argument("[name...]");
program.command("shell").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
program.command("__inner", { hidden: true });

const names = ["nightly", "triage"];

const completed = (...words: string[]): { words: string[]; files: boolean } => {
  const { candidates, files } = complete(program, words, (argument) =>
    argument.name() === "name" ? names : undefined,
  );
  return { words: candidates.map(({ value }) => value), files };
};

const is = (words: string[], expected: string[], files = false): void =>
  assert.deepEqual(completed(...words), { words: expected, files }, words.join(" "));

test("verbs, their verbs, options, values and names come from the tree", () => {
  is([""], ["daemon", "trigger", "runs", "shell"]);
  is(["tr"], ["trigger"]);
  is(["daemon", ""], ["stop"]);
  is(["trigger", ""], names);
  is(["trigger", "n"], ["nightly"]);
  is(["trigger", "nightly", ""], []);
  is(["runs", "nightly", ""], names);
  is(["ls", "t"], ["triage"]);
  is(["shell", "z"], ["zsh"]);
  is(["trigger", "nightly", "--"], ["--config", "--json", "--wait", "--level"]);
  is(["trigger", "nightly", "--level", "h"], ["high"]);
  is(["--config", "x.toml", "--json", "da"], ["daemon"]);
  is(["--config", ""], [], true);
  is(["nothing", "of", "this", ""], []);
});

test("whatever is typed, what is offered begins with it", () => {
  const word = fc.oneof(
    fc.constantFrom("", "daemon", "trigger", "--config", "--level", "--", "-", "nightly", "runs"),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const typed = words.at(-1) ?? "";
      for (const offered of completed(...words).words) assert.ok(offered.startsWith(typed));
    }),
  );
});
