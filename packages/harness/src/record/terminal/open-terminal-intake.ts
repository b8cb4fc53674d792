import { createRedactor, stripControls, type LineRedactor } from "@orphus/agent-trace/redact";
import type { JsonValue } from "@orphus/agent-trace";
import { HarnessError } from "../../base/errors.ts";
import type { Place } from "../../base/rotating-file.ts";
import type { Screen } from "../../screen/screen.ts";
import type { RunRef } from "../../store/read.ts";
import { openFileSink } from "../file-sink.ts";
import type { AnyChannel, IntakeDeps, ProcessEnd, RunFold, RunIdentity, RunIntake } from "../intake.ts";
import { createLineFile, type LineFile, type LineFileState } from "../line-file.ts";
import { runLogMarker } from "../markers.ts";
import { judge } from "../verdict.ts";
import { openDurableLog, type DurableLog } from "./durable-log.ts";

/** What a terminal's intake works with besides a store and a clock. */
export interface TerminalIntakeDeps extends Pick<
  IntakeDeps,
  "store" | "clock" | "maxFileBytes" | "rules" | "onFault" | "openFile"
> {
  /** The run's screen; drawn here and nowhere else. */
  screen: Screen;
  files: {
    /** The harness's, over all its runs. */
    durableLog: string;
    /** The run's own; absent for a resident, whose run may last for months. */
    runLog?: string;
  };
}

/** A commit waits so long for more … */
const COMMIT_MS = 50;
/** … but not for more bytes than this: it must stay below what the keeper holds unacknowledged. */
const COMMIT_BYTES = 256 * 1024;
const RETRY_MS = 1000;
/** How long {@link RunIntake.finish} goes on trying a store that takes nothing. */
const FINISH_TRIES = 50;
const FINISH_RETRY_MS = 100;

interface CursorState {
  mask: JsonValue;
  durable: Place | null;
  runLog: LineFileState | null;
  /** The rest of the screen is in the logs: the run's end was recorded, and its row not yet closed. */
  finished: boolean;
}

/**
 * The intake of a run on a terminal: bytes are drawn, and the lines that leave the screen go, masked, to the logs; files
 * first, then the cursor, then the acknowledgement. Its trace comes from the agent's transcripts.
 */
export const openTerminalIntake = (identity: RunIdentity, deps: TerminalIntakeDeps): RunIntake =>
  new TerminalIntake(identity, deps);

/** How much of a run's terminal is committed: 0 for a run that only begins. */
export const terminalPosition = (store: IntakeDeps["store"], run: RunRef): number =>
  store.cursor(sourceOf(run))?.rawIn ?? 0;

const sourceOf = ({ harness, runId }: RunRef): string => `run:${harness}/${runId}:pty`;

class TerminalIntake implements RunIntake {
  readonly #identity: RunIdentity;
  readonly #deps: TerminalIntakeDeps;
  readonly #mask: LineRedactor;
  readonly #durable: DurableLog;
  readonly #runLog: LineFile | undefined;
  readonly #listeners: ((channel: AnyChannel, offset: number) => void)[] = [];
  #committed: number;
  #drawn: number;
  #finished: boolean;
  #cancelTimer: (() => void) | undefined;

