import { connect } from "../../client/index.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";
import { styled } from "../style.ts";

/** Stops the daemon, with or without its runs, and returns when it is gone: the connection is the last thing it lets go of. */
export const daemonStop = async (context: Context, leaveRuns: boolean): Promise<number> => {
  const client = await connect({ socket: context.paths.socket, name: "harness" });
  const stopped = await client.call("shutdown", { leaveRuns });
  await client.closed;
  if (context.json) writeJson(context.out, stopped);
  else context.out.write(`${styled(context.out, "faint", "○")} daemon → stopped (pid ${stopped.pid})\n`);
  return 0;
};
