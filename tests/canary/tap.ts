import { once } from "node:events";
import { renameSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import type { Place } from "./search.ts";

/** What went over a socket. */
export interface Tap {
  /** From the daemon to its clients. */
  answers(): Place;
  /** From clients to the daemon. */
  requests(): Place;
  close(): Promise<void>;
}

/** Puts itself in the place of a unix socket and records what goes through. */
export const tapSocket = async (path: string): Promise<Tap> => {
  const behind = `${path}.b`;
  renameSync(path, behind);
  const answers: Buffer[] = [];
  const requests: Buffer[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const daemon = createConnection(behind);
    for (const [from, to, kept] of [
      [client, daemon, requests],
      [daemon, client, answers],
    ] as const) {
      open.add(from);
      from.on("data", (chunk: Buffer) => {
        kept.push(chunk);
        to.write(chunk);
      });
      from.on("end", () => to.end());
      // One side that breaks takes the other with it.
      from.on("error", () => to.destroy());
      from.on("close", () => {
        open.delete(from);
        to.end();
      });
    }
  });
  server.listen(path);
  await once(server, "listening");
  return {
    answers: () => ({ name: "the daemon's answers", bytes: Buffer.concat(answers) }),
    requests: () => ({ name: "the daemon's requests", bytes: Buffer.concat(requests) }),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
};
