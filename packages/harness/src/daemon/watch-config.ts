import { realpathSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

/** Editors write a file in several steps; it is looked at when it has been left alone for so long. */
export const SETTLE_MS = 500;

export interface WatchOptions {
  /** Absolute path of the file, which need not be there yet. */
  file: string;
  clock: Clock;
  log: Log;
  changed(): void;
}

/**
 * Tells when a file has changed, was replaced or has appeared. Its folder is watched, because an editor that replaces a
 * file leaves a watch on the old one; where the file is a link, so is the folder of what it points to.
 */
export const watchConfig = ({ file, clock, log, changed }: WatchOptions): Disposable => {
  let cancel: (() => void) | undefined;
  const seen = (): void => {
    cancel?.();
    cancel = clock.after(SETTLE_MS, changed);
  };
  const watchers = placesOf(file).flatMap((place): FSWatcher[] => {
    try {
      const watcher = watch(dirname(place), { persistent: false }, (_, name) => {
        if (name === null || name === basename(place)) seen();
      });
      watcher.on("error", (error) => log.warn(`${file} is not watched any more: ${error.message}`));
      return [watcher];
    } catch (error) {
      log.info(`${file} is not watched: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
  return {
    [Symbol.dispose]: () => {
      cancel?.();
      for (const watcher of watchers) watcher.close();
    },
  };
};

const placesOf = (file: string): string[] => {
  try {
    return [...new Set([file, realpathSync(file)])];
  } catch {
    return [file];
  }
};
