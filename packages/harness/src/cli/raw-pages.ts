import type { LogPage, RunRow } from "../protocol/methods.ts";
import type { Output } from "./context.ts";
import { rawFile, type RawFile } from "./raw-file.ts";

/**
 * Shows the files of a run instead of its record; each page says that they may have grown. While the run goes on that
 * is its stream alone, so that what is shown only ever gets longer; the run log follows when it has ended.
 */
export const rawPages = (output: Output): ((page: LogPage) => void) => {
  const files = new Map<string, RawFile>();
  const show = (path: string | undefined): void => {
    if (path === undefined) return;
    let file = files.get(path);
    if (file === undefined) {
      file = rawFile(path);
      files.set(path, file);
      output.write(`==> ${path} <==\n`);
    }
    output.write(file.read());
  };
  return ({ run, complete }) => {
    show(run.stream ?? terminalLog(run));
    if (complete) show(endedLog(run));
  };
};

/** Residents and commands run on a terminal; the others on pipes. */
export const isOnTerminal = ({ kind, agent }: RunRow): boolean => kind === "resident" || agent === "command";

/** Without a stream the text log is all there is, and grows as well. */
const terminalLog = (run: RunRow): string | undefined => (isOnTerminal(run) ? run.log : undefined);

const endedLog = (run: RunRow): string | undefined => (run.outcome === "running" ? undefined : run.log);
