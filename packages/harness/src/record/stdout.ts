import { droppedLineMarker, type JsonValue, type LineReader, type ReadSink } from "@orphus/agent-trace";
import type { LiveItem, TraceItem } from "@orphus/agent-trace/item";
import { stripControls, type Redactor } from "@orphus/agent-trace/redact";
import { cleanItem } from "./clean.ts";
import type { LineFile } from "./line-file.ts";
import { cutMarker, cutText, droppedText, notJsonMarker } from "./markers.ts";
import type { LineHandler } from "./pipe.ts";

export interface StdoutOptions {
  redactor: Redactor;
  /** Makes the agent's reader, from its earlier state where there is one. */
  reader(state: JsonValue | undefined): LineReader;
  stream: LineFile;
  log: LineFile;
  state: JsonValue | undefined;
  item(item: TraceItem): void;
  live(item: LiveItem): void;
}

export interface StdoutHandler extends LineHandler {
  /** The process is gone: what is open in the reader is given out. */
  finish(): void;
  /** Lines, and records in them, that could not be taken in. */
  readonly unread: number;
}

/**
 * One line of the agent's stream: masked once, kept in the stream file, read into items. What is no record is counted and
 * kept in the run log as text; it never ends a run.
 */
export const createStdout = (options: StdoutOptions): StdoutHandler => {
  const saved = savedState(options.state);
  const mask = options.redactor.lines(saved.mask);
  const reader = options.reader(saved.reader);
  let unread = saved.unread;

  const unreadable = (text: string): void => {
    unread += 1;
    options.log.append(stripControls(text), "stdout");
  };

  const sink: ReadSink = {
    item(item) {
      const clean = cleanItem(item);
      if (clean === undefined)
        unreadable(`[harness] a record without a usable id was left out (${item.type})`);
      else options.item(clean);
    },
    live: (item) => options.live(item),
    unread: (line) => unreadable(line.text),
  };

  /** A reader promises not to throw; a mistake in one must not cost the run. */
  const guarded = (text: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      unreadable(
        `[harness] the reader failed (${error instanceof Error ? error.name : "unknown"}) on: ${text}`,
      );
    }
  };

  const textLine = (raw: string): void => {
    if (raw.trim() === "") return;
    const line = mask.json(raw);
    options.stream.append(isJson(line) ? line : notJsonMarker(line), "stdout");
    guarded(line, () => reader.line(line, sink));
  };

  return {
    line(line) {
      if (line.type === "line") {
        textLine(line.text);
        return;
      }
      const [marker, text] =
        line.type === "dropped"
          ? [
              droppedLineMarker("stdout", line.bytes, line.limit),
              droppedText("stdout", line.bytes, line.limit),
            ]
          : [cutMarker(line.bytes), cutText("stdout", line.bytes)];
      options.stream.append(marker, "stdout");
      unreadable(text);
      // The reader makes a mark of it, here as when the file is read again.
      guarded(marker, () => reader.line(marker, sink));
    },
    finish: () => guarded("its end", () => reader.finish(sink)),
    get unread() {
      return unread;
    },
    state: () => ({ mask: mask.state(), reader: reader.state(), unread }) satisfies StdoutState,
  };
};

type StdoutState = { mask: JsonValue; reader: JsonValue; unread: number };

const savedState = (state: JsonValue | undefined): Partial<StdoutState> & { unread: number } => {
  if (typeof state !== "object" || state === null || Array.isArray(state)) return { unread: 0 };
  const { mask, reader, unread } = state;
  return {
    ...(mask === undefined ? {} : { mask }),
    ...(reader === undefined ? {} : { reader }),
    unread: typeof unread === "number" ? unread : 0,
  };
};

const isJson = (line: string): boolean => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};
