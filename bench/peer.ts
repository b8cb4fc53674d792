import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Packages that a bench compares with, installed by exact version and without their scripts into a temporary folder,
 * where the next run finds them. `undefined` where they cannot be installed.
 */
export function installPeer(name: string, dependencies: Record<string, string>): NodeJS.Require | undefined {
  const versions = Object.values(dependencies).join("-");
  const folder = join(tmpdir(), `bench-${process.getuid?.() ?? 0}-${name}-${versions}`);
  if (!existsSync(folder)) {
    const partial = `${folder}.${process.pid}`;
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    writeFileSync(join(partial, "package.json"), JSON.stringify({ private: true, dependencies }));
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status } = spawnSync("npm", ["install", ...flags], { cwd: partial, stdio: "ignore" });
    if (status === 0) renameSync(partial, folder);
    else rmSync(partial, { recursive: true, force: true });
  }
  return existsSync(folder) ? createRequire(join(folder, "package.json")) : undefined;
}
