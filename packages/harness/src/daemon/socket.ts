import { chmodSync, linkSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { peerOn, type Peer } from "./peer.ts";

/** The daemon's place on its socket path. */
export interface BoundSocket {
  /** Stops listening and removes the path, if it is still ours. Open connections stay. */
  release(): void;
}

/** The longest path of a unix socket, without its terminating byte. */
const MAX_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/**
 * Takes the socket path, which is also the lock of the state folder: only one daemon can have it. A socket that nobody
 * listens on is replaced; one that is listened on is `daemon_running`.
 *
 * The socket is bound under a name of our own and then linked to the path. `link` fails where a file is, so of two
 * daemons that start at once, one wins.
 */
export const bindSocket = async (
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<BoundSocket> => {
  checkLength(path);
  const own = join(dirname(path), `.${process.pid}.sock`);
  removeIfThere(own);
  const server = await listen(own, onConnection);
  try {
    chmodSync(own, 0o600);
    await claim(own, path);
  } catch (error) {
    server.close();
    throw error;
  }
  const inode = lstatSync(path).ino;
  unlinkSync(own);
  return {
    release: () => {
      server.close();
      if (inodeOf(path) === inode) unlinkSync(path);
    },
  };
};

const checkLength = (path: string): void => {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_PATH_BYTES) return;
  throw new HarnessError(
    "socket_denied",
    `The socket path ${path} is ${bytes} bytes long; the system allows ${MAX_PATH_BYTES}.`,
    {
      hint: "name a state folder with a shorter path, with --state-dir or HARNESS_STATE_DIR",
    },
  );
};

const listen = (path: string, onConnection: (socket: Socket) => void): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.once("error", (error) =>
      reject(
        new HarnessError("socket_denied", `The socket ${path} cannot be made: ${error.message}`, {
          hint: "check that the state folder is yours and writable",
          cause: error,
        }),
      ),
    );
    server.listen(path, () => resolve(server));
  });

const claim = async (own: string, path: string): Promise<void> => {
  if (linked(own, path)) return;
  const peer = await peerOn(path);
  if (peer !== undefined) throw running(path, peer);
  await removeStale(path);
  if (!linked(own, path)) throw running(path, { pid: undefined });
};

/**
 * Between the look and the removal another daemon may have taken the path. So the file is moved aside first and looked
 * at there; if somebody listens on it after all, it is put back.
 */
const removeStale = async (path: string): Promise<void> => {
  const aside = join(dirname(path), `.${process.pid}.stale`);
  try {
    renameSync(path, aside);
  } catch (error) {
    // Another daemon is doing the same.
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  const peer = await peerOn(aside);
  if (peer !== undefined) linked(aside, path);
  unlinkSync(aside);
  if (peer !== undefined) throw running(path, peer);
};

const linked = (from: string, to: string): boolean => {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
};

const running = (path: string, { pid }: Peer): HarnessError =>
  new HarnessError(
    "daemon_running",
    `A daemon is already running on ${path}${pid === undefined ? "" : `, with pid ${pid}`}.`,
    { hint: "use it, or stop it with: harness daemon stop" },
  );

const inodeOf = (path: string): number | undefined => {
  try {
    return lstatSync(path).ino;
  } catch {
    return undefined;
  }
};

const removeIfThere = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
};

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
