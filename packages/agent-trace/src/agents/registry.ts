import type { Agent } from "../agent.ts";
import type { AgentName } from "../item.ts";
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import { copilotCli } from "./copilot-cli/index.ts";
import { crush } from "./crush/index.ts";
import { gemini } from "./gemini/index.ts";
import { omp } from "./omp/index.ts";
import { opencode } from "./opencode/index.ts";
import { orphus } from "./orphus/index.ts";
import { pi } from "./pi/index.ts";

/** Every agent that can be read. Adding one is its folder and a line here. */
export const agents: readonly Agent[] = [
  claudeCode,
  codex,
  crush,
  opencode,
  pi,
  omp,
  orphus,
  gemini,
  copilotCli,
];

/** The agent of that name, or undefined when it cannot be read yet. */
export const agentNamed = (name: AgentName): Agent | undefined => agents.find((agent) => agent.name === name);
