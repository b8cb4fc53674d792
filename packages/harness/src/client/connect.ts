import { createConnection, type Socket } from "node:net";
import { ANSWER_LIMIT, lineCutter } from "../protocol/lines.ts";
import { encode, parseResponse, type Response } from "../protocol/messages.ts";
import {
  PROTOCOL_VERSION,
  speaksWith,
  type DaemonStatus,
  type Method,
  type Methods,
} from "../protocol/methods.ts";
import { DaemonError } from "./error.ts";

export interface ConnectOptions {
  /** Path of the daemon's socket. */
  socket: string;
  /** Who asks, for the daemon's log. */
  name: string;
}

/** A connection to a running daemon. Requests may overlap; each is answered once, or fails when the connection does. */
export interface Client {
  /** What the daemon said of itself when the connection was made. */
  readonly daemon: DaemonStatus;
  call<M extends Method>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]>;
  /** Settles when the daemon has closed the connection, as it does last when it ends. */
  readonly closed: Promise<void>;
  close(): void;
  /** Gives the connection away after an answer that says so; the client is of no use any more. */
  leave(): Socket;
}

/**
 * Connects and agrees on the protocol. Fails with a {@link DaemonError}: `daemon_not_running`, `socket_denied`, or
 * `version_mismatch`.
 */
export const connect = async ({ socket: path, name }: ConnectOptions): Promise<Client> => {
  const line = openLine(await opened(path));
  try {
    const daemon = await line.call("hello", { client: name, protocol: PROTOCOL_VERSION });
    if (!speaksWith(PROTOCOL_VERSION, daemon.protocol)) throw mismatch(daemon.protocol);
    return { daemon, ...line };
  } catch (error) {
    line.close();
    throw error;
  }
};

const mismatch = (theirs: string): DaemonError =>
  new DaemonError(
    "version_mismatch",
    `The daemon speaks protocol ${theirs}, this program ${PROTOCOL_VERSION}.`,
    {
      hint: "restart the daemon with the version you are calling: harness daemon stop, harness daemon --detach",
    },
  );

const opened = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once("connect", () => {
      socket.off("error", fail);
      resolve(socket);
    });
    const fail = (error: NodeJS.ErrnoException): void => reject(connectError(path, error));
    socket.once("error", fail);
  });

const connectError = (path: string, error: NodeJS.ErrnoException): DaemonError => {
  if (error.code === "EACCES" || error.code === "EPERM") {
    return new DaemonError("socket_denied", `The socket ${path} may not be opened.`, {
      hint: "it belongs to another user; name your own state folder with --state-dir",
      cause: error,
    });
  }
  return new DaemonError("daemon_not_running", "The daemon is not running.", {
    hint: "start it with: harness daemon --detach",
    cause: error,
  });
};

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: DaemonError) => void;
}

/** Requests out, answers in, matched by id. */
const openLine = (socket: Socket): Omit<Client, "daemon"> => {
  const waiting = new Map<number, Waiting>();
  const cutter = lineCutter(ANSWER_LIMIT);
  let lastId = 0;
  let broken: DaemonError | undefined;

  const breakOff = (error: DaemonError): void => {
    broken ??= error;
    socket.destroy();
    for (const { reject } of waiting.values()) reject(broken);
    waiting.clear();
  };
  const answer = (response: Response | undefined): void => {
    if (response === undefined) return breakOff(unreadable());
    const asked = typeof response.id === "number" ? waiting.get(response.id) : undefined;
    if (typeof response.id === "number") waiting.delete(response.id);
    if ("result" in response) return asked?.resolve(response.result);
    const { message, data } = response.error;
    const error = new DaemonError(data?.code ?? "internal", message, { hint: data?.hint });
    // Without an id it concerns the connection as a whole.
    return asked === undefined ? breakOff(error) : asked.reject(error);
  };

  const receive = (chunk: Buffer): void => {
    for (const line of cutter.push(chunk)) {
      answer(line.type === "line" ? parseResponse(line.text) : undefined);
    }
  };
  socket.on("data", receive);
  socket.on("error", (error) => breakOff(gone(error)));
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      breakOff(gone());
      resolve();
    });
  });

  return {
    closed,
    close: () => socket.destroy(),
    leave: () => {
      socket.off("data", receive);
      return socket;
    },
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) return reject(broken);
        lastId += 1;
        waiting.set(lastId, {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- hello has shown that both ends mean one contract
          resolve: (result) => resolve(result as Methods[typeof method]["result"]),
          reject,
        });
        return socket.write(encode({ jsonrpc: "2.0", id: lastId, method, params }));
      }),
  };
};

const unreadable = (): DaemonError =>
  new DaemonError("internal", "What answers on the socket is not a harness daemon.", {
    hint: "check --state-dir",
  });

const gone = (cause?: unknown): DaemonError =>
  new DaemonError("daemon_not_running", "The daemon went away while it was asked.", {
    hint: "see its log (daemon.log in the state folder), and start it again: harness daemon --detach",
    cause,
  });
