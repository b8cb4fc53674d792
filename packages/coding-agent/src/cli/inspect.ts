import { Command } from "commander";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { inspectRuntime } from "../inspect/report.ts";
import { openRedactor } from "../record/mask.ts";
import { boot } from "./boot.ts";
import { modelMistake, type ParsedRuntime, toRuntimeOptions, withRuntimeOptions } from "./runtime-options.ts";
import { onTerminal, parseInto } from "./verb.ts";

/** Exit code of a command line that `inspect` does not know. */
const UNKNOWN = 1;

const USAGE_HINT = "Usage: orphus inspect runtime [--json] [--include-content]\n";

/** A request would be a defect: inspecting only looks. */
const noTransport = (): Promise<Response> => Promise.reject(new Error("inspect sends nothing"));

/** `orphus inspect runtime`: boots the real runtime, with a session in memory, and prints what it is made of. */
export const runInspect = async (
  args: readonly string[],
  capabilities: HarnessCapabilities,
): Promise<number> => {
  const { terminal } = capabilities;
  let asked: (ParsedRuntime & { includeContent?: boolean }) | undefined;
  const command = onTerminal(new Command("orphus inspect"), terminal).description(
    "Looks at the assembled runtime.",
  );
  withRuntimeOptions(onTerminal(command.command("runtime"), terminal))
    .description("a deterministic report of model, tools, extensions, hooks, flags, settings and prompt")
    .option("--json", "the report as JSON (the only format)")
    .option("--include-content", "with the text of the system prompt")
    .action((options: ParsedRuntime & { includeContent?: boolean }) => {
      asked = options;
    });
  if (args.length === 0) {
    terminal.write(USAGE_HINT + command.helpInformation());
    return 0;
  }
  const exitCode = parseInto(command, args, UNKNOWN);
  if (exitCode !== undefined || asked === undefined) return exitCode ?? UNKNOWN;
  const mistake = modelMistake(asked);
  if (mistake !== undefined) {
    terminal.writeError(`orphus: ${mistake}\n`);
    return UNKNOWN;
  }
  const { session, resources } = await boot(toRuntimeOptions(asked), capabilities, {
    session: { kind: "memory" },
    transport: noTransport,
  });
  const redactor = await openRedactor(capabilities);
  const report = inspectRuntime(session, {
    settings: resources.effectiveSettings,
    includeContent: asked.includeContent === true,
    mask: (text) => redactor.redact(text),
  });
  terminal.write(`${JSON.stringify(report, null, 2)}\n`);
  await session.dispose();
  return 0;
};