  constructor(identity: RunIdentity, deps: TerminalIntakeDeps) {
    this.#identity = identity;
    this.#deps = deps;
    const cursor = deps.store.cursor(this.#source);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this class writes the cursors of terminals
    const state = cursor?.state as CursorState | undefined;
    this.#committed = cursor?.rawIn ?? 0;
    this.#drawn = this.#committed;
    this.#finished = state?.finished ?? false;
    this.#mask = createRedactor({ values: identity.secrets, rules: deps.rules ?? [] }).lines(state?.mask);
    this.#durable = openDurableLog({
      path: deps.files.durableLog,
      resume: state?.durable ?? undefined,
      onFault: (message) => this.#fault(message),
    });
    this.#runLog = this.#openRunLog(cursor?.fileOut, state?.runLog ?? undefined);
    if (cursor === undefined) this.#say(`run ${identity.runId} starts`);
  }

  get position(): { pty: number } {
    return { pty: this.#committed };
  }

  /** What is committed already is drawn only: its lines are in the logs. */
  write(_channel: AnyChannel, from: number, bytes: Uint8Array): void {
    const known = Math.min(bytes.length, Math.max(0, this.#committed - from));
    const { screen } = this.#deps;
    if (known > 0) screen.write(bytes.subarray(0, known), () => undefined);
    const end = from + bytes.length;
    if (known === bytes.length) return;
    // Held together: a commit has the lines of all bytes it says, and of no other.
    const left: string[] = [];
    screen.write(bytes.subarray(known), (lines) => left.push(...lines));
    screen.inOrder(() => {
      this.#log(left);
      this.#drawn = end;
      this.#touch();
    });
  }

  onCommitted(listener: (channel: AnyChannel, offset: number) => void): void {
    this.#listeners.push(listener);
  }

  eof(): void {
    // A terminal's last bytes are drawn like all others.
  }

  async finish(end: ProcessEnd): Promise<RunFold> {
    const { store, screen } = this.#deps;
    await new Promise<void>((resolve) => screen.inOrder(resolve));
    const evidence = store.read.evidence(this.#identity);
    const verdict = evidence.traceMissing ? judgeProcess(end) : judge(end, evidence);
    if (!this.#finished) {
      this.#log(screen.rest());
      this.#say(`run ${this.#identity.runId} ends: ${verdict.reason}`);
      this.#finished = true;
    }
    await this.#commitAtLast();
    this.#close();
    return { ...store.read.totals(this.#identity), verdict };
  }

  release(): void {
    this.#commit();
    this.#close();
  }

  get #source(): string {
    return sourceOf(this.#identity);
  }

  #openRunLog(length: number | undefined, state: LineFileState | undefined): LineFile | undefined {
    const { files, maxFileBytes, openFile = openFileSink } = this.#deps;
    if (files.runLog === undefined) return undefined;
    return createLineFile({
      path: files.runLog,
      open: openFile,
      maxBytes: maxFileBytes,
      marker: runLogMarker,
      onFault: (message) => this.#fault(message),
      ...(length === undefined ? {} : { length }),
      ...(state === undefined ? {} : { state }),
    });
  }

  #log(lines: readonly string[]): void {
    for (const line of lines) this.#append(this.#mask.text(stripControls(line)));
  }

  /** A line of ours between those of the terminal. */
  #say(what: string): void {
    this.#append(`[harness] ${new Date(this.#deps.clock.now()).toISOString()} ${what}`);
  }

  #append(line: string): void {
    this.#durable.append(line);
    this.#runLog?.append(line, "stdout");
  }

  #touch(): void {
    if (this.#drawn - this.#committed >= COMMIT_BYTES) this.#commit();
    else this.#cancelTimer ??= this.#deps.clock.after(COMMIT_MS, () => this.#commit());
  }

  #commit(): boolean {
    const drawn = this.#drawn;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#durable.flush();
    this.#runLog?.flush();
    try {
      this.#store(drawn);
    } catch (error) {
      this.#fault(`The record of the run cannot be stored (${String(error)}); it is tried again.`);
      this.#cancelTimer = this.#deps.clock.after(RETRY_MS, () => this.#commit());
      return false;
    }
    this.#committed = drawn;
    for (const listener of this.#listeners) listener("pty", drawn);
    return true;
  }

  #store(drawn: number): void {
    const { store, clock } = this.#deps;
    const state: CursorState = {
      mask: this.#mask.state(),
      durable: this.#durable.place ?? null,
      runLog: this.#runLog?.state() ?? null,
      finished: this.#finished,
    };
    store.commit({
      run: this.#identity,
      agent: this.#identity.agent,
      source: "stream",
      at: clock.now(),
      keepContent: this.#identity.recordTrace,
      items: [],
      output: [],
      cursors: [
        { source: this.#source, position: drawn, rawIn: drawn, fileOut: this.#runLog?.length ?? 0, state },
      ],
    });
  }

  async #commitAtLast(): Promise<void> {
    const { clock } = this.#deps;
    for (let tries = 0; !this.#commit(); tries += 1) {
      if (tries === FINISH_TRIES) {
        throw new HarnessError("store_failed", "The record of a run cannot be stored; the run stays open.", {
          hint: "Free the disk and start the daemon again: the run is then closed with what is stored.",
        });
      }
      await new Promise<void>((resolve) => clock.after(FINISH_RETRY_MS, resolve));
    }
  }

  #close(): void {
    this.#cancelTimer?.();
    this.#durable.close();
    this.#runLog?.release();
  }

  #fault(message: string): void {
    this.#deps.onFault?.({ what: "run_log", message });
  }
}

/** The process is the only witness where there is no trace. */
const judgeProcess = (end: ProcessEnd): RunFold["verdict"] => {
  if (end.stoppedBy !== undefined || end.signal !== null || end.code === null) return judge(end, NO_EVIDENCE);
  return end.code === 0
    ? { outcome: "succeeded", reason: "exit 0" }
    : { outcome: "failed", reason: `exit ${end.code}` };
};

const NO_EVIDENCE = { traceMissing: true, interrupted: false, unanswered: 0, openSubagents: 0 } as const;
