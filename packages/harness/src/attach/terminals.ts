import type { Duplex } from "node:stream";
import { HarnessError } from "../base/errors.ts";
import type { ViewSize } from "../protocol/attach.ts";
import type { OutputSink } from "../supervise/needs.ts";
import { Terminal, type AttachSession, type TerminalPort } from "./terminal.ts";

interface Run {
  harness: string;
  runId: number;
}

export interface OpenOptions {
  size: ViewSize;
  port: TerminalPort;
  /** Of a run that is taken over: an earlier daemon had the bytes before this offset. */
  known: number;
  /** The redactor, with what this run was given in secret. */
  mask(text: string): string;
}

type Open = { runId: number; terminal: Terminal } & Pick<OpenOptions, "known" | "mask">;

/** What a screen shows right now. */
export interface Capture {
  runId: number;
  cols: number;
  rows: number;
  /** A line a row, masked. */
  text: string;
}

/** The terminals of all harnesses; each has at most one run that is on. */
export class Terminals implements OutputSink {
  readonly #lastSizes = new Map<string, ViewSize>();
  readonly #open = new Map<string, Open>();

  open({ harness, runId }: Run, options: OpenOptions): Terminal {
    const { size, port, ...rest } = options;
    const terminal = new Terminal(size, port);
    this.#open.set(harness, { runId, terminal, ...rest });
    return terminal;
  }

  write({ harness, runId }: Run, channel: string, from: number, bytes: Uint8Array): void {
    const open = this.#open.get(harness);
    if (channel !== "pty" || open?.runId !== runId) return;
    open.terminal.output(bytes, from + bytes.length <= open.known);
  }

  /** Lets everyone go who looks at the run's terminal. Of a run that has none, nothing. */
  close({ harness, runId }: Run, reason: string): void {
    const open = this.#open.get(harness);
    if (open?.runId !== runId) return;
    this.#lastSizes.set(harness, open.terminal.screen.size);
    open.terminal.end(reason);
    this.#open.delete(harness);
  }

  closeAll(reason: string): void {
    for (const [harness, { runId }] of this.#open) this.close({ harness, runId }, reason);
  }

  /** The size of the terminal that is on. */
  size(harness: string): ViewSize | undefined {
    return this.#open.get(harness)?.terminal.screen.size;
  }

  /** The size of a harness's terminal, now or when its last run ended. */
  lastSize(harness: string): ViewSize | undefined {
    return this.#open.get(harness)?.terminal.screen.size ?? this.#lastSizes.get(harness);
  }

  /** Where there is a terminal to attach to; throws `no_terminal`. */
  runOf(harness: string): number {
    return this.#of(harness).runId;
  }

  attach(harness: string, stream: Duplex, options: { readOnly: boolean; since: number }): void {
    this.#of(harness).terminal.attach(stream, options);
  }

  sessions(harness: string): AttachSession[] {
    return this.#open.get(harness)?.terminal.sessions() ?? [];
  }

  /** Throws `no_terminal`, and `no_screen` while nothing was ever written. */
  capture(harness: string): Promise<Capture> {
    const { runId, terminal, mask } = this.#of(harness);
    if (!terminal.drawn) {
      throw new HarnessError("no_screen", `${harness} has not written anything to its terminal yet.`);
    }
    const { screen } = terminal;
    return new Promise((resolve) => {
      screen.inOrder(() => resolve({ runId, ...screen.size, text: mask(screen.text().join("\n")) }));
    });
  }

  #of(harness: string): Open {
    const open = this.#open.get(harness);
    if (open !== undefined) return open;
    throw new HarnessError("no_terminal", `${harness} has no run on a terminal now.`, {
      hint: `start it, or see what it did: harness logs ${harness}`,
    });
  }
}
