import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../context.ts";
import type { Check } from "./check.ts";

/** Whether the state folder and what lies in it are the operator's alone. */
export const stateChecks = ({ paths }: Pick<Context, "paths">): Check[] => {
  const folder = statSync(paths.dir, { throwIfNoEntry: false });
  if (folder === undefined)
    return [{ name: "state folder", status: "ok", detail: `${paths.dir} is made by the first daemon` }];
  if (process.getuid !== undefined && folder.uid !== process.getuid()) {
    const hint = "name your own, with --state-dir or HARNESS_STATE_DIR";
    return [{ name: "state folder", status: "error", detail: `${paths.dir} belongs to another user`, hint }];
  }
  const open = [
    ...(folder.mode & 0o077 ? [`${paths.dir} ${modeOf(folder.mode)}`] : []),
    ...[paths.store, paths.daemonLog, paths.socket].flatMap((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat !== undefined && stat.mode & 0o077 ? [`${file} ${modeOf(stat.mode)}`] : [];
    }),
  ];
  if (open.length === 0) return [{ name: "state folder", status: "ok", detail: paths.dir }];
  const hint = `close it: chmod -R go-rwx ${paths.dir}`;
  return [{ name: "state folder", status: "error", detail: `open to others: ${open.join(", ")}`, hint }];
};

const modeOf = (mode: number): string => `0${(mode & 0o777).toString(8)}`;

/** A service whose stop would end the keeper takes every run with it. */
export const serviceChecks = ({ env, home }: Pick<Context, "env" | "home">): Check[] => {
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const file = join(config, "systemd", "user", "harness.service");
  if (!existsSync(file)) return [];
  if (/^KillMode=process$/m.test(readFileSync(file, "utf8")))
    return [{ name: "service", status: "ok", detail: file }];
  return [
    {
      name: "service",
      status: "error",
      detail: `${file} lacks KillMode=process: a crash of the daemon would end its runs`,
      hint: "write it anew: harness service install",
    },
  ];
};
