import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { RealAgent } from "./agents/real-agent.ts";

/** Where agents are installed, each version in a folder of its own. */
export interface Installs {
  root: string;
}

export type Installed = { modules: string; wasThere: boolean } | { error: string };

/** The folder that `npm run test:agents` was told of or chose. */
export const installsHere = (): Installs => ({
  root: process.env["AGENT_INSTALLS"] ?? join(homedir(), ".cache", "harness-agents"),
});

const folderOf = ({ root }: Installs, { name, packages: [own] }: RealAgent): string =>
  join(root, `${name}-${own.version}`);

/** The installed packages of an agent, or undefined. */
export const installedModules = (installs: Installs, agent: RealAgent): string | undefined => {
  const modules = join(folderOf(installs, agent), "node_modules");
  return existsSync(modules) ? modules : undefined;
};

/**
 * Installs an agent's packages by their exact versions, with npm as this environment configures it and without running
 * their scripts. The folder appears whole or not at all.
 */
export const install = (installs: Installs, agent: RealAgent): Installed => {
  const there = installedModules(installs, agent);
  if (there !== undefined) return { modules: there, wasThere: true };
  const folder = folderOf(installs, agent);
  const partial = `${folder}.${process.pid}.part`;
  mkdirSync(partial, { recursive: true });
  const dependencies = Object.fromEntries(agent.packages.map(({ name, version }) => [name, version]));
  writeFileSync(join(partial, "package.json"), JSON.stringify({ private: true, dependencies }));
  // This npm runs on the repository's Node: on an older one it would pick older dependencies.
  const { status, stderr, error } = spawnSync(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"],
    { cwd: partial, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] },
  );
  if (status === 0) renameSync(partial, folder);
  rmSync(partial, { recursive: true, force: true });
  const modules = installedModules(installs, agent);
  return modules === undefined ? { error: error?.message ?? lastLine(stderr) } : { modules, wasThere: false };
};

const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .find((line) => line.trim() !== "") ?? "npm failed";
