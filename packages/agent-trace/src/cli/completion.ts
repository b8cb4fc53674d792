import type { Command, Option } from "commander";
import { agents } from "../agents/registry.ts";

/** Shells that have a script. */
export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

interface Flag {
  name: string;
  description: string;
  /** What may stand behind it; undefined = anything, so that the shell offers files. */
  values: readonly string[] | undefined;
}

interface Verb {
  name: string;
  description: string;
  flags: readonly Flag[];
  /** What its first argument may be. */
  values: readonly string[] | undefined;
}

const valuesOf = ({ long, argChoices }: Option): readonly string[] | undefined =>
  long === "--agent" ? agents.map(({ name }) => name) : argChoices;

const verbOf = (command: Command): Verb => ({
  name: command.name(),
  description: command.description(),
  flags: command.options.flatMap((option) =>
    typeof option.long === "string"
      ? [{ name: option.long, description: option.description, values: valuesOf(option) }]
      : [],
  ),
  values: command.registeredArguments[0]?.argChoices,
});

/** A word of a script: our own words, between single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const words = (all: readonly string[]): string => `words=${quoted(all.join(" "))} ;;`;

/** Files are what bash offers itself where there are no words. */
const bash = (verbs: readonly Verb[]): string => `# In ~/.bashrc: source <(agent-trace completion bash)
_agent_trace() {
  local verb=\${COMP_WORDS[1]} before=\${COMP_WORDS[COMP_CWORD-1]} typed=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(verbs.map(({ name }) => name).join(" "))}
  else
    case "$verb $before" in
${verbs.flatMap(valueCases).join("\n")}
      *)
        if [ "\${typed:0:1}" = - ]; then
          case "$verb" in
${verbs.map(({ name, flags }) => `            ${name}) ${words(flags.map((flag) => flag.name))}`).join("\n")}
          esac
        fi
        ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$typed"))
}
complete -o default -F _agent_trace agent-trace
`;

const valueCases = ({ name, flags, values }: Verb): string[] => [
  ...flags.flatMap((flag) =>
    flag.values === undefined ? [] : [`      ${quoted(`${name} ${flag.name}`)}) ${words(flag.values)}`],
  ),
  ...(values === undefined ? [] : [`      ${quoted(`${name} ${name}`)}) ${words(values)}`]),
];

/** Zsh runs bash's function, in the way it has for that. */
const zsh = (
  verbs: readonly Verb[],
): string => `# In ~/.zshrc, behind compinit: source <(agent-trace completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(verbs).split("\n").slice(1).join("\n")}`;

const fish = (verbs: readonly Verb[]): string =>
  [
    "# As ~/.config/fish/completions/agent-trace.fish: agent-trace completion fish > …",
    ...verbs.flatMap(({ name, description, flags, values }) => {
      const here = `complete -c agent-trace -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
      return [
        `complete -c agent-trace -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
        ...(values === undefined ? [] : [`${here} -f -a ${quoted(values.join(" "))}`]),
        ...flags.map(
          (flag) =>
            `${here} -l ${flag.name.slice(2)} -d ${quoted(flag.description)}` +
            (flag.values === undefined ? "" : ` -x -a ${quoted(flag.values.join(" "))}`),
        ),
      ];
    }),
    "",
  ].join("\n");

const scripts: Readonly<Record<Shell, (verbs: readonly Verb[]) => string>> = { bash, zsh, fish };

/** `agent-trace completion`: a script that teaches a shell the verbs, options and values that the program has. */
export const completion = (program: Command, shell: Shell): number => {
  process.stdout.write(scripts[shell](program.commands.map(verbOf)));
  return 0;
};
