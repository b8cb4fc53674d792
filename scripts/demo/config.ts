/** Where the demo keeps its things. */
export interface DemoFolders {
  dir: string;
  home: string;
  /** In front of PATH: the agents. */
  bin: string;
  state: string;
  config: string;
  shop: string;
  api: string;
  docs: string;
  /** What the scripted provider answers. */
  script: string;
}

export const harnessToml = (folders: DemoFolders): string => `
[harness.nightly-triage]
harness = "orphus"
description = "Reads the inbox, fixes what it can, leaves a note"
workdir = ${JSON.stringify(folders.shop)}
prompt = "Triage the inbox: fix what is clearly a bug, check it, and write TRIAGE.md."
args = ["--provider", "scripted", "--script", ${JSON.stringify(folders.script)}]
timeout = "2m"

[harness.api-fixer]
harness = "claude-code"
description = "Repairs the build of the api"
workdir = ${JSON.stringify(folders.api)}
prompt = "Make hello.txt, read it back, then report."
auto_accept = true
timeout = "2m"

[harness.docs-writer]
harness = "claude-code"
description = "Keeps the documentation current"
workdir = ${JSON.stringify(folders.docs)}
prompt = "Bring the documentation up to date."
auto_accept = true
timeout = "2m"
`;
