import { join } from "node:path";
import type { FileSystemCapability } from "../capabilities/types.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { namesIn, readIfThere } from "./places.ts";

/** A skill: instructions that the model reads when the task calls for them. */
export interface Skill {
  name: string;
  description: string;
  /** Absolute path of its SKILL.md. */
  path: string;
}

/** A prompt kept in a file: `/name arguments` stands for it. */
export interface PromptTemplate {
  name: string;
  description?: string;
  body: string;
}

/** Skills of a folder: each has a folder of its own with a SKILL.md. One without a description is no skill. */
export const skillsIn = async (fs: FileSystemCapability, folder: string): Promise<Skill[]> => {
  const skills: Skill[] = [];
  for (const name of await namesIn(fs, folder)) {
    const path = join(folder, name, "SKILL.md");
    const { fields } = readFrontmatter((await readIfThere(fs, path)) ?? "");
    const description = fields["description"];
    if (description !== undefined) skills.push({ name: fields["name"] ?? name, description, path });
  }
  return skills;
};

/** Templates of a folder: its Markdown files, by name without ending. */
export const templatesIn = async (fs: FileSystemCapability, folder: string): Promise<PromptTemplate[]> => {
  const templates: PromptTemplate[] = [];
  for (const file of await namesIn(fs, folder)) {
    if (!file.endsWith(".md")) continue;
    const { fields, body } = readFrontmatter((await readIfThere(fs, join(folder, file))) ?? "");
    const description = fields["description"];
    templates.push({
      name: file.slice(0, -3),
      ...(description === undefined ? {} : { description }),
      body: body.trim(),
    });
  }
  return templates;
};

/** Words of a line; quotes hold words together. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );

/** Puts arguments into a template: `$1`, `${1:-otherwise}`, and `$@` or `$ARGUMENTS` for all of them. */
export const fillTemplate = (body: string, args: string): string => {
  const words = wordsOf(args);
  return body.replaceAll(
    /\$(?:(\d)|\{(\d)(?::-([^}]*))?\}|@|ARGUMENTS\b)/gu,
    (_whole, plain?: string, braced?: string, otherwise?: string) => {
      const place = plain ?? braced;
      return place === undefined ? args : (words[Number(place) - 1] ?? otherwise ?? "");
    },
  );
};

/** The prompt a user means: `/skill:name …` and `/template …` are expanded, anything else is taken as it is. */
export const expandPrompt = async (
  text: string,
  { skills, templates }: { skills: readonly Skill[]; templates: readonly PromptTemplate[] },
  fs: FileSystemCapability,
): Promise<string> => {
  const [, name = "", args = ""] = /^\/([\w:.-]+)\s*([^]*)$/u.exec(text) ?? [];
  const skill = skills.find((one) => name === `skill:${one.name}`);
  if (skill !== undefined) {
    const { body } = readFrontmatter(await fs.readFile(skill.path));
    return `${body.trim()}${args === "" ? "" : `\n\n${args}`}`;
  }
  const template = templates.find((one) => one.name === name);
  return template === undefined ? text : fillTemplate(template.body, args);
};
