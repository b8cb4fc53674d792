import { resolve } from "node:path";
import { Command, Option } from "commander";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { type ReplayReport, replaySession } from "../replay/session.ts";
import { boot } from "./boot.ts";
import { type ParsedRuntime, toRuntimeOptions, withRuntimeOptions } from "./runtime-options.ts";
import { onTerminal, parseInto, UNUSABLE } from "./verb.ts";

/** 0: every request was the same. */
const EXIT_CODES = { same: 0, diverged: 1, not_replayable: 3 } as const;

/** On one line, whatever the value holds. */
const sideOf = (value: string | undefined): string =>
  value === undefined ? "(nothing)" : JSON.stringify(value);

const describe = ({ summary, stopped, masked, matched, requests }: ReplayReport): string => {
  const lines = [`${summary} (${matched} of ${requests} matched)`];
  if (stopped?.kind === "diverged")
    for (const { path, recorded, replayed } of stopped.differences)
      lines.push(`  ${path}`, `    - ${sideOf(recorded)}`, `    + ${sideOf(replayed)}`);
  for (const { requestId, paths } of masked)
    lines.push(`masked on record, not compared: ${requestId} ${paths.join(", ")}`);
  return `${lines.join("\n")}\n`;
};

/** `orphus replay SESSION`: the session again, offline, with the first difference. */
export const runReplay = async (
  args: readonly string[],
  capabilities: HarnessCapabilities,
): Promise<number> => {
  const { terminal, process } = capabilities;
  const command = withRuntimeOptions(
    onTerminal(new Command("orphus replay"), terminal)
      .description("Runs a recorded session again, offline, and tells the first request that differs.")
      .argument("<session>", "the session file"),
    "-t, --active-tools <names>",
  )
    .addOption(
      new Option("--tools <what>", "take tool results from the record, or run the tools")
        .choices(["record", "live"])
        .default("record"),
    )
    .option("--json", "the report as JSON");
  const exitCode = parseInto(command, args);
  if (exitCode !== undefined) return exitCode;
  const [file = ""] = command.args;
  const { tools, activeTools, json, ...parsed } = command.opts<
    Omit<ParsedRuntime, "tools"> & { tools: "record" | "live"; activeTools?: string; json?: boolean }
  >();
  if (parsed.script !== undefined || parsed.model !== undefined || parsed.provider !== undefined) {
    terminal.writeError("orphus: a replay's model is the one on record\n");
    return UNUSABLE;
  }
  const options = toRuntimeOptions({
    ...parsed,
    ...(activeTools === undefined ? {} : { tools: activeTools }),
  });
  const report = await replaySession({
    path: resolve(process.cwd, file),
    tools,
    capabilities,
    compose: async (world, own) => (await boot(options, world, { ...own, noModel: true })).session,
  });
  terminal.write(json === true ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
  return EXIT_CODES[report.outcome];
};
