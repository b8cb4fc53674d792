/** Shells that have a script. */
export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/**
 * The scripts hand the typed words to `harness __complete` and show what it prints: a candidate a line, with its description
 * behind a tab, and `:files` where names of files fit. So they never need to be made anew for another version.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# In ~/.bashrc: source <(harness completion bash)
_harness() {
  local candidate IFS=$'\\n'
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    if [ "$candidate" = :files ]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    else
      COMPREPLY+=("$candidate")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _harness harness
`,
  zsh: `#compdef harness
# In ~/.zshrc, behind compinit: source <(harness completion zsh)
_harness() {
  local -a candidates
  local line files=0
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe harness candidates
  (( files )) && _files
}
compdef _harness harness
`,
  fish: `# As ~/.config/fish/completions/harness.fish: harness completion fish > …
function __harness_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c harness -f -a '(__harness_complete)'
`,
};
