import type { Config, HarnessDefinition } from "../../config/definition.ts";
import { readEnvFiles } from "../../config/env-file.ts";
import { agentKinds, kindNamed } from "../../kinds/registry.ts";
import type { KindName } from "../../kinds/kind.ts";
import { programOn } from "../program-on.ts";
import type { Check } from "./check.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Whether the program of every configured agent is where its runs look for it. */
export const agentChecks = (config: Config, env: Variables): Check[] => {
  const used = new Set([...config.harnesses.values()].map(({ kind }) => kind));
  const kinds = agentKinds.filter(({ name }) => used.size === 0 || used.has(name));
  return kinds.flatMap(({ name, program }): Check[] => {
    const found = programOn(env["PATH"], program);
    if (found !== undefined) return [{ name: `agent ${name}`, status: "ok", detail: found }];
    if (used.size === 0) return [];
    return [
      {
        name: `agent ${name}`,
        status: "error",
        detail: `${program} is not on the daemon's PATH`,
        hint: `install it, or start the daemon with a PATH that has it`,
      },
    ];
  });
};

const ANTHROPIC = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
const OPENAI = ["OPENAI_API_KEY", "CODEX_API_KEY"];
const OTHERS = [
  "DEEPSEEK_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GROQ_API_KEY",
  "MISTRAL_API_KEY",
  "OPENROUTER_API_KEY",
  "XAI_API_KEY",
];

/** Variables in which agents look for their provider's key. */
const keysFor = (kind: KindName): readonly string[] => {
  if (kind === "claude-code") return ANTHROPIC;
  return kind === "codex" ? OPENAI : [...ANTHROPIC, ...OPENAI, ...OTHERS];
};

/** Keys that the daemon has and its runs do not get: an agent would say that it is not logged in. */
export const keyChecks = (config: Config, env: Variables): Check[] =>
  [...config.harnesses.values()].flatMap((harness) => {
    const given = givenTo(harness);
    const missing = keysFor(harness.kind).filter((name) => env[name] && !given(name));
    if (missing.length === 0) return [];
    const them = missing.length === 1 ? "it" : "them";
    return [
      {
        name: `keys of ${harness.name}`,
        status: "warn" as const,
        detail: `${missing.join(", ")} in the daemon's environment, and its runs do not get ${them}`,
        hint: `if ${kindNamed(harness.kind)?.program ?? "it"} needs ${them}: put ${them} into its env_file, or name ${them} in inherit_env`,
      },
    ];
  });

const givenTo = ({ inheritEnv = [], envFiles }: HarnessDefinition): ((name: string) => boolean) => {
  const entries = readEnvFiles(envFiles);
  return (name) =>
    name in entries ||
    inheritEnv.some((each) => (each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each));
};
