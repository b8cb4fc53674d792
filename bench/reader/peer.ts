import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { installPeer } from "../peer.ts";
import { generate } from "./generate.ts";

const fileBytes = 24 * 1024 * 1024;
const files = 4;
const rounds = 3;

/** The last version that is JavaScript, and the newest native one whose platform packages are all published. */
const scripted = "18.0.10";
const native = "20.0.24";

interface Program {
  command: string;
  args: readonly string[];
}

const program = (): Program => ({
  command: join(import.meta.dirname, "..", "..", "packages", "agent-trace", "bin", "agent-trace"),
  args: ["usage", "--json"],
});

const peerName: string = "ccusage";

const scriptedPeer = (): Program | undefined => {
  const require = installPeer(peerName, { [peerName]: scripted });
  const args = ["daily", "--json", "--offline"];
  return require && { command: process.execPath, args: [require.resolve(peerName), ...args] };
};

const nativePeer = (): Program | undefined => {
  const name = `@ccusage/ccusage-${process.platform}-${process.arch}`;
  const require = installPeer(name.slice(1).replace("/", "-"), { [name]: native });
  if (require === undefined) return undefined;
  const command = require.resolve(`${name}/bin/ccusage`);
  chmodSync(command, 0o700);
  return { command, args: ["claude", "daily", "--json", "--offline"] };
};

/** CPU seconds of a program and all it starts, in a home directory and an environment of its own. */
const cpuSeconds = ({ command, args }: Program, home: string): number => {
  // On its second line, `times` tells of the shell's children.
  const script = '"$@" >/dev/null || exit; times';
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, "bash", command, ...args], {
    cwd: home,
    env: { HOME: home, PATH: process.env["PATH"] },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const [user = "", system = ""] = (stdout.split("\n")[1] ?? "").split(" ");
  return seconds(user) + seconds(system);
};

/** `0m1.234s` as seconds. */
const seconds = (time: string): number => {
  const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(time) ?? [];
  return Number(minutes) * 60 + Number(rest);
};

/** Prints how much of a CPU second `usage` takes against the two editions of `ccusage`, on the same files. */
export const comparePeer = (folder: string): void => {
  const home = join(folder, "home");
  const sessions = join(home, ".claude", "projects", "-home-dev-shop");
  mkdirSync(sessions, { recursive: true });
  for (let file = 0; file < files; file += 1)
    generate(join(sessions, `3f6700f9-b812-40d3-8369-eaea590497f${file}.jsonl`), "claude-code", fileBytes);
  const best = (each: Program): number =>
    Math.min(...Array.from({ length: rounds }, () => cpuSeconds(each, home)));
  const ours = best(program());
  console.log(
    `usage of ${files} sessions of Claude Code, ${((files * fileBytes) / 1e6).toFixed(0)} MB: ${ours.toFixed(2)} CPU s`,
  );
  for (const [name, peer] of [
    [`ccusage ${scripted} (JavaScript)`, scriptedPeer()],
    [`ccusage ${native} (native)`, nativePeer()],
  ] as const) {
    if (peer === undefined) console.log(`  ${name} could not be installed`);
    else {
      const theirs = best(peer);
      console.log(`  ${name.padEnd(30)} ${theirs.toFixed(2)} CPU s, ${(theirs / ours).toFixed(2)} of ours`);
    }
  }
};
