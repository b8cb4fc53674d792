import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { HarnessError } from "../base/errors.ts";

/** The daemon's place on its socket path. */
export interface BoundSocket {
  /** Stops listening and removes the path, if it is still ours. Open connections stay. */
  release(): void;
}

/** The longest path of a unix socket, without its terminating byte. */
const MAX_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/**
 * Listens on the socket path, for the owner alone. What lies there is left over from a daemon that is gone: whoever
 * calls this holds the state folder's lock.
 */
export const bindSocket = async (
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<BoundSocket> => {
  checkLength(path);
  removeIfThere(path);
  const server = await listen(path, onConnection);
  chmodSync(path, 0o600);
  const inode = inodeOf(path);
  return {
    release: () => {
      // Closing the server would unlink the path whoever it belongs to by then.
      if (inodeOf(path) === inode) server.close();
      else server.unref();
    },
  };
};

const checkLength = (path: string): void => {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_PATH_BYTES) return;
  throw new HarnessError(
    "socket_denied",
    `The socket path ${path} is ${bytes} bytes long; the system allows ${MAX_PATH_BYTES}.`,
    { hint: "name a state folder with a shorter path, with --state-dir or HARNESS_STATE_DIR" },
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

const inodeOf = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.ino;

const removeIfThere = (path: string): void => {
  if (inodeOf(path) !== undefined) unlinkSync(path);
};
