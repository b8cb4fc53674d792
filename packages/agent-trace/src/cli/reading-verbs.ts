import { type Command, Option } from "commander";
import { groupings } from "../totals/summary.ts";
import type { DoctorOptions } from "./doctor.ts";
import type { ExportOptions } from "./export.ts";
import type { Exit } from "./main.ts";
import type { ReadVerbOptions } from "./read.ts";
import type { SessionsOptions } from "./sessions.ts";
import type { ShowOptions } from "./show.ts";
import type { TailVerbOptions } from "./tail.ts";
import type { UsageOptions } from "./usage.ts";

/** What `export --to` takes. */
export const exportFormats = ["otlp", "atif", "json"] as const;

const agent = ["--agent <name>", "only this agent's records"] as const;
const json = ["--json", "one JSON object a line"] as const;
const collect = (file: string, files: string[] = []): string[] => [...files, file];
/** May be given more than once. */
export const rules = ["--rules <file>", "rules of your own beside the built-in ones", collect] as const;
const prices = ["--prices <file>", "a price table of your own, as JSON"] as const;

/** The verbs that read what lies on the disk. Each is loaded when it is called. */
export const addReadingVerbs = (program: Command, exit: Exit): void => {
  program
    .command("sessions [paths...]")
    .description("the sessions on this machine (or in files and folders), newest first")
    .option(...agent)
    .option(...rules)
    .option(...json)
    .option(...prices)
    .option("--limit <n>", "show so many", "30")
    .option("--all", "show sub-agents' sessions too")
    .action(async (paths: string[], options: SessionsOptions) =>
      exit((await import("./sessions.ts")).sessions(paths, options)),
    );
  program
    .command("show <session> [paths...]")
    .description("one session, thing by thing; its id may be cut short")
    .option(...agent)
    .option(...rules)
    .option(...json)
    .option(...prices)
    .action(async (name: string, paths: string[], options: ShowOptions) =>
      exit((await import("./show.ts")).show(name, paths, options)),
    );
  program
    .command("usage [paths...]")
    .description("tokens and cost")
    .addOption(new Option("--by <what>", "what makes a row").choices(groupings).default("day"))
    .option(...agent)
    .option(...rules)
    .option(...json)
    .option(...prices)
    .action(async (paths: string[], options: UsageOptions) =>
      exit((await import("./usage.ts")).usage(paths, options)),
    );
  program
    .command("read <paths...>")
    .description("the records of files and folders; with --json one item a line")
    .option(...agent)
    .option(...rules)
    .option(...json)
    .action(async (paths: string[], options: ReadVerbOptions) =>
      exit(await (await import("./read.ts")).read(paths, options)),
    );
  program
    .command("tail [paths...]")
    .description("items as agents write them, one a line")
    .option(...agent)
    .option(...rules)
    .option("--once", "read what is new and end")
    .option("--state <file>", "go on where an earlier run of this file was")
    .option("--since <hours>", "leave files alone that did not change for so long", "48")
    .action(async (paths: string[], options: TailVerbOptions) =>
      exit(await (await import("./tail.ts")).tail(paths, options)),
    );
  program
    .command("export <session> [paths...]")
    .description("a session and its sub-agents, as spans or as ATIF trajectories")
    .addOption(new Option("--to <format>", "the format").choices(exportFormats).default("otlp"))
    .option(...agent)
    .option(...rules)
    .action(async (name: string, paths: string[], options: ExportOptions) =>
      exit((await import("./export.ts")).exportSession(name, paths, options)),
    );
  program
    .command("doctor [paths...]")
    .description("where was looked, what was found, and what the readers did not know")
    .option(...agent)
    .option(...rules)
    .option(...json)
    .action(async (paths: string[], options: DoctorOptions) =>
      exit((await import("./doctor.ts")).doctor(paths, options)),
    );
};
