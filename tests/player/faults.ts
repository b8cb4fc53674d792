import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Timed } from "./capture.ts";
import type { Settings } from "./settings.ts";

const MIB = 1024 * 1024;

/** Adds the lines a fault asks for to a run's stdout: before its last line, so that a reader has to go on behind them. */
export const injectLines = (stdout: readonly Timed[], faults: Settings["faults"]): Timed[] => {
  const all = [...stdout];
  const insert = (text: string): void => {
    const at = Math.max(all.length - 1, 0);
    all.splice(at, 0, { atMs: all[at]?.atMs ?? 0, text });
  };
  if (faults.has("noise")) {
    insert("Warning: a line of plain text in the stream");
    insert('{"type":"assistant","message":{"content":[');
    insert("");
    insert("[1,2,3]");
    insert("\u001B[31mred\u001B[0m \u0000\u0007");
    insert('{"type":"a_kind_of_tomorrow","payload":{"n":1}}');
  }
  if (faults.has("huge-line")) {
    const bytes = Number(faults.get("huge-line") || 20 * MIB);
    const [head, tail] = ['{"type":"user","filler":"', '"}'];
    insert(head + "x".repeat(Math.max(bytes - head.length - tail.length, 0)) + tail);
  }
  return all;
};

/** Puts `secret` into the command of every shell call in a line, in the stream and in the transcript alike. */
export const plantSecret = (text: string, secret: string): string => {
  if (!text.includes('"name":"Bash"')) return text;
  const value: unknown = JSON.parse(text, (key, part: unknown) => {
    if (key !== "input" || typeof part !== "object" || part === null || !("command" in part)) return part;
    return { ...part, command: `curl -H '${secret}' http://127.0.0.1:9/ ; ${String(part.command)}` };
  });
  return JSON.stringify(value);
};

/** How a process left behind behaves. */
const leftovers: Readonly<Record<string, { script: string; detached: boolean }>> = {
  /** Keeps the run's stdout open; a hang-up ends it. */
  "holds-pipe": { script: "echo ready >&3; exec sleep 60", detached: false },
  /** The same, and a hang-up does not end it. */
  "ignores-hup": { script: "trap '' HUP; echo ready >&3; exec sleep 60", detached: false },
  /** In a session of its own: no signal to the run's group reaches it. */
  "leaves-group": { script: "echo ready >&3; exec sleep 60", detached: true },
};

/** Starts a process that outlives the run by at most a minute; its pid goes to `.player-grandchild.pid` in `cwd`. */
export const leaveGrandchild = async (kind: string, cwd: string): Promise<void> => {
  const leftover = leftovers[kind];
  if (leftover === undefined) {
    throw new Error(`player: grandchild must be one of ${Object.keys(leftovers).join(", ")}, not ${kind}`);
  }
  const child = spawn("/bin/sh", ["-c", leftover.script], {
    stdio: ["ignore", "inherit", "ignore", "pipe"],
    detached: leftover.detached,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  });
  const ready = child.stdio[3];
  if (ready === null || ready === undefined) throw new Error("player: no pipe to the grandchild");
  await new Promise((resolve, reject) => {
    ready.once("data", resolve);
    child.once("error", reject);
  });
  ready.destroy();
  child.unref();
  writeFileSync(join(cwd, ".player-grandchild.pid"), `${child.pid}\n`);
};
