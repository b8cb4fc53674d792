import { Command, Option } from "commander";
import { version } from "../base/version.ts";
import type { Context, GlobalOptions } from "./context.ts";
import { count, moment, runNumber } from "./arguments.ts";
import { addSetup } from "./setup.ts";

/** Makes a verb's context from the global options, once they are known. */
export type ContextOf = (options: GlobalOptions) => Context;

export interface Program {
  /** Resolves to the exit code; rejects with what went wrong. */
  run(args: readonly string[]): Promise<number>;
}

/**
 * The verbs and their options. A verb's own code is loaded when it runs, so that `harness --help` and every other verb
 * stay quick.
 */
export const createProgram = (contextOf: ContextOf): Program => {
  let exitCode = 0;
  const program = new Command("harness")
    .description("systemctl for agents: runs coding agents unattended and records what they did")
    .version(version)
    .option("--config <file>", "configuration file (HARNESS_CONFIG)")
    .option("--state-dir <folder>", "where the daemon keeps everything (HARNESS_STATE_DIR)")
    .option("--json", "print JSON (HARNESS_JSON)")
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .showHelpAfterError(false);
  /** Runs a verb and keeps its exit code. */
  const does =
    <Args extends unknown[]>(verb: (context: Context, ...args: Args) => Promise<number>) =>
    async (...args: Args): Promise<void> => {
      exitCode = await verb(contextOf(program.opts<GlobalOptions>()), ...args);
    };
  for (const add of VERBS) add(program, does);
  for (const command of [program, ...program.commands]) refuseHelpOnNothing(command);
  return {
    run: async (args) => {
      if (args.length === 0) {
        program.outputHelp();
        return 0;
      }
      await program.parseAsync(args, { from: "user" });
      return exitCode;
    },
  };
};

/** An unknown verb with `--help` is a mistyped one: the parser alone would answer with the help of what is above it. */
const refuseHelpOnNothing = (command: Command): void => {
  if (command.commands.length === 0) return;
  command.on("beforeHelp", () => {
    const word = command.args.find((each) => each !== "help" && !each.startsWith("-"));
    const known = command.commands.some(
      (each) => each.name() === word || each.aliases().includes(word ?? ""),
    );
    if (word !== undefined && !known) command.error(`error: unknown command '${word}'`);
  });
};

/** Makes an action of a verb: its exit code is the program's. */
export type Does = <Args extends unknown[]>(
  verb: (context: Context, ...args: Args) => Promise<number>,
) => (...args: Args) => Promise<void>;

const addDaemon = (program: Command, does: Does): void => {
  const daemon = program
    .command("daemon")
    .description("run the supervisor in the foreground, or with --detach in the background")
    .option("--detach", "return as soon as the daemon is up")
    .addOption(
      new Option("--ready-fd <fd>", "where a detached daemon reports its start").argParser(Number).hideHelp(),
    )
    .action(
      does(async (context, options: { detach?: boolean; readyFd?: number }) =>
        (await import("./verbs/daemon.ts")).daemon(context, options),
      ),
    );
  daemon
    .command("stop")
    .description("stop the daemon, and what it runs")
    .option("--leave-runs", "runs go on; the next daemon takes them back")
    .action(
      does(async (context, { leaveRuns = false }: { leaveRuns?: boolean }) =>
        (await import("./verbs/daemon-stop.ts")).daemonStop(context, leaveRuns),
      ),
    );
  daemon
    .command("status")
    .description("say whether the daemon is running, and how")
    .action(does(async (context) => (await import("./verbs/daemon-status.ts")).daemonStatus(context)));
};

const addList = (program: Command, does: Does): void => {
  program
    .command("list")
    .alias("ls")
    .description("list the harnesses of the configuration and what they do now")
    .action(does(async (context) => (await import("./verbs/list.ts")).list(context)));
};

const addJobs = (program: Command, does: Does): void => {
  program
    .command("jobs")
    .description("list what starts by itself: when it is due next, and how it went last")
    .action(does(async (context) => (await import("./verbs/jobs.ts")).jobs(context)));
  program
    .command("describe")
    .description("say everything there is to say of a harness")
    .argument("<name>", "the harness")
    .action(
      does(async (context, name: string) => (await import("./verbs/describe.ts")).describe(context, name)),
    );
};

const addRuns = (program: Command, does: Does): void => {
  program
    .command("runs")
    .description("list runs, newest first: how each went, what it called and cost")
    .argument("[name...]", "only these harnesses")
    .option("--since <time>", 'runs since then: "24h", "30m", a date or a time; "all" for every one', moment)
    .option("--limit <n>", "at most so many (1 to 1000)", count)
    .option("--wide", "more columns: trigger, tokens, model, session")
    .action(
      does(async (context, names: string[], options: { since?: number; limit?: number; wide?: boolean }) =>
        (await import("./verbs/runs.ts")).runs(context, { names, ...options }),
      ),
    );
};

