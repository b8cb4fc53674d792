/**
 * Runs the real agent programs against a model server on this machine, and checks what is recorded of them against the
 * script that the server played. Usage: `npm run test:agents [-- AGENT…]`. See docs/design/real-agents.md.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { runTests } from "../../scripts/run-tests.ts";
import { realAgents } from "./agents/all.ts";
import type { RealAgent } from "./agents/real-agent.ts";
import { install, installsHere } from "./install.ts";

/** Set where this program has entered a network of its own. */
const isolated = "AGENT_TESTS_ISOLATED";

/** The whole environment of the tests: an agent's is made from nothing once more. */
const cleanEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: homedir(),
  LANG: "C.UTF-8",
  AGENT_INSTALLS: resolve(installsHere().root),
  [isolated]: "1",
});

/** A network namespace with its loopback up, where an agent cannot reach anything else. Undefined where there is none. */
const networkOfItsOwn = (): [file: string, ...args: string[]] | undefined => {
  const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const args = [...asRoot, "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"'];
  return spawnSync("unshare", [...args, "true"]).status === 0 ? ["unshare", ...args] : undefined;
};

const installAll = (agents: readonly RealAgent[]): void => {
  for (const agent of agents) {
    const startedAt = performance.now();
    const result = install(installsHere(), agent);
    const name = `${agent.name} ${agent.packages[0].version}`;
    if ("error" in result)
      console.log(`${name}: cannot be installed here, its tests are skipped: ${result.error}`);
    else if (result.wasThere) console.log(`${name}: installed before`);
    else console.log(`${name}: installed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
};

const named = (names: readonly string[]): RealAgent[] => {
  const unknown = names.filter((name) => !realAgents.some((agent) => agent.name === name));
  if (unknown.length > 0) {
    const known = realAgents.map(({ name }) => name).join(", ");
    throw new Error(`no such agent: ${unknown.join(", ")}; there are ${known}`);
  }
  return realAgents.filter(({ name }) => names.length === 0 || names.includes(name));
};

const main = async (names: readonly string[]): Promise<void> => {
  const agents = named(names);
  if (process.env[isolated] !== undefined) {
    const files = agents.map(({ name }) => join(import.meta.dirname, `${name}.live.ts`));
    runTests(files, { timeoutMs: 150_000, concurrency: 2, mayAllBeSkipped: true });
    return;
  }
  const network = networkOfItsOwn();
  if (network === undefined) {
    console.log(
      "agents run only where the network can be cut off (unshare and ip, Linux): all tests are skipped",
    );
    console.log(`0 passed, 0 failed, ${agents.length} skipped`);
    return;
  }
  installAll(agents);
  const [file, ...args] = network;
  const child = spawn(
    file,
    [...args, process.execPath, ...process.execArgv, import.meta.filename, ...names],
    {
      env: cleanEnvironment(),
      stdio: "inherit",
    },
  );
  await once(child, "close");
  process.exitCode = child.exitCode ?? 1;
};

await main(process.argv.slice(2));
