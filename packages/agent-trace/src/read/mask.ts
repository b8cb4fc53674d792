import type { Agent } from "../agent.ts";
import { createRedactor, type Redactor, type RuleFile } from "../redact/index.ts";

const BUILT_IN: readonly RuleFile[] = [];
const redactors = new WeakMap<readonly RuleFile[], Map<Agent, Redactor>>();

/** The redactor for an agent's records; made once for each list of rule files, since that takes some milliseconds. */
export const maskFor = (agent: Agent, rules: readonly RuleFile[] = BUILT_IN): Redactor => {
  const made = redactors.get(rules) ?? new Map<Agent, Redactor>();
  redactors.set(rules, made);
  let redactor = made.get(agent);
  if (redactor === undefined) {
    redactor = createRedactor({ idPaths: agent.idPaths, rules });
    made.set(agent, redactor);
  }
  return redactor;
};
