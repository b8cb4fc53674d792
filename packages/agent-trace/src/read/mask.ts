import type { Agent } from "../agent.ts";
import { createRedactor, type Redactor, type RuleFile } from "../redact/index.ts";

const BUILT_IN: readonly RuleFile[] = [];
const redactors = new WeakMap<readonly RuleFile[], Map<Agent, Redactor>>();

/** How records are masked: by the caller's own redactor, else by the built-in one with the caller's rule files. */
export interface Masking {
  /** Rule files that mask beside the built-in rules. The same list for all files spares making them ready anew. */
  rules?: readonly RuleFile[];
  /** Masks in place of the built-in redactor. */
  redactor?: Redactor;
}

/** The redactor for an agent's records; made once for each list of rule files, since that takes some milliseconds. */
export const maskFor = (agent: Agent, { rules = BUILT_IN, redactor: own }: Masking): Redactor => {
  if (own !== undefined) return own;
  const made = redactors.get(rules) ?? new Map<Agent, Redactor>();
  redactors.set(rules, made);
  let redactor = made.get(agent);
  if (redactor === undefined) {
    redactor = createRedactor({ idPaths: agent.idPaths, rules });
    made.set(agent, redactor);
  }
  return redactor;
};
