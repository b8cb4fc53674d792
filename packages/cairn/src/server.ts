import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { RuleFile } from "@orphus/agent-trace/redact";
import { createApp } from "./api/app.ts";
import { refuseOpenHost } from "./guard.ts";
import type { TraceStore } from "./store/store.ts";

export interface ServerOptions {
  /** Closed with the server. */
  store: TraceStore;
  /** A name or address of this machine; default `127.0.0.1`. Other than loopback needs a token. */
  host?: string;
  /** 0 takes a free one. */
  port: number;
  /** What a writer has to show. */
  token?: string;
  /** Rule files of the operator, which mask beside the built-in rules. */
  rules?: readonly RuleFile[];
  /** Where the server is reached from outside, when not at its own address. */
  baseUrl?: string;
  /** Milliseconds that a run is kept; default 7 days. */
  keepMs?: number;
  now?: () => Date;
  /** Told of errors that are the server's own; default: standard error. */
  report?: (message: string) => void;
}

export interface RunningServer {
  url: string;
  /** Takes no new requests, gives those under way two seconds, and closes the store. */
  close(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const SWEEP_MS = 60 * 60 * 1000;
const CLOSE_MS = 2000;

/**
 * Starts a server.
 * @throws {RefusedError} for a host beyond loopback without a token.
 * @throws when the address cannot be taken.
 */
export const startServer = async (options: ServerOptions): Promise<RunningServer> => {
  const { store, host = "127.0.0.1", port, token } = options;
  refuseOpenHost(host, token);
  const now = options.now ?? ((): Date => new Date());
  const report = options.report ?? ((message: string): void => console.error(`cairn: ${message}`));
  let url = options.baseUrl?.replace(/\/+$/, "") ?? "";
  const app = createApp({
    store,
    token,
    ...(options.rules === undefined ? {} : { rules: options.rules }),
    baseUrl: () => url,
    keepMs: options.keepMs ?? 7 * DAY_MS,
    now,
    report,
  });
  const listener = getRequestListener(app.fetch);
  const server = createServer((request, response) => {
    listener(request, response).catch((error: unknown) => report(String(error)));
  });
  const boundPort = await listen(server, port, host);
  if (url === "") url = `http://${host.includes(":") ? `[${host}]` : host}:${boundPort}`;

  const sweep = (): void => {
    store.deleteExpired(now()).catch((error: unknown) => report(String(error)));
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_MS);
  timer.unref();
  return {
    url,
    close: async () => {
      clearInterval(timer);
      await closeServer(server);
      await store.close();
    },
  };
};

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });

const closeServer = async (server: Server): Promise<void> => {
  const closed = new Promise((resolve) => server.close(resolve));
  const patience = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(patience);
};
