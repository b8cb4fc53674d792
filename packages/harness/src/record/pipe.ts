import type { JsonValue } from "@orphus/agent-trace";
import type { Cursor } from "../store/batch.ts";
import { createChannel, type ChannelLine, type ChannelPosition } from "./channel.ts";
import type { LineFile, LineFileState } from "./line-file.ts";

/** Longest line that is read. */
const LINE_LIMIT_BYTES = 16 * 1024 * 1024;
/**
 * Of an unfinished line so much may stay unacknowledged. It must stay below what the sender holds back (1 MiB), or a
 * longer line would never end.
 */
const LET_GO_BYTES = 256 * 1024;

/** What is done with one channel's lines. */
export interface LineHandler {
  line(line: ChannelLine): void;
  /** Snapshot of what {@link LineHandler.line} has led to. */
  state(): JsonValue;
}

export interface PipeOptions {
  /** Name of the cursor. */
  source: string;
  /** The cursor of an earlier intake. */
  resume: Cursor | undefined;
  handler: LineHandler;
  /** The file whose length the cursor keeps. */
  file: LineFile;
  /** Between two lines: what was read so far may be committed. */
  between: () => void;
}

/** One channel of a run: its bytes in, its cursor out. */
export interface Pipe {
  push(from: number, bytes: Uint8Array): void;
  end(): void;
  cursor(): Cursor;
  /** The cursor that was given last is committed; returns its offset. */
  committed(): number;
}

/** A cursor's state, as a pipe writes it. */
export interface PipeState {
  cut: number;
  file: LineFileState;
  handler: JsonValue;
}

export const createPipe = (options: PipeOptions): Pipe => {
  const { handler, file, between } = options;
  const resumed = pipeState(options.resume);
  const channel = createChannel({
    limit: LINE_LIMIT_BYTES,
    position: { offset: options.resume?.rawIn ?? 0, cut: resumed?.cut ?? 0 },
  });
  let lines = options.resume?.position ?? 0;
  let position: ChannelPosition = channel.position(false);
  let given = position;
  let ended = false;

  const handle = (all: readonly ChannelLine[]): void => {
    for (const line of all) {
      handler.line(line);
      lines += 1;
      position = { offset: line.end, cut: 0 };
      between();
    }
  };

  return {
    push(from, bytes) {
      handle(channel.push(from, bytes));
      const letGo = channel.received - position.offset >= LET_GO_BYTES;
      const rest = channel.position(letGo);
      if (rest.offset === position.offset) return;
      position = rest;
      between();
    },
    end() {
      if (ended) return;
      ended = true;
      handle(channel.end());
      position = channel.position(false);
      between();
    },
    cursor() {
      given = position;
      return {
        source: options.source,
        position: lines,
        rawIn: given.offset,
        fileOut: file.length,
        state: { cut: given.cut, file: { ...file.state() }, handler: handler.state() } satisfies PipeState,
      };
    },
    committed: () => given.offset,
  };
};

/** The state of a cursor that a pipe wrote. */
export const pipeState = (cursor: Cursor | undefined): PipeState | undefined =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only pipes write the cursors of channels
  cursor?.state as PipeState | undefined;
