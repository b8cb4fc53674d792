import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { Keeper, type KeeperClock } from "./keeper.ts";
import { becomeSubreaper, closeInherited, detachStandardStreams } from "./libc.ts";
import { Session, type Quit } from "./session.ts";

const clock: KeeperClock = {
  now: () => Date.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

const listen = (path: string): void => {
  closeInherited();
  becomeSubreaper();
  const server = createServer();
  // Closing takes the socket out of its folder at once, so that it is not the next keeper's that goes.
  const quit: Quit = { stopListening: () => server.close(), exit: () => process.exit(0) };
  const keeper = new Keeper(clock, () => {
    quit.stopListening();
    quit.exit();
  });
  server.on("connection", (socket) => new Session(keeper, socket, quit));
  process.on("SIGCHLD", () => keeper.childrenChanged());
  server.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  process.umask(0o077);
  server.listen(path, () => {
    chmodSync(path, 0o600);
    process.stdout.write("ready\n", detachStandardStreams);
  });
};

const [path] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write("a keeper is started by the daemon, with the path of its socket\n");
  process.exitCode = 2;
} else {
  listen(path);
}
