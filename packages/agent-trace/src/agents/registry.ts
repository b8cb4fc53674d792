import type { Agent } from "../agent.ts";
import type { AgentName } from "../item.ts";
import { claudeCode } from "./claude-code/index.ts";
import { orphus } from "./orphus/index.ts";

/** Every agent that can be read. Adding one is its folder and a line here. */
export const agents: readonly Agent[] = [claudeCode, orphus];

/** The agent of that name, or undefined when it cannot be read yet. */
export const agentNamed = (name: AgentName): Agent | undefined => agents.find((agent) => agent.name === name);
