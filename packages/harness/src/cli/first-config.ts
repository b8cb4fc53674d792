import type { Kind } from "../kinds/kind.ts";

type AgentKind = Kind["name"];

/** A first `harness.toml`: one harness for the first agent, which starts by hand only, and the rest as comments. */
export const firstConfig = (agents: readonly AgentKind[]): string => {
  const [first, ...others] = agents;
  return [
    HEAD,
    first === undefined ? commented(block("claude-code")) : block(first),
    ...others.map((agent) => commented(block(agent))),
    TAIL,
  ].join("\n");
};

const HEAD = `# What Harness runs. docs/config.md has every key; \`harness config check\` says what is wrong with this file.
# For an editor's help: harness config schema > harness.schema.json
`;

const block = (agent: AgentKind): string => `[harness.${agent}-hello]
harness = "${agent}"
workdir = "~"
prompt = "Say in one sentence what is in this folder. Change nothing."
timeout = "10m"
# schedule = "CRON_TZ=UTC 0 3 * * mon-fri"   # without it: harness trigger ${agent}-hello
# auto_accept = true                          # lets the agent act without asking
# env_file = "${agent}.env"                    # NAME=value lines, mode 0600: the agent's key
`;

const TAIL = `# An event can start a run as well:
#
# [webhook.github]
# verify = "github"
# env_file = "hooks.env"
# secret = "\${GITHUB_WEBHOOK_SECRET}"
`;

const commented = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : `# ${line}`))
    .join("\n");
