import type { Socket } from "node:net";

/** The open connections of a daemon. */
export interface Connections {
  add(socket: Socket): void;
  /** Closes every connection after what was written to it, and resolves when none is left. */
  close(): Promise<void>;
}

/** How long a client may take to read its last answer before its connection is cut. */
const FAREWELL_MS = 1000;

export const createConnections = (): Connections => {
  const open = new Set<Socket>();
  const ended = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      socket.once("close", resolve);
      socket.setTimeout(FAREWELL_MS, () => socket.destroy());
      socket.end(() => socket.destroy());
    });
  return {
    add: (socket) => {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    },
    close: async () => {
      await Promise.all(Array.from(open, ended));
    },
  };
};
