import type { Log } from "../base/log.ts";

/** That the daemon is to end, and what becomes of its runs: they end with it, or go on until the next daemon. */
export interface StopRequest {
  runs: "end" | "leave";
  /** For the log. */
  why: string;
}

/** Resolves when the daemon is told to stop, by a signal or by {@link StopSignal.stop}. */
export interface StopSignal extends Disposable {
  readonly stopped: Promise<StopRequest>;
  stop(request: StopRequest): void;
}

/** Listens to the process's signals until disposed. SIGHUP does not stop it. */
export const listenForStop = (onHangup: () => void): StopSignal => {
  const { promise: stopped, resolve } = Promise.withResolvers<StopRequest>();
  const onStop = (signal: NodeJS.Signals): void => resolve({ runs: "end", why: signal });
  process.on("SIGTERM", onStop);
  process.on("SIGINT", onStop);
  process.on("SIGHUP", onHangup);
  return {
    stopped,
    stop: (request) => resolve(request),
    [Symbol.dispose]: () => {
      process.off("SIGTERM", onStop);
      process.off("SIGINT", onStop);
      process.off("SIGHUP", onHangup);
    },
  };
};

/** A bug that nobody caught ends the daemon, with a word in its log: runs live on in the keeper. */
export const logCrashes = (log: Log): void => {
  const crash = (error: unknown): void => {
    log.error(`crashed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.exit(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
};
