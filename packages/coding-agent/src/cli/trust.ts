import { Command } from "commander";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { decideTrust, isTrusted } from "../resources/trust.ts";
import { agentDir } from "../session/paths.ts";
import { onTerminal, parseInto } from "./verb.ts";

/** `orphus trust [--revoke | --show]`: what lies in this project's `.orphus` folder may, or may not, be used. */
export const runTrust = async (
  args: readonly string[],
  capabilities: HarnessCapabilities,
): Promise<number> => {
  const { fs, process, terminal } = capabilities;
  const command = onTerminal(new Command("orphus trust"), terminal)
    .description("Lets extensions, settings, skills and templates of this project's .orphus folder be used.")
    .option("--revoke", "no longer")
    .option("--show", "only tell");
  const exitCode = parseInto(command, args);
  if (exitCode !== undefined) return exitCode;
  const { revoke = false, show = false } = command.opts<{ revoke?: boolean; show?: boolean }>();
  const folder = agentDir(process);
  if (!show) await decideTrust(fs, folder, process.cwd, !revoke);
  const trusted = await isTrusted(fs, folder, process.cwd);
  terminal.write(`${process.cwd}: ${trusted ? "trusted" : "not trusted"}\n`);
  return 0;
};
