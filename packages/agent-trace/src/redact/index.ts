export { MASK, stripControls } from "./controls.ts";
export { createRedactor } from "./create.ts";
export { parseRuleFile } from "./rules/file.ts";
export type { Rule, RuleSet } from "./rules/rule.ts";
export type { Finding, LineRedactor, Redactor, RedactorOptions, StreamOptions } from "./redactor.ts";
export { redactCommand, type RedactCommandOptions, type RedactCommandStreams } from "./command.ts";
