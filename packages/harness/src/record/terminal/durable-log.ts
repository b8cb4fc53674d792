import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { openRotating, type Place, type RotatingFile } from "../../base/rotating-file.ts";

/** Size of one file and number of the full ones that are kept. */
const LOG_BYTES = 8 * 1024 * 1024;
const LOG_BACKUPS = 5;

/** What a terminal showed, as lines of text: masked, without escape sequences, over all runs of one harness. */
export interface DurableLog {
  /** Lines wait in memory until {@link DurableLog.flush}. */
  append(line: string): void;
  flush(): void;
  /** Where the last flush ended; undefined while the file could not be opened. */
  readonly place: Place | undefined;
  close(): void;
}

export interface DurableLogOptions {
  path: string;
  /** Where the run's earlier intake had got to. */
  resume: Place | undefined;
  /** The disk does not take it, or takes it again. Told once per stretch. */
  onFault(message: string): void;
}

/** A disk that refuses costs lines, and a marker says how many; the run goes on. */
export const openDurableLog = ({ path, resume, onFault }: DurableLogOptions): DurableLog => {
  let file: RotatingFile | undefined;
  let waiting: string[] = [];
  let missing = 0;

  const opened = (): RotatingFile => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    file ??= openRotating({ path, maxBytes: LOG_BYTES, backups: LOG_BACKUPS, resume });
    return file;
  };

  return {
    append: (line) => {
      waiting.push(line);
    },
    flush: () => {
      const lines = waiting;
      if (lines.length === 0) return;
      waiting = [];
      const gap =
        missing === 0 ? "" : `[harness] ${missing} lines are missing here: the disk did not take them\n`;
      try {
        opened().write(Buffer.from(`${gap}${lines.join("\n")}\n`));
        missing = 0;
      } catch (error) {
        const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
        if (missing === 0)
          onFault(`${path} cannot be written (${reason}); the run goes on, the log has a gap.`);
        missing += lines.length;
      }
    },
    get place() {
      return file?.place;
    },
    close: () => file?.close(),
  };
};
