import type { Agent } from "../agent.ts";
import { createRedactor, type Redactor } from "../redact/index.ts";

const redactors = new Map<Agent, Redactor>();

/** The redactor for an agent's records; made once, since that takes some milliseconds. */
export const maskFor = (agent: Agent): Redactor => {
  let redactor = redactors.get(agent);
  if (redactor === undefined) {
    redactor = createRedactor({ idPaths: agent.idPaths });
    redactors.set(agent, redactor);
  }
  return redactor;
};
