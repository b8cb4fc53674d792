import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Ends, once its input is closed, every process that belongs to a state folder: agents by the mark in their environment,
 * daemon and keeper by the folder in theirs or among their arguments. Its input is closed by the system when the test's
 * process is killed, so that nothing outlives that either.
 */
const SWEEP = `
cat > /dev/null
for proc in /proc/[0-9]*; do
  pid=\${proc#/proc/}
  [ "$pid" = $$ ] && continue
  if tr '\\0' '\\n' < "$proc/environ" 2> /dev/null | grep -qxF "HARNESS_STATE_DIR=$STATE" ||
     tr '\\0' '\\n' < "$proc/cmdline" 2> /dev/null | grep -qF "$STATE/keeper-"; then
    kill -9 "$pid" 2> /dev/null
  fi
done
exit 0
`;

export interface Sweep {
  /** Sweeps now, and resolves when nothing is left. */
  end(): Promise<void>;
}

export const sweepAfter = (state: string): Sweep => {
  const sweeper = spawn("/bin/sh", ["-c", SWEEP], {
    env: { PATH: "/usr/bin:/bin", STATE: state },
    // In a group of its own: what ends the test's group must not end it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(sweeper, "exit");
  sweeper.unref();
  return {
    end: async () => {
      sweeper.stdin.end();
      await ended;
    },
  };
};
