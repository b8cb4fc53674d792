import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { connect, DaemonError, type Client } from "../client/index.ts";
import type { DaemonStatus } from "../protocol/methods.ts";
import type { Context } from "./context.ts";
import { showWarning } from "./problem.ts";

/** A daemon has its own configuration; whoever names a file that is not there has mistyped it all the same. */
const refuseMissing = ({ config, cwd }: Context): void => {
  if (config.byOption !== true || existsSync(resolve(cwd, config.file))) return;
  throw new HarnessError("config_unreadable", `${config.file} does not exist`, {
    hint: "name another file with --config, or none: a running daemon has its own",
  });
};

const warnOfAnother = ({ config, cwd, err }: Context, daemon: DaemonStatus): void => {
  const named = resolve(cwd, config.file);
  if (config.byOption !== true || daemon.config === named) return;
  showWarning(err, `the daemon answers by ${daemon.config ?? "no configuration"}, not by ${named}`);
};

/** Asks the daemon and closes the connection. Fails with `daemon_not_running` and the like. */
export const ask = async <Answer>(
  context: Context,
  question: (client: Client) => Promise<Answer>,
): Promise<Answer> => {
  refuseMissing(context);
  const client = await connect({ socket: context.paths.socket, name: "harness" });
  try {
    warnOfAnother(context, client.daemon);
    return await question(client);
  } finally {
    client.close();
  }
};

/** Asks the daemon, or, when none is running, answers from what it left on disk. */
export const askOr = async <Answer>(
  context: Context,
  question: (client: Client) => Promise<Answer>,
  offline: () => Answer | Promise<Answer>,
): Promise<Answer> => {
  try {
    return await ask(context, question);
  } catch (error) {
    if (!(error instanceof DaemonError && error.code === "daemon_not_running")) throw error;
    return offline();
  }
};
