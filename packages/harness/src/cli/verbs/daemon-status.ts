import { connect } from "../../client/index.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";
import { writeTable } from "../table.ts";
import { duration } from "../../view/amounts.ts";

/** Says how the daemon is. Fails when it is not running. */
export const daemonStatus = async (context: Context): Promise<number> => {
  const client = await connect({ socket: context.paths.socket, name: "harness" });
  client.close();
  const { daemon } = client;
  if (context.json) {
    writeJson(context.out, daemon);
    return 0;
  }
  const fields: [string, string][] = [
    ["version", daemon.version],
    ["protocol", daemon.protocol],
    ["pid", String(daemon.pid)],
    ["up", duration(Math.max(0, context.now() - Date.parse(daemon.startedAt)))],
    ["socket", daemon.socket],
    ["state folder", daemon.stateDir],
    ["configuration", daemon.config ?? "none"],
    ...(daemon.configProblem === undefined
      ? []
      : [["not in force", daemon.configProblem.split("\n")[0] ?? ""] satisfies [string, string]]),
    ["harnesses", String(daemon.harnesses)],
    ["running", String(daemon.running)],
    ...(daemon.http === undefined ? [] : [["http", daemon.http] satisfies [string, string]]),
    ...(daemon.httpProblem === undefined ? [] : [["http", daemon.httpProblem] satisfies [string, string]]),
  ];
  const columns = [{ title: "FIELD" }, { title: "VALUE", gives: true }];
  writeTable(
    context.out,
    columns,
    fields.map((cells) => ({ cells })),
  );
  return 0;
};
