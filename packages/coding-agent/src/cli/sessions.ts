import { join, resolve } from "node:path";
import { Command } from "commander";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { agentDir } from "../session/paths.ts";
import { pruneSession } from "../session/prune.ts";
import { onTerminal, parseInto, UNUSABLE } from "./verb.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** All session files under a folder, its own folders included. */
const sessionFiles = async (fs: HarnessCapabilities["fs"], folder: string): Promise<string[]> => {
  if ((await fs.stat(folder))?.isDirectory !== true) return [];
  const found: string[] = [];
  for (const name of await fs.readdir(folder)) {
    const path = join(folder, name);
    if ((await fs.stat(path))?.isDirectory === true) found.push(...(await sessionFiles(fs, path)));
    else if (name.endsWith(".jsonl")) found.push(path);
  }
  return found;
};

const olderThan = async (
  { fs, clock }: HarnessCapabilities,
  files: readonly string[],
  days: number,
): Promise<string[]> => {
  const old: string[] = [];
  for (const file of files)
    if (((await fs.stat(file))?.modifiedMs ?? 0) < clock.now() - days * DAY_MS) old.push(file);
  return old;
};

const prune = async (
  capabilities: HarnessCapabilities,
  named: readonly string[],
  days: number,
): Promise<void> => {
  const { fs, process, terminal } = capabilities;
  const folder = process.env["ORPHUS_CODING_AGENT_SESSION_DIR"] ?? join(agentDir(process), "sessions");
  const files =
    named.length > 0
      ? named.map((file) => resolve(process.cwd, file))
      : await olderThan(capabilities, await sessionFiles(fs, resolve(process.cwd, folder)), days);
  let freed = 0;
  for (const file of files) {
    const { records, bytesBefore, bytesAfter } = await pruneSession(fs, file);
    freed += bytesBefore - bytesAfter;
    terminal.write(`${file}: ${records} bodies dropped, ${bytesBefore} -> ${bytesAfter} bytes\n`);
  }
  terminal.write(`${files.length} ${files.length === 1 ? "session" : "sessions"}, ${freed} bytes freed\n`);
};

/** `orphus sessions prune [FILE…] [--older-than DAYS]` */
export const runSessions = async (
  args: readonly string[],
  capabilities: HarnessCapabilities,
): Promise<number> => {
  const { terminal } = capabilities;
  let asked: { files: string[]; days: number } | undefined;
  const command = onTerminal(new Command("orphus sessions"), terminal).description(
    "Session files on this machine.",
  );
  onTerminal(command.command("prune"), terminal)
    .description("drop recorded request and response bodies; hashes and the conversation stay")
    .argument("[files...]", "these session files, however old; not one that is being worked on")
    .option("--older-than <days>", "without files: those untouched for so long", String(DEFAULT_DAYS))
    .action((files: string[], options: { olderThan: string }) => {
      asked = { files, days: Number(options.olderThan) };
    });
  const exitCode = parseInto(command, args);
  if (exitCode !== undefined || asked === undefined) return exitCode ?? UNUSABLE;
  if (!(asked.days >= 0)) {
    terminal.writeError("orphus: --older-than takes a number of days\n");
    return UNUSABLE;
  }
  await prune(capabilities, asked.files, asked.days);
  return 0;
};
