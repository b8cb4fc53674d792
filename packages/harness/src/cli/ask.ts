import { connect, DaemonError, type Client } from "../client/index.ts";
import type { Context } from "./context.ts";

/** Asks the daemon and closes the connection. Fails with `daemon_not_running` and the like. */
export const ask = async <Answer>(
  context: Context,
  question: (client: Client) => Promise<Answer>,
): Promise<Answer> => {
  const client = await connect({ socket: context.paths.socket, name: "harness" });
  try {
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
