import { writeSync } from "node:fs";
import { statePaths } from "../../base/paths.ts";
import { openFileSink, type OpenFileSink } from "../../record/file-sink.ts";
import type { Store } from "../../store/store.ts";
import { KeeperConnection } from "../keeper-connection.ts";
import { bootSupervision, definitionOn } from "./supervisor-lab.ts";

/*
 * A daemon that is killed at one of the points at which something of a run is made to last: before or after it. Given
 * the state folder, the working folder, the folder of the agent, whether the run is on a terminal, and the point; without
 * a point it says each as it passes. It acknowledges the run's start on stdout, as an answer to a client does.
 */

const [stateDir = "", workdir = "", bin = "", on = "pipes", doom = ""] = process.argv.slice(2);
const passed = new Map<string, number>();

const point = (name: string): void => {
  const count = (passed.get(name) ?? 0) + 1;
  passed.set(name, count);
  const here = `${name} ${count}`;
  if (doom === "") writeSync(1, `point ${here}\n`);
  else if (here === doom) process.kill(process.pid, "SIGKILL");
};

const around = <Args extends unknown[], Result>(name: string, act: (...args: Args) => Result) => {
  return (...args: Args): Result => {
    point(`before ${name}`);
    const result = act(...args);
    point(`after ${name}`);
    return result;
  };
};

const doomedStore = (store: Store): Store => ({
  ...store,
  ledger: {
    ...store.ledger,
    open: around("ledger open", store.ledger.open),
    spawned: around("ledger spawned", store.ledger.spawned),
    close: around("ledger close", store.ledger.close),
  },
  commit: around("commit", store.commit),
});

const doomedFile: OpenFileSink = (path) => {
  const sink = openFileSink(path);
  return { ...sink, write: around("write", sink.write), close: around("seal", sink.close) };
};

const { spawn, forget } = KeeperConnection.prototype;
KeeperConnection.prototype.spawn = async function (...args) {
  point("before spawn");
  const spawned = await spawn.apply(this, args);
  point("after spawn");
  return spawned;
};
KeeperConnection.prototype.forget = async function (...args) {
  point("before forget");
  await forget.apply(this, args);
  point("after forget");
};

const daemon = bootSupervision(
  statePaths(stateDir),
  { PATH: `${bin}:/usr/bin:/bin`, HOME: workdir },
  {
    wrapStore: doomedStore,
    openFile: doomedFile,
  },
);
const definition = definitionOn(on === "terminal" ? "terminal" : "pipes", workdir);
await daemon.supervisor.adopt(new Map([[definition.name, definition]]));
const started = await daemon.supervisor.start(definition, { trigger: "manual" });
writeSync(1, `acknowledged ${started.ref.runId}\n`);
await started.ended;
await daemon.close("leave");
