import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { agents } from "../agents/registry.ts";
import { parseJson } from "../jsonline.ts";
import { machineContext } from "../read/find.ts";
import { follow } from "../tail/follow.ts";
import { Tailer } from "../tail/tailer.ts";
import { agentOption, chosenFiles, rulesOption, amountOption } from "./load.ts";

export interface TailVerbOptions {
  agent?: string;
  once?: boolean;
  state?: string;
  rules?: string[];
  /** Hours since its last change after which a file that was never read is left alone. */
  since: string;
}

const everyMs = 2000;
const hourMs = 3_600_000;

/** `agent-trace tail`: items as agents write them, one a line, until interrupted. With `--state` it goes on where it was. */
export const tail = async (paths: readonly string[], options: TailVerbOptions): Promise<number> => {
  const agent = agentOption(options.agent);
  const since = amountOption("--since", options.since) * hourMs;
  const state = options.state === undefined ? undefined : savedState(options.state);
  const tailer = new Tailer({
    home: homedir(),
    rules: rulesOption(options.rules),
    state,
    files: () =>
      chosenFiles(paths, agent).filter(({ modified }) => paths.length > 0 || Date.now() - modified < since),
    ...(agent === undefined ? {} : { agent }),
  });
  const poll = (): void => {
    const { parsed } = tailer.poll({ item: (item) => process.stdout.write(`${JSON.stringify(item)}\n`) });
    if (parsed > 0 && options.state !== undefined) saveState(options.state, JSON.stringify(tailer.state()));
  };
  if (options.once === true) {
    poll();
    return 0;
  }
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  process.stdout.once("error", () => stop.abort());
  await follow(poll, { folders: foldersOf(paths), everyMs, signal: stop.signal });
  return 0;
};

const foldersOf = (paths: readonly string[]): string[] => {
  if (paths.length > 0) return paths.map((path) => (/\.\w+$/.test(path) ? dirname(path) : path));
  const context = machineContext();
  return agents.flatMap(({ transcript }) =>
    (transcript?.locate(context) ?? []).map((place) => (/\.\w+$/.test(place) ? dirname(place) : place)),
  );
};

const savedState = (file: string) => {
  try {
    return parseJson(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};

/** Written beside and put in place, so that a kill leaves the old state or the new one. */
const saveState = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};
