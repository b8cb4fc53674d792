import { spawnSync } from "node:child_process";

/** What a bench of memory runs: a module's text, which finds its arguments in `process.argv` from 1 on. */
export interface Probe {
  module: string;
  args: readonly string[];
  /** As the program's launcher starts it. */
  heapFlags: readonly string[];
}

/** The most memory that a probe's process took, in MB. Throws where the packages that it loads are not built. */
export function peakMemory({ module, args, heapFlags }: Probe): number {
  const text = `${module}\nconsole.log(Math.round(process.resourceUsage().maxRSS / 1024));`;
  const flags = [...heapFlags, "--input-type=module", "--eval", text];
  const child = spawnSync(process.execPath, [...flags, ...args], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`build the packages first (npm run types)\n${child.stderr}`);
  return Number(child.stdout.trim());
}
