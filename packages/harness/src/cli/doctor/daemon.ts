import { existsSync, readFileSync } from "node:fs";
import { version } from "../../base/version.ts";
import { connect, DaemonError } from "../../client/index.ts";
import type { DaemonStatus } from "../../protocol/methods.ts";
import type { Context } from "../context.ts";
import type { Check } from "./check.ts";

/** Whether the daemon runs, and how; with its status when it does. */
export const daemonChecks = async ({
  paths,
}: Pick<Context, "paths">): Promise<{ checks: Check[]; daemon?: DaemonStatus }> => {
  try {
    const client = await connect({ socket: paths.socket, name: "harness doctor" });
    client.close();
    return { checks: statusChecks(client.daemon), daemon: client.daemon };
  } catch (error) {
    if (!(error instanceof DaemonError)) throw error;
    return { checks: [notUp(error, existsSync(paths.socket))] };
  }
};

const notUp = (error: DaemonError, socketLeft: boolean): Check => {
  if (error.code !== "daemon_not_running")
    return {
      name: "daemon",
      status: "error",
      detail: error.message,
      ...(error.hint && { hint: error.hint }),
    };
  const left = socketLeft ? "; the socket of one that is gone is still there, which the next replaces" : "";
  return {
    name: "daemon",
    status: "warn",
    detail: `not running${left}`,
    hint: "start it: harness daemon --detach",
  };
};

const statusChecks = (daemon: DaemonStatus): Check[] => [
  daemon.version === version
    ? { name: "daemon", status: "ok", detail: `version ${daemon.version}, pid ${daemon.pid}` }
    : {
        name: "daemon",
        status: "warn",
        detail: `version ${daemon.version}, and this is ${version}`,
        hint: "start the new one: harness daemon stop --leave-runs, harness daemon --detach",
      },
  ...(daemon.configProblem === undefined
    ? []
    : [
        {
          name: "reload",
          status: "error" as const,
          detail: `the daemon goes on with the configuration before: ${daemon.configProblem}`,
          hint: "correct the file; harness config check",
        },
      ]),
  ...(daemon.http === undefined ? [] : [{ name: "http", status: "ok" as const, detail: daemon.http }]),
  ...(daemon.httpProblem === undefined
    ? []
    : [
        {
          name: "http",
          status: "error" as const,
          detail: daemon.httpProblem,
          hint: "free the port or name another with [server] listen, then restart the daemon",
        },
      ]),
];

/** The daemon's own environment, which decides what its runs can be given; undefined where it cannot be read. */
export const environmentOf = (pid: number): Record<string, string> | undefined => {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return Object.fromEntries(
      entries.flatMap((entry) => {
        const at = entry.indexOf("=");
        return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)] as const] : [];
      }),
    );
  } catch {
    return undefined;
  }
};
