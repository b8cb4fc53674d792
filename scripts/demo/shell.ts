import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface ShellOptions {
  /** Folder of the programs' launchers. */
  programs: string;
  cwd: string;
  /** The whole environment of what is run. */
  env: Record<string, string>;
}

/** Shows each command as a user would type it, runs it, and lets its output through. */
export interface Shell {
  say(text: string): void;
  /** The exit code; a death by signal counts as 1. */
  run(program: string, args: readonly string[], options: { show: readonly string[] }): Promise<number>;
}

export const createShell = ({ programs, cwd, env }: ShellOptions): Shell => ({
  say: (text) => process.stdout.write(`${text}\n`),
  run: async (program, args, { show }) => {
    process.stdout.write(`$ ${show.join(" ")}\n`);
    const child = spawn(join(programs, program), args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
    await once(child, "exit");
    return child.exitCode ?? 1;
  },
});
