import type { RealAgent } from "./agents/real-agent.ts";
import type { Script } from "./model/script.ts";

/** How a run must end by its own record. */
export type End = "answered" | "refused" | "interrupted";

/** One run of a real agent: what it is asked, what the model says, and how it must end. */
export interface Scenario {
  name: string;
  prompt: string;
  /** Undefined when the agent cannot do it; `work` is the folder it works in, absolute. */
  script(agent: RealAgent, work: string): Script | undefined;
  /** The model that the agent is told to use; its usual one by default. */
  modelOf?(agent: RealAgent): string;
  end: End;
  /** A file in the working folder: when it appears the agent gets SIGINT, as from a terminal. */
  interruptOn?: string;
}

export const modelOf = (scenario: Scenario, agent: RealAgent): string =>
  scenario.modelOf?.(agent) ?? agent.model;
