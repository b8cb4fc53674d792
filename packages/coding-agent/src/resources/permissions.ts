import type { JsonValue } from "../message.ts";
import type { ToolPolicy } from "../pipeline/approve.ts";

/** One rule over tool calls; of a list of them the first that fits decides. */
export interface PermissionRule {
  /** Name of a tool, or `*`. */
  tool: string;
  /** Argument name → regular expression that must be found in its value (text as it is, all else as JSON). */
  matches?: Readonly<Record<string, string>>;
  decision: "allow" | "ask" | "deny";
  /** Told to whoever is asked, and to the model when the call is stopped. */
  reason?: string;
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);

/** Rules as the policy of the pipeline. What no rule fits is allowed. Throws for an expression that is none. */
export const policyOf = (rules: readonly PermissionRule[]): ToolPolicy => {
  const compiled = rules.map((rule) => ({
    ...rule,
    matches: Object.entries(rule.matches ?? {}).map(
      ([name, expression]) => [name, new RegExp(expression, "u")] as const,
    ),
  }));
  return ({ toolName, arguments: args }) => {
    const rule = compiled.find(
      ({ tool, matches }) =>
        (tool === "*" || tool === toolName) &&
        matches.every(([name, expression]) => expression.test(textOf(args[name]))),
    );
    if (rule === undefined || rule.decision === "allow") return { decision: "allow" };
    return { decision: rule.decision, ...(rule.reason === undefined ? {} : { reason: rule.reason }) };
  };
};
