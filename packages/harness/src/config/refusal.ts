import { commandTranscripts } from "../kinds/command.ts";
import { agentKinds } from "../kinds/registry.ts";

/** What may be supervised, and where everything else belongs: the end of every refusal. */
export const whatIsSupported = (): string =>
  [
    `Harness supervises only agents agent-trace can read: ${agentKinds.map((kind) => kind.name).join(", ")},`,
    `or a command harness with transcripts = ${commandTranscripts.join(" | ")}.`,
    "Run other programs under your init system (systemd, launchd). See docs/decisions.md.",
  ].join("\n");

/** Why a definition is refused. `stated` is what it says, as TOML, such as `harness = "generic"`. */
export const refusal = (harness: string, stated: string): string =>
  `[harness.${harness}]: ${stated} is not supported.\n${whatIsSupported()}`;
