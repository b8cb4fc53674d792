import { type Command, Option } from "commander";
import type { ResourceOptions } from "../resources/load.ts";
import { THINKING_LEVELS } from "../resources/settings.ts";
import type { ThinkingLevel } from "../session/entry.ts";

/** What the command line says of the runtime, the same for every command that boots one. */
export interface RuntimeOptions {
  provider?: string;
  model?: string;
  script?: string;
  thinking?: ThinkingLevel;
  tools?: string[];
  systemPrompt?: string;
  appendSystemPrompt?: string;
  flags: Record<string, boolean | string>;
  resources: ResourceOptions;
}

export interface ParsedRuntime {
  provider?: string;
  model?: string;
  script?: string;
  thinking?: ThinkingLevel;
  tools?: string;
  systemPrompt?: string;
  appendSystemPrompt?: string;
  extension: string[];
  /** `--no-extensions` and the like come as false. */
  extensions: boolean;
  skills: boolean;
  promptTemplates: boolean;
  contextFiles: boolean;
  flag: string[];
  trust?: boolean;
}

const collect = (value: string, before: string[]): string[] => [...before, value];

/** Adds the options of the runtime to a command. */
export const withRuntimeOptions = (command: Command, toolsOption = "-t, --tools <names>"): Command =>
  command
    .option("--provider <name>", "the model's provider; 'scripted' answers from --script and needs no key")
    .option("--model <id>", "the model, or provider/model")
    .option("--script <file>", "answers of the scripted provider (JSON)")
    .addOption(new Option("--thinking <level>", "how much to think").choices(THINKING_LEVELS))
    .option(toolsOption, "tools that are on, separated by commas; 'none' for none")
    .option("--system-prompt <text>", "in place of orphus's own introduction and rules; @FILE reads it")
    .option("--append-system-prompt <text>", "at the end of the system prompt; @FILE reads it")
    .option("-e, --extension <file>", "load an extension (may be given more than once)", collect, [])
    .option("--no-extensions", "load only those given with -e")
    .option("--no-skills", "load no skills")
    .option("--no-prompt-templates", "load no prompt templates")
    .option("--no-context-files", "load no AGENTS.md")
    .option("--flag <name[=value]>", "set a flag of an extension (may be given more than once)", collect, [])
    .option("--trust", "trust what lies in the project's .orphus folder, for this once")
    .option("--no-trust", "do not trust it, for this once");

const toFlag = (text: string): [string, boolean | string] => {
  const at = text.indexOf("=");
  return at === -1 ? [text, true] : [text.slice(0, at), text.slice(at + 1)];
};

/** What was asked for, from what was parsed. */
export const toRuntimeOptions = (parsed: ParsedRuntime): RuntimeOptions => {
  const { provider, model, script, thinking, tools, systemPrompt, appendSystemPrompt, trust } = parsed;
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(script === undefined ? {} : { script }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(tools === undefined ? {} : { tools: splitNames(tools) }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    flags: Object.fromEntries(parsed.flag.map(toFlag)),
    resources: {
      extensions: parsed.extension,
      noExtensions: !parsed.extensions,
      noSkills: !parsed.skills,
      noTemplates: !parsed.promptTemplates,
      noContextFiles: !parsed.contextFiles,
      ...(trust === undefined ? {} : { trust }),
    },
  };
};

const splitNames = (names: string): string[] =>
  names.trim() === "none"
    ? []
    : names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");

/** What is wrong with the model that was asked for; undefined when nothing is. */
export const modelMistake = ({ provider, script }: ParsedRuntime): string | undefined => {
  if (provider === "scripted" && script === undefined)
    return "--provider scripted answers from a file: add --script FILE.json";
  if (script !== undefined && provider !== undefined && provider !== "scripted")
    return `--script belongs to --provider scripted, not to ${provider}`;
  return undefined;
};
