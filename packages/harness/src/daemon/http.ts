import type { Log } from "../base/log.ts";
import type { Config } from "../config/definition.ts";
import { listen, type Listener } from "../server/http.ts";
import { routes } from "../server/routes.ts";
import type { Webhooks } from "../trigger/webhooks.ts";

/** The daemon's HTTP side, which it has only where something is to be answered there. */
export interface HttpSide {
  /** Where it listens. */
  readonly url?: string;
  /** Why it does not, although it should. */
  readonly problem?: string;
  close(): Promise<void>;
}

const LOOPBACK = /^(?:127\.|::1$|localhost$)/;

/**
 * Listens where the configuration says, when there are webhooks. A port that is taken does not keep the daemon from doing
 * the rest of its work: it is an error in its log and in `daemon status`.
 */
export const openHttp = async (config: Config, webhooks: Webhooks, log: Log): Promise<HttpSide> => {
  if (!webhooks.any) return { close: async () => undefined };
  try {
    const listener: Listener = await listen(config.server, routes(webhooks));
    log.info(`listening on ${listener.url}`);
    if (!LOOPBACK.test(config.server.host))
      log.warn(`${listener.url} is open to other machines; what comes there is not encrypted`);
    return { url: listener.url, close: () => listener.close() };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    log.error(problem);
    return { problem, close: async () => undefined };
  }
};
