import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { HarnessError } from "../../base/errors.ts";
import { connect, DaemonError } from "../../client/index.ts";
import { parseResponse } from "../../protocol/messages.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";
import { styled } from "../style.ts";

/** The daemon in the foreground, or a detached one that is up when this returns. */
export const daemon = async (
  context: Context,
  options: { detach?: boolean; readyFd?: number },
): Promise<number> => {
  if (options.detach === true) return detach(context);
  return context.startDaemon({
    config: context.config,
    stateDir: context.paths.dir,
    home: context.home,
    cwd: context.cwd,
    env: context.env,
    ...(options.readyFd !== undefined && { readyFd: options.readyFd }),
  });
};

/** The child's descriptor for its one word; 0 to 2 lead nowhere. */
const READY_FD = 3;

const detach = async (context: Context): Promise<number> => {
  const child = spawn(process.execPath, [...process.execArgv, ...ownArguments(context)], {
    cwd: context.cwd,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const report = child.stdio[READY_FD];
  const failure = failureIn(report instanceof Readable ? await text(report) : "");
  child.unref();
  if (failure !== undefined) throw failure;
  const client = await connect({ socket: context.paths.socket, name: "harness" });
  client.close();
  if (context.json) writeJson(context.out, client.daemon);
  else {
    const { pid, harnesses } = client.daemon;
    const noun = harnesses === 1 ? "harness" : "harnesses";
    context.out.write(
      `${styled(context.out, "good", "●")} daemon → running (pid ${pid}, ${harnesses} ${noun})\n`,
    );
  }
  return 0;
};

const ownArguments = ({ config, paths }: Context): string[] => [
  ...process.argv.slice(1, 2),
  "--state-dir",
  paths.dir,
  // An unnamed file may be missing; naming it would change that.
  ...(config.explicit ? ["--config", config.file] : []),
  "daemon",
  "--ready-fd",
  String(READY_FD),
];

/** Why the child did not come up, by its own word, or by its silence when it died first. */
const failureIn = (report: string): Error | undefined => {
  const response = parseResponse(report);
  if (response === undefined) {
    return new HarnessError("internal", "The daemon ended before it was up.", {
      hint: "start it in the foreground to see why: harness daemon",
    });
  }
  if ("result" in response) return undefined;
  const { message, data } = response.error;
  return new DaemonError(data?.code ?? "internal", message, { hint: data?.hint });
};
