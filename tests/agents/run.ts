import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { Place, RealAgent } from "./agents/real-agent.ts";
import type { Played } from "./model/played.ts";
import type { Script } from "./model/script.ts";
import { startModelServer } from "./model/server.ts";
import { modelOf, type Scenario } from "./scenario.ts";

/** A run of an agent that has ended. */
export interface AgentRun {
  place: Place;
  script: Script;
  played: Played;
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Where one test's agent lives and works. */
export interface Folders {
  home: string;
  work: string;
}

/** Folders of a test's own, gone when it ends. */
const makeFolders = (t: TestContext): Folders => {
  const root = mkdtempSync(join(tmpdir(), "ha-"));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const folders = { home: join(root, "home"), work: join(root, "work") };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  return folders;
};

/** Makes a working folder under git and a model server that plays the scenario, and points the agent at it. */
export const makePlace = async (
  t: TestContext,
  agent: RealAgent,
  scenario: Scenario,
  { home, work }: Folders,
): Promise<{ place: Place; script: Script; played: Played }> => {
  const script = scenario.script(agent, work);
  if (script === undefined) throw new Error(`${agent.name} cannot do "${scenario.name}"`);
  writeFileSync(join(work, "notes.md"), "line one\nline two\nline three\n");
  commitAll(work, home);
  const server = await startModelServer(script);
  t.after(() => server.close());
  const place = { home, work, modelUrl: server.url };
  agent.prepare(place);
  return { place, script, played: server.played };
};

const commitAll = (folder: string, home: string): void => {
  const git = (...args: string[]): void => {
    execFileSync("git", ["-C", folder, "-c", "user.name=Test", "-c", "user.email=test@invalid", ...args], {
      env: { PATH: "/usr/bin:/bin", HOME: home },
      stdio: "ignore",
    });
  };
  git("init", "--quiet", "--initial-branch", "main");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
};

/** All that an agent's process is given. */
export const environmentOf = (agent: RealAgent, { home, modelUrl }: Place): Record<string, string> => ({
  HOME: home,
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  LANG: "C.UTF-8",
  TERM: "dumb",
  ...agent.environment(modelUrl),
});

/** Longest that one run may take. */
const limitMs = 100_000;

/** Runs an agent once on a scenario, to its end or until it is interrupted. */
export const runAgent = async (
  t: TestContext,
  agent: RealAgent,
  modules: string,
  scenario: Scenario,
): Promise<AgentRun> => {
  const { place, script, played } = await makePlace(t, agent, scenario, makeFolders(t));
  const [file, ...args] = agent.command(modules);
  const child = spawn(file, [...args, ...agent.args(scenario.prompt, modelOf(scenario, agent))], {
    cwd: place.work,
    env: environmentOf(agent, place),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const group = child.pid;
  if (group === undefined) throw new Error(`${agent.name} did not start`);
  const ended = new AbortController();
  const timer = setTimeout(() => signalGroup(group, "SIGKILL"), limitMs);
  const interrupt = scenario.interruptOn;
  const interrupting =
    interrupt === undefined
      ? undefined
      : appears(place.work, interrupt, ended.signal).then((did) => did && signalGroup(group, "SIGINT"));
  child.once("exit", () => {
    ended.abort();
    clearTimeout(timer);
    // What it left behind holds its pipes open, and is of no use to anybody.
    signalGroup(group, "SIGKILL");
  });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
    interrupting,
  ]);
  return { place, script, played, code: child.exitCode, signal: child.signalCode, stdout, stderr };
};

const signalGroup = (group: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-group, signal);
  } catch {
    // It is gone.
  }
};

/** Waits until a file appears in a folder; false when the wait was ended. */
const appears = async (folder: string, name: string, signal: AbortSignal): Promise<boolean> => {
  try {
    for await (const { filename } of watch(folder, { signal })) if (filename === name) return true;
  } catch {
    // Aborted: the run is over.
  }
  return false;
};
