import type { ToolDefinition } from "../tools/tool.ts";

/** What the user and the project add to the system prompt. */
export interface Instructions {
  /** Files such as AGENTS.md, the most general first. */
  context?: readonly { path: string; text: string }[];
  /** Skills the model may read when a task calls for one. */
  skills?: readonly { name: string; description: string; path: string }[];
  /** In place of our own words at the beginning. */
  replace?: string;
  /** At the end. */
  append?: string;
}

const INTRODUCTION =
  "You are orphus, a coding agent. You work on files and run commands through tools, and answer in plain text.";

const RULES = [
  "- Read a file before you change it.",
  "- Make the smallest change that does what was asked, and check it by running what the project has for that.",
  "- Say what you did and what you could not do.",
].join("\n");

const section = (heading: string, body: string): string => `# ${heading}\n\n${body.trim()}\n`;

/** The system prompt. It names no date, so that one configuration always gives the same bytes. */
export const buildSystemPrompt = (
  cwd: string,
  tools: readonly ToolDefinition[],
  { context = [], skills = [], replace, append }: Instructions = {},
): string => {
  const canRead = tools.some(({ name }) => name === "read");
  const parts = [
    `${(replace ?? INTRODUCTION).trim()}\n`,
    section("Working directory", cwd),
    ...(tools.length === 0
      ? []
      : [section("Tools", tools.map(({ name, description }) => `- ${name}: ${description}`).join("\n"))]),
    ...(replace === undefined ? [section("Rules", RULES)] : []),
    ...(skills.length === 0 || !canRead
      ? []
      : [
          section(
            "Skills",
            `Read a skill's file when the task calls for it.\n\n${skills
              .map(({ name, description, path }) => `- ${name} (${path}): ${description}`)
              .join("\n")}`,
          ),
        ]),
    ...(context.length === 0
      ? []
      : [
          section(
            "Project instructions",
            // Fenced, so that a heading of theirs is not one of ours.
            context.map(({ path, text }) => `${path}:\n\n${fence(text)}`).join("\n\n"),
          ),
        ]),
    ...(append === undefined ? [] : [`${append.trim()}\n`]),
  ];
  return parts.join("\n");
};

/** Text between fences longer than any in it. */
const fence = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text.trim()}\n${marks}`;
};
