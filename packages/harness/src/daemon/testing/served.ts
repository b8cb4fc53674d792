import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { streamLog } from "../../base/log.ts";
import { PROTOCOL_VERSION, type DaemonStatus } from "../../protocol/methods.ts";
import { serve, type Handlers } from "../serve.ts";
import { bindSocket, type BoundSocket } from "../socket.ts";

export const shortFolder = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "hd-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const status: DaemonStatus = {
  version: "0.0.0",
  protocol: PROTOCOL_VERSION,
  pid: process.pid,
  startedAt: "2026-01-02T03:04:05.000Z",
  socket: "/s",
  stateDir: "/d",
  config: null,
  harnesses: 0,
  running: 0,
};

const absent = (): never => {
  throw new Error("a plain bug");
};

export interface Served {
  path: string;
  bound: BoundSocket;
  logged: string[];
}

/** A real socket with the real server behind it, and these answers. */
export const served = async (t: TestContext, handlers: Partial<Handlers>): Promise<Served> => {
  const path = join(shortFolder(t), "harness.sock");
  const logged: string[] = [];
  const sink = { write: (line: string) => logged.push(line) > 0 };
  const log = streamLog({ clock: systemClock, mask: (text) => text }, sink);
  const all: Handlers = {
    hello: () => status,
    list: absent,
    runs: absent,
    logs: absent,
    trigger: absent,
    run: absent,
    stop: absent,
    capture: absent,
    attach: absent,
    start: absent,
    restart: absent,
    reload: absent,
    rescan: absent,
    shutdown: absent,
    ...handlers,
  };
  const sockets = new Set<Socket>();
  const mask = (text: string): string => text.replaceAll("hunter2", "[REDACTED]");
  const bound = await bindSocket(path, (socket) => {
    sockets.add(socket);
    serve(socket, { handlers: all, log, mask });
  });
  t.after(() => {
    bound.release();
    for (const socket of sockets) socket.destroy();
  });
  return { path, bound, logged };
};

/** A client that writes what it likes. */
export const rawClient = async (
  t: TestContext,
  path: string,
): Promise<{ socket: Socket; line(): Promise<unknown> }> => {
  const socket = createConnection(path);
  t.after(() => socket.destroy());
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    line: async () => {
      const { value, done } = await lines.next();
      if (done === true) return undefined;
      const message: unknown = JSON.parse(value);
      return message;
    },
  };
};
