import { join } from "node:path";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { NamedExtension } from "../extensions/load.ts";
import { agentDir } from "../session/paths.ts";
import { type ContextFile, contextFiles } from "./context.ts";
import { type ExtensionFile, extensionsIn, loadExtensions, namedExtensions } from "./extensions.ts";
import { PROJECT_FOLDER } from "./places.ts";
import { type PromptTemplate, type Skill, skillsIn, templatesIn } from "./prompts.ts";
import { combineSettings, type EffectiveSetting, type FileSettings, readSettings } from "./settings.ts";
import { isTrusted } from "./trust.ts";

/** What is loaded, and what is left out. */
export interface ResourceOptions {
  /** Extensions of the command line. */
  extensions?: readonly string[];
  /** Loads those of the command line only. */
  noExtensions?: boolean;
  noSkills?: boolean;
  noTemplates?: boolean;
  noContextFiles?: boolean;
  /** Decides for this once whether the project is trusted. */
  trust?: boolean;
}

/** What lies in the user's and the project's folders. */
export interface Resources {
  trusted: boolean;
  settings: FileSettings;
  effectiveSettings: EffectiveSetting[];
  extensions: NamedExtension[];
  context: ContextFile[];
  skills: Skill[];
  templates: PromptTemplate[];
}

/** The project's things shadow the user's of the same name. */
const byName = <T extends { name: string }>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [item.name, item])).values(),
];

/**
 * Loads settings, extensions, skills, templates and instructions. What lies in the project's `.orphus` folder counts only
 * when the user trusts the project; nothing of an untrusted one is run or obeyed. Nothing is written.
 */
export const loadResources = async (
  capabilities: HarnessCapabilities,
  cwd: string,
  options: ResourceOptions = {},
): Promise<Resources> => {
  const { fs, process } = capabilities;
  const user = agentDir(process);
  const project = join(cwd, PROJECT_FOLDER);
  const trusted = options.trust ?? (await isTrusted(fs, user, cwd));
  const folders = trusted ? [user, project] : [user];

  const global = await readSettings(fs, join(user, "settings.json"));
  const local = trusted ? await readSettings(fs, join(project, "settings.json")) : undefined;
  const { settings, effective } = combineSettings(global, local);

  const files: ExtensionFile[] = [];
  if (options.noExtensions !== true) {
    files.push(...(await extensionsIn(capabilities, join(user, "extensions"), "user")));
    if (trusted) files.push(...(await extensionsIn(capabilities, join(project, "extensions"), "project")));
    const base = local?.["extensions"] === undefined ? user : project;
    files.push(...namedExtensions(settings.extensions ?? [], base, "settings"));
  }
  files.push(...namedExtensions(options.extensions ?? [], process.cwd, "command-line"));

  const skills: Skill[] = [];
  const templates: PromptTemplate[] = [];
  for (const folder of folders) {
    if (options.noSkills !== true) skills.push(...(await skillsIn(fs, join(folder, "skills"))));
    if (options.noTemplates !== true) templates.push(...(await templatesIn(fs, join(folder, "prompts"))));
  }
  return {
    trusted,
    settings,
    effectiveSettings: effective,
    extensions: await loadExtensions(capabilities, cwd, files),
    context: options.noContextFiles === true ? [] : await contextFiles(fs, user, cwd),
    skills: byName(skills),
    templates: byName(templates),
  };
};
