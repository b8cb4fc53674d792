import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP, type AddressInfo } from "node:net";
import { HarnessError } from "../base/errors.ts";

/** What is answered. Bodies are JSON, text is plain. */
export interface HttpAnswer {
  status: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** A request whose body has not been read. */
export interface HttpRequest {
  method: string;
  /** Without the query. */
  path: string;
  /** Names in lower case; a header that came more than once is left out. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The body; undefined when it is longer than `limit` bytes, or was not sent whole. */
  body(limit: number): Promise<Uint8Array | undefined>;
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;

export interface Listener {
  /** `http://127.0.0.1:4270` */
  readonly url: string;
  /** Takes nothing more, and resolves when every connection has ended. */
  close(): Promise<void>;
}

/** More requests at once are turned away. */
const IN_FLIGHT_LIMIT = 64;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 60_000;

/** Listens for HTTP on one address. Rejects with what to do when it is taken. */
export const listen = async (
  { host, port }: { host: string; port: number },
  handler: HttpHandler,
): Promise<Listener> => {
  let inFlight = 0;
  const server = createServer((request, response) => {
    if (inFlight >= IN_FLIGHT_LIMIT) {
      send(response, { status: 503, body: { error: "busy" }, headers: { "retry-after": "1" } });
      return;
    }
    inFlight += 1;
    answer(request, response, handler)
      .catch(() => response.destroy())
      .finally(() => (inFlight -= 1));
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = IDLE_TIMEOUT_MS;
  // A client that breaks off is nobody's concern.
  server.on("clientError", (_error, socket) => socket.destroy());
  const address = await bound(server, host, port);
  const shown = isIP(address.address) === 6 ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const bound = (server: Server, host: string, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new HarnessError("listen_failed", `Nothing listens on ${host}:${port}: ${error.message}`, {
          hint: "name another address with [server] listen",
          cause: error,
        }),
      ),
    );
    server.listen(port, host, () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address);
    });
  });

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  handler: HttpHandler,
): Promise<void> => {
  const [path = "/"] = (request.url ?? "/").split("?", 1);
  const reply = await handler({
    method: request.method ?? "GET",
    path,
    headers: Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values]) => [
        name,
        values?.length === 1 ? values[0] : undefined,
      ]),
    ),
    body: (limit) => readBody(request, limit),
  });
  send(response, reply);
};

const readBody = async (request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> => {
  if (Number(request.headers["content-length"] ?? 0) > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream without an encoding gives bytes
      const part = chunk as Uint8Array;
      bytes += part.length;
      if (bytes > limit) return undefined;
      chunks.push(part);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
};

const send = (response: ServerResponse, { status, body, headers }: HttpAnswer): void => {
  // What was not read of the request is not waited for.
  const rest = response.req.complete ? {} : { connection: "close" };
  const isText = typeof body === "string";
  response.writeHead(status, {
    "content-type": isText ? "text/plain; charset=utf-8" : "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...rest,
    ...headers,
  });
  response.end(isText ? body : `${JSON.stringify(body)}\n`);
};
