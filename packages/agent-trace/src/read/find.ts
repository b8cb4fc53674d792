import { readdirSync, readFileSync, realpathSync, statSync, type Dirent } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Agent, LocateContext, TranscriptFormat } from "../agent.ts";
import { agents } from "../agents/registry.ts";
import type { AgentName } from "../item.ts";

/** A file that may hold sessions. */
export interface FoundFile {
  path: string;
  bytes: number;
  /** Last change, in ms since 1970. */
  modified: number;
  /** Known from where it lies. */
  agent?: AgentName;
}

/** What decides where agents keep their records on this machine. */
export const machineContext = (): LocateContext => ({
  home: homedir(),
  env: process.env,
  cwd: process.cwd(),
  read: readSmall,
});

/** Longest list of places that is read. */
const smallBytes = 4 * 1024 * 1024;

const readSmall = (path: string): string | undefined => {
  try {
    return statSync(path).size > smallBytes ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};

/** A folder nested deeper holds no sessions. */
const depthLimit = 12;

/** Files below a folder. Links to folders are not followed, so that a loop ends. */
const filesBelow = (folder: string, depth: number, found: string[]): void => {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (depth < depthLimit) filesBelow(path, depth + 1, found);
    } else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
  }
};

const describe = (path: string, agent?: AgentName): FoundFile[] => {
  try {
    const { size, mtimeMs } = statSync(path);
    if (!statSync(path).isFile()) return [];
    return [{ path, bytes: size, modified: mtimeMs, ...(agent === undefined ? {} : { agent }) }];
  } catch {
    return [];
  }
};

/** False for what is not there and for links in a circle, which `stat` throws at. */
const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

/** The files a command line names: files as they are, folders with everything in them that may be an agent's. */
export const filesOf = (paths: readonly string[]): FoundFile[] =>
  paths.flatMap((path) => {
    if (!isFolder(path)) return describe(path);
    const found: string[] = [];
    filesBelow(path, 0, found);
    return found
      .filter((file) => /\.(?:jsonl|db)$/.test(file) || isKnown(file))
      .flatMap((file) => describe(file));
  });

const isKnown = (path: string): boolean =>
  agents.some((agent) => agent.transcript?.isSessionFile(path) === true);

/** The sessions' files on this machine, of every agent, each file once. */
export const locateSessions = (context: LocateContext): FoundFile[] => {
  const seen = new Set<string>();
  return agents.flatMap((agent) =>
    agent.transcript === undefined
      ? []
      : filesOfAgent(agent, agent.transcript, context).filter(({ path }) => {
          const real = realPath(path);
          if (seen.has(real)) return false;
          seen.add(real);
          return true;
        }),
  );
};

const filesOfAgent = (agent: Agent, transcript: TranscriptFormat, context: LocateContext): FoundFile[] =>
  transcript.locate(context).flatMap((place) => {
    if (!isFolder(place)) {
      return transcript.isSessionFile(place) ? describe(place, agent.name) : [];
    }
    const found: string[] = [];
    filesBelow(place, 0, found);
    return found
      .filter((path) => transcript.isSessionFile(path))
      .flatMap((path) => describe(path, agent.name));
  });

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};
