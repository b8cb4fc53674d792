import type { Log } from "../base/log.ts";

/** Resolves when the daemon is told to stop, by a signal or by {@link StopSignal.stop}. */
export interface StopSignal extends Disposable {
  readonly stopped: Promise<string>;
  /** `why` goes to the log. */
  stop(why: string): void;
}

/** Listens to the process's signals until disposed. */
export const listenForStop = (log: Log): StopSignal => {
  const { promise: stopped, resolve } = Promise.withResolvers<string>();
  const onStop = (signal: NodeJS.Signals): void => resolve(signal);
  const onHangup = (): void =>
    log.warn(
      "SIGHUP is kept for reloading the configuration, which this version cannot do yet; restart the daemon instead",
    );
  process.on("SIGTERM", onStop);
  process.on("SIGINT", onStop);
  process.on("SIGHUP", onHangup);
  return {
    stopped,
    stop: resolve,
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
