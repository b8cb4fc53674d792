import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { HarnessError } from "../../base/errors.ts";
import { connect, DaemonError } from "../../client/index.ts";
import type { ErrorShape } from "../../protocol/methods.ts";
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
  // The type knows three streams; the fourth is the readable end of what `stdio` asks for.
  const report = child.stdio[READY_FD] as Readable;
  const failure = started(await text(report));
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

/** What the child said of its start: `ok`, an error's shape, or nothing when it died first. */
const started = (report: string): Error | undefined => {
  if (report === "ok") return undefined;
  const error = readShape(report);
  if (error !== undefined) return new DaemonError(error.code, error.message, { hint: error.hint });
  return new HarnessError("internal", "The daemon ended before it was up.", {
    hint: "start it in the foreground to see why: harness daemon",
  });
};

const readShape = (report: string): ErrorShape["error"] | undefined => {
  try {
    // Written by our own daemon a moment ago, from the same type.
    return (JSON.parse(report) as ErrorShape).error;
  } catch {
    return undefined;
  }
};