const addLogs = (program: Command, does: Does): void => {
  program
    .command("logs")
    .description("show what a run did, from its record")
    .argument("<name>", "the harness")
    .option("--run <n>", "its number; the latest run by default", runNumber)
    .option("--follow", "go on while the run does")
    .option("--raw", "print the masked stream and run log as they were written")
    .action(
      does(async (context, name: string, options: { run?: number; follow?: boolean; raw?: boolean }) =>
        (await import("./verbs/logs.ts")).logs(context, { name, ...options }),
      ),
    );
};

const addTrigger = (program: Command, does: Does): void => {
  program
    .command("trigger")
    .description("start a run of a harness now")
    .argument("<name>", "the harness")
    .option("--wait", "wait for its end and exit with its code (124 timed out, 75 skipped)")
    .option(
      "--event <file>",
      "give the run this event: one that an earlier run was given, or any JSON or text",
    )
    .action(
      does(async (context, name: string, { wait = false, event }: { wait?: boolean; event?: string }) =>
        (await import("./verbs/trigger.ts")).trigger(context, {
          name,
          wait,
          ...(event !== undefined && { event }),
        }),
      ),
    );
};

const addRun = (program: Command, does: Does): void => {
  program
    .command("run")
    .description("run an agent once, without a configuration; shows what it does as it does it")
    .argument("<kind>", "the agent: claude-code, codex, crush, opencode, pi, omp, orphus")
    .argument("<prompt...>", "what it is to do")
    .option("--workdir <folder>", "where it works; here by default")
    .option("--model <model>", "the model it uses")
    .option("--auto-accept", "let it act without asking for permission")
    .addOption(new Option("--wait", "wait for its end in silence and exit with its code").conflicts("detach"))
    .addOption(new Option("--detach", "return as soon as it runs"))
    .action(
      does(async (context, kind: string, prompt: string[], options: RunOptions) =>
        (await import("./verbs/run.ts")).run(context, { kind, prompt: prompt.join(" "), ...options }),
      ),
    );
};

interface RunOptions {
  workdir?: string;
  model?: string;
  autoAccept?: boolean;
  wait?: boolean;
  detach?: boolean;
}

const addChanges = (program: Command, does: Does): void => {
  const verbs = {
    start: "start a resident and keep it going, or let a schedule and events go on after a stop",
    stop: "stop what a harness is running, and pause its schedule and its events",
    restart: "stop what a harness is running and start it anew, also one that has failed",
  } as const;
  for (const verb of ["start", "stop", "restart"] as const) {
    program
      .command(verb)
      .description(verbs[verb])
      .argument("[name]", "the harness")
      .option("--all", "every one that it makes a difference to")
      .action(
        does(async (context, name: string | undefined, { all = false }: { all?: boolean }) =>
          (await import("./verbs/change.ts")).change(context, verb, { name, all }),
        ),
      );
  }
};

const addReload = (program: Command, does: Does): void => {
  program
    .command("reload")
    .description("have the daemon load its configuration again; what runs goes on as it is")
    .action(does(async (context) => (await import("./verbs/reload.ts")).reload(context)));
};

const addTrace = (program: Command, does: Does): void => {
  program
    .command("trace")
    .description("what is on record")
    .command("rescan")
    .description("mask what is on record under the rules of now, in the store and in the files of runs")
    .option("--check", "only say which runs were masked under other rules; exits with 1 if there are any")
    .action(
      does(async (context, { check = false }: { check?: boolean }) =>
        (await import("./verbs/trace-rescan.ts")).traceRescan(context, check),
      ),
    );
};

const addAttach = (program: Command, does: Does): void => {
  program
    .command("attach")
    .description("put a harness's terminal onto this one; ctrl-b d lets go of it")
    .argument("<name>", "the harness")
    .option("--ro", "look only")
    .action(
      does(async (context, name: string, { ro = false }: { ro?: boolean }) =>
        (await import("./verbs/attach.ts")).attach(context, { name, ro }),
      ),
    );
};

const addCapture = (program: Command, does: Does): void => {
  program
    .command("capture")
    .description("print what a harness's terminal shows now")
    .argument("<name>", "the harness")
    .action(
      does(async (context, name: string) => (await import("./verbs/capture.ts")).capture(context, name)),
    );
};

const VERBS = [
  addDaemon,
  addList,
  addJobs,
  addRuns,
  addLogs,
  addTrigger,
  addRun,
  addChanges,
  addReload,
  addAttach,
  addCapture,
  addSetup,
  addTrace,
] as const;
