export { MASK, stripControls } from "./controls.ts";
export { isSecretKey } from "./context/names.ts";
export { createRedactor } from "./create.ts";
export { type Allow, type FileRule, parseRuleFile, type RuleFile, RuleFileError } from "./rules/file.ts";
export { readRuleFiles } from "./rules/read.ts";
export type { Finding, LineRedactor, Redactor, RedactorOptions, StreamOptions } from "./redactor.ts";
export { redactCommand, type RedactCommandOptions, type RedactCommandStreams } from "./command.ts";
